"""The pictures of the page of the lessons: the list, the field for a file."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.lessons.wire import WireBring, WireLessons

LIST, FILE = "lesson_list", "lesson_file"
"""Their keys."""

_list = picture("lesson_list", "subjects/lessons/browser/learn.js")
_file = picture("bring_lesson", "subjects/lessons/browser/bring.js")


def show_list(data: WireLessons, *, on_open: Callable[[], None]) -> None:
    """Show all lessons, with what this browser knows of them."""
    _list(key=LIST, data=data, on_open_change=on_open)


def show_field(data: WireBring, *, on_file: Callable[[], None]) -> None:
    """Let a file be chosen, which comes as text."""
    _file(key=FILE, data=data, on_file_change=on_file)
