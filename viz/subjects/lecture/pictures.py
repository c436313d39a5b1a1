"""The list of slides, which lives in the browser."""

from viz.pictures.component import picture
from viz.subjects.lecture.wire import WireLecture

_lecture = picture("lecture", "subjects/lecture/browser/lecture.js")


def show_lecture(data: WireLecture, *, key: str) -> None:
    """Show the slides of this browser's deck, and what can be done with them."""
    _lecture(key=key, data=data)
