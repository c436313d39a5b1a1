"""What the variants wrote and how they differ, as HTML."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from model.checkpoints.metadata import CheckpointInfo
from texts import say, say_of
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape, joined
from viz.run.text_diff import rewording
from viz.subjects.variants.differences import Difference
from viz.subjects.variants.reading_ahead import PAPER

_MARKS = {
    "same": Markup("{} "),
    "gone": Markup("<del>{}</del> "),
    "new": Markup("<ins>{}</ins> "),
}


def written_list(written: Mapping[str, str]) -> Markup:
    """Show what each variant writes, with the words marked that the paper's does not."""
    return Markup('<dl class="variants-written">{}</dl>').format(
        joined(
            Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(
                say_of("variants.name", name),
                _compared(written[PAPER], text)
                if text
                else Markup("<em>{}</em>").format(say("variants.nothing")),
            )
            for name, text in written.items()
        )
    )


def _compared(paper: str, text: str) -> Markup:
    return joined(
        _MARKS[stretch.fate].format(escape(stretch.text)) for stretch in rewording(paper, text)
    )


def choices_table(
    found: Mapping[str, Sequence[Difference]], infos: Mapping[str, CheckpointInfo]
) -> Markup:
    """Show in what each variant is not as the paper, and how many sentences it gets right."""
    rows: list[Row] = []
    for variant, made in found.items():
        right = _right(infos[variant]), _right(infos[PAPER])
        lines = [(say("variants.right"), *right)] if all(right) else []
        lines += [(each.words, each.own, each.papers) for each in made]
        for number, line in enumerate(lines):
            name = "" if number else say_of("variants.name", variant)
            rows.append(Row([name, *line], "" if number else "variants-first"))
    header = ("", "", say("variants.here"), say_of("variants.name", PAPER))
    return table(header, rows, kind="variants-differences", least_width=48)


def _right(info: CheckpointInfo) -> str:
    right = info.scores.get("exact_match")
    return percent_text(right) if isinstance(right, int | float) else ""
