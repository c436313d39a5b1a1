"""The picture of Start: the sentence, the question, and the stages of its answer."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.start.wire import WireHeadAsked, WireMove, WireStart

SENTENCE = "start_sentence"
"""The key of the picture."""

_start = picture(
    "start", "subjects/start/browser/start.js", sends={"move": WireMove, "head": WireHeadAsked}
)


def show_start(
    data: WireStart, *, on_move: Callable[[], None], on_head: Callable[[], None]
) -> None:
    """Show the question at the reader's place.

    It calls back when the reader moves, and when the browser needs data about a head.
    """
    _start(key=SENTENCE, data=data, on_move_change=on_move, on_head_change=on_head)
