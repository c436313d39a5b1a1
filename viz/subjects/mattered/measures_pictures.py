"""The picture of what mattered for a token, in every measure, and the answer above it."""

from collections.abc import Iterable

from markupsafe import Markup

from viz.pictures.component import picture
from viz.pictures.tokens import escape, joined
from viz.subjects.mattered.wire_measures import WireMattered

_measures = picture("mattered_measures", "subjects/mattered/browser/measures.js")


def answer(text: str) -> Markup:
    """Describe what a part of the page finds, so that it can be read from afar."""
    return Markup('<p class="loupe-answer measures-answer" dir="auto">{}</p>').format(escape(text))


def statements(texts: Iterable[str]) -> Markup:
    """List what is known, one sentence or two below each other."""
    items = (Markup("<li>{}</li>").format(escape(text)) for text in texts)
    return Markup('<ul class="measures-worth">{}</ul>').format(joined(items))


def show_row(data: WireMattered) -> None:
    """Draw the measures of the token in view under one another; a click chooses another token."""
    _measures(key="mattered_measures", data=data)
