"""The texts of the variants and the differences of their configs, as HTML."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from model.config import SIZES
from texts import say, say_of
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape, joined
from viz.run.text_diff import rewording
from viz.subjects.variants.reading_ahead import PAPER

if TYPE_CHECKING:  # only for types
    from model.checkpoints.metadata import CheckpointInfo

Scores = Mapping[str, Any]
"""The measurements of a checkpoint, by name."""
_MARKS = {
    "same": Markup("{} "),
    "gone": Markup("<del>{}</del> "),
    "new": Markup("<ins>{}</ins> "),
}


def measured_line(text: str) -> Markup:
    """Show the measurements of the variants, also on a slide, where notes are hidden."""
    return Markup('<p class="variants-measured">{}</p>').format(escape(text))


def written_list(written: Mapping[str, str], scores: Mapping[str, Scores]) -> Markup:
    """Show the text of each variant, with the words marked that the paper's text lacks.

    Args:
        written: The text of each variant, by its name.
        scores: The measurements of each; the share of correct texts is at the end of its line.
    """
    counts = {each.get("sentences") for each in scores.values()}
    is_known = len(counts) == 1 and None not in counts
    lines = (
        Markup('<dt>{}</dt><dd dir="auto">{}</dd>{}').format(
            say_of("frame.variant", name),
            _compared(written[PAPER], text)
            if text
            else Markup("<em>{}</em>").format(say("variants.nothing")),
            _right_bar(_share_right(scores[name])) if is_known else "",
        )
        for name, text in written.items()
    )
    if not is_known:
        return Markup('<dl class="variants-written">{}</dl>').format(joined(lines))
    heading = say("variants.right_of", count=counts.pop())
    return Markup(
        '<dl class="variants-written variants-measured-list"><dt class="variants-heading"></dt>'
        '<dd class="variants-heading"></dd><dd class="variants-heading">{}</dd>{}</dl>'
    ).format(heading, joined(lines))


def _right_bar(share: float | None) -> Markup:
    """Draw the share of a variant's correct texts."""
    if share is None:
        return Markup('<dd class="variants-right">–</dd>')
    return Markup(
        '<dd class="variants-right"><span class="variants-bar"><i style="width:{:.1f}%"></i></span>'
        "{}</dd>"
    ).format(100 * share, percent_text(share))


def _compared(paper: str, text: str) -> Markup:
    return joined(
        _MARKS[stretch.fate].format(escape(stretch.text)) for stretch in rewording(paper, text)
    )


def choices_table(infos: Mapping[str, "CheckpointInfo"]) -> Markup:
    """Show each field of a config that differs from the paper's, and the share of correct texts."""
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


def _right(info: "CheckpointInfo") -> str:
    share = _share_right(info.scores)
    return "–" if share is None else percent_text(share)


def _share_right(scores: Scores) -> float | None:
    right = scores.get("exact_match")
    return float(right) if isinstance(right, int | float) else None


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
