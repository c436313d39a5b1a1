"""What was measured about positions, as tables of HTML."""

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from texts import say
from viz.pictures.html_table import Cell, table
from viz.pictures.numbers import column_texts, number_text, percent_text
from viz.pictures.tokens import escape
from viz.run.encodings import STILL_OVER
from viz.subjects.positions.summary import Summary
from viz.subjects.positions.words import labels


def summaries_table(summaries: Iterable[Summary], chosen: str) -> Markup:
    """Set encodings of one size beside each other, the chosen kind lit."""
    rows = [
        (
            _name(labels.kind_name(s.kind), s.kind == chosen),
            say("positions.no_wave")
            if s.longest_wave is None
            else labels.wavelength(s.longest_wave),
            f"{s.still}",
            _coincidence(s),
            _mark(s.rotates, s.alike, say("positions.nothing_to_turn")),
            _mark(s.by_offset, s.alike, say("positions.all_zeros")),
        )
        for s in summaries
    ]
    header = (
        "",
        say("positions.summary_wave"),
        say("positions.summary_still", positions=STILL_OVER),
        say("positions.summary_near", positions=labels.FAR),
        say("positions.summary_rotation"),
        say("positions.summary_offset"),
    )
    return table(header, rows, numeric=(1, 2))


def rerun_table(rows: Sequence[tuple[str, float, int, int]], *, of_target: bool = True) -> Markup:
    """Compare runs: name, loss, how many tokens the model itself put first, and of how many.

    Args:
        rows: One for each run.
        of_target: Whether these are tokens of a target, rather than of the only text.
    """
    losses = column_texts(loss for _, loss, *_ in rows)
    shown = [
        (name, loss, say("positions.first_of", first=first, count=count))
        for (name, _, first, count), loss in zip(rows, losses, strict=True)
    ]
    first = say("positions.first_of_target_column" if of_target else "positions.first_column")
    return table(("", say("positions.loss_column"), first), shown, numeric=(1, 2))


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
        return escape(say("positions.no_words"))
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
            _name(say("positions.this_model", name=name) if runs else name, runs),
            number_text(embedding),
            number_text(encoding),
            say("positions.no_encoding") if math.isinf(ratio) else number_text(ratio),
        )
        for name, embedding, encoding, ratio, runs in rows
    ]
    header = (
        "",
        say("positions.ratio_embedding"),
        say("positions.ratio_encoding"),
        say("positions.ratio"),
    )
    return table(header, shown, numeric=(1, 2, 3))


def _coincidence(summary: Summary) -> str:
    if summary.alike:
        return say("positions.alike_all")
    if summary.nearest is None:
        return say("positions.alike_none")
    nearest = summary.nearest
    return say("positions.alike_nearest", shift=nearest.shift, share=percent_text(nearest.part))


def _mark(holds: bool, nothing: bool, else_words: str) -> str:
    if nothing:
        return else_words
    return say("positions.yes" if holds else "positions.no")


def _name(name: str, chosen: bool) -> Cell:
    return Cell(name, "positions-chosen" if chosen else "")
