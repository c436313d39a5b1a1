"""What two runs write, as HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say
from viz.pictures.tokens import escape


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
