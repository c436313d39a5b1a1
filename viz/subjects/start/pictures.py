"""The picture of Start: the sentence, the question, and the stages of its answer."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.start.wire import WireHeadAsked, WireMove, WireStart

SENTENCE = "start_sentence"
"""Key of the picture."""

_start = picture(
    "start", "subjects/start/browser/start.js", sends={"move": WireMove, "head": WireHeadAsked}
)


def show_start(
    data: WireStart, *, on_move: Callable[[], None], on_head: Callable[[], None]
) -> None:
    """Show the question where the reader is.

    Calls back when they have moved on, and when the browser lacks something of a head.
    """
    _start(key=SENTENCE, data=data, on_move_change=on_move, on_head_change=on_head)
