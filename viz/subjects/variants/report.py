"""What the variants wrote and how their configs differ, as HTML."""

from collections.abc import Mapping

from markupsafe import Markup

from model.checkpoints.metadata import CheckpointInfo
from model.config import SIZES
from texts import say, say_of
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape, joined
from viz.run.text_diff import rewording
from viz.subjects.variants.reading_ahead import PAPER

_MARKS = {
    "same": Markup("{} "),
    "gone": Markup("<del>{}</del> "),
    "new": Markup("<ins>{}</ins> "),
}


def measured_line(text: str) -> Markup:
    """Show what was measured of the variants, on a slide as well, where notes are hidden."""
    return Markup('<p class="variants-measured">{}</p>').format(escape(text))


def written_list(written: Mapping[str, str]) -> Markup:
    """Show what each variant writes, with the words marked that the paper's does not."""
    return Markup('<dl class="variants-written">{}</dl>').format(
        joined(
            Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(
                say_of("frame.variant", name),
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


def choices_table(infos: Mapping[str, CheckpointInfo]) -> Markup:
    """Show each field of a config that is not as the paper's, and how many sentences come right."""
    paper = infos[PAPER]
    rows: list[Row] = []
    for variant, info in infos.items():
        own, papers = info.config.to_dict(), paper.config.to_dict()
        fields = [name for name in own if name not in (*SIZES, "dropout")]
        lines = [(say("variants.right"), _right(info), _right(paper))] + [
            (name, _value(own[name]), _value(papers[name]))
            for name in fields
            if own[name] != papers[name]
        ]
        names = (say_of("frame.variant", variant), *[""] * (len(lines) - 1))
        if variant != PAPER:
            rows += [Row([name, *line]) for name, line in zip(names, lines, strict=True)]
    header = ("", "", say("variants.here"), say_of("frame.variant", PAPER))
    return table(header, rows, least_width=40)


def _right(info: CheckpointInfo) -> str:
    right = info.scores.get("exact_match")
    return percent_text(right) if isinstance(right, int | float) else "–"


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
