"""The picture of what mattered for a token, in every measure."""

from viz.pictures.component import picture
from viz.subjects.mattered.wire_measures import WireMattered

_measures = picture("mattered_measures", "subjects/mattered/browser/measures.js")


def show_row(data: WireMattered) -> None:
    """Draw the measures of the token in view under one another; a click chooses another token."""
    _measures(key="mattered_measures", data=data)
