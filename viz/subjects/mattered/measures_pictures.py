"""The picture of what mattered for a token, in every measure, and the answer above it."""

from markupsafe import Markup

from viz.pictures.component import picture
from viz.pictures.tokens import escape
from viz.subjects.mattered.wire_measures import WireMattered

_measures = picture("mattered_measures", "subjects/mattered/browser/measures.js")


def answer(text: str) -> Markup:
    """Describe what a part of the page finds, so that it can be read from afar."""
    return Markup('<p class="loupe-answer measures-answer" dir="auto">{}</p>').format(escape(text))


def show_row(data: WireMattered) -> None:
    """Draw the measures of the token in view under one another; a click chooses another token."""
    _measures(key="mattered_measures", data=data)
