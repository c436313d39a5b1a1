"""What was measured about positions, as tables of HTML."""

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from viz.pictures.html_table import Cell, table
from viz.pictures.numbers import column_texts, number_text, percent_text
from viz.pictures.tokens import escape
from viz.subjects.positions.summary import Summary
from viz.subjects.positions.words import labels


def summaries_table(summaries: Iterable[Summary], chosen: str) -> Markup:
    """Set encodings of one size beside each other, the chosen kind lit."""
    rows = [
        (
            _name(labels.NAMES[s.kind], s.kind == chosen),
            "no wave" if s.longest_wave is None else labels.wavelength(s.longest_wave),
            f"{s.still}",
            _coincidence(s),
            _mark(s.rotates, s.alike, "nothing to turn"),
            _mark(s.by_offset, s.alike, "all are 0"),
        )
        for s in summaries
    ]
    return table(labels.SUMMARY_HEADER, rows, numeric=(1, 2))


def rerun_table(
    rows: Sequence[tuple[str, float, int, int]],
    header: tuple[str, ...] = labels.RERUN_HEADER,
) -> Markup:
    """Compare runs: name, loss, how many tokens the model itself put first, and of how many."""
    losses = column_texts(loss for _, loss, *_ in rows)
    shown = [
        (name, loss, f"{first} of {count}")
        for (name, _, first, count), loss in zip(rows, losses, strict=True)
    ]
    return table(header, shown, numeric=(1, 2))


def written(rows: Sequence[tuple[str, str, Sequence[str]]]) -> Markup:
    """Set what two runs write below each other: a name, a text, and its words to be marked."""
    shown = Markup().join(
        Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(escape(name), _marked(text, marked))
        for name, text, marked in rows
    )
    return Markup('<dl class="positions-written">{}</dl>').format(shown)


def _marked(text: str, marked: Sequence[str]) -> Markup:
    """Mark the words of a text that another text lacks."""
    if not text:
        return escape(labels.NO_WORDS)
    others = list(marked)
    parts = [
        Markup("<mark>{}</mark>").format(escape(word)) if word in others else escape(word)
        for word in text.split()
    ]
    return Markup(" ").join(parts)


def ratios_table(rows: Sequence[tuple[str, float, float, float, bool]]) -> Markup:
    """Compare lengths with the scale on and off: words, embedding, encoding, ratio, if it runs."""
    shown = [
        (
            _name(f"{name}{' (this model)' if runs else ''}", runs),
            number_text(embedding),
            number_text(encoding),
            "no encoding" if math.isinf(ratio) else number_text(ratio),
        )
        for name, embedding, encoding, ratio, runs in rows
    ]
    return table(labels.RATIO_HEADER, shown, numeric=(1, 2, 3))


def _coincidence(summary: Summary) -> str:
    if summary.alike:
        return "all positions alike"
    if summary.nearest is None:
        return "none"
    return f"{summary.nearest.shift} apart: {percent_text(summary.nearest.part)} of a length"


def _mark(holds: bool, nothing: bool, else_words: str) -> str:
    if nothing:
        return else_words
    return "✓ yes" if holds else "✗ no"


def _name(name: str, chosen: bool) -> Cell:
    return Cell(name, "positions-chosen" if chosen else "")
