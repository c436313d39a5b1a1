"""What was measured about positions, as tables of HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say
from viz.pictures.html_table import table
from viz.pictures.numbers import column_texts
from viz.pictures.tokens import escape


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
