"""The picture of Start: the sentence, the question, and the stages of its answer."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.start.wire import WireMove, WireStart

SENTENCE = "start_sentence"
"""Key of the picture."""

_start = picture("start", "subjects/start/browser/start.js", sends={"move": WireMove})


def show_start(data: WireStart, *, on_move: Callable[[], None]) -> None:
    """Show the question where the reader is; calls back when they have moved on."""
    _start(key=SENTENCE, data=data, on_move_change=on_move)
