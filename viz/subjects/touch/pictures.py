"""The board of Touch, on which lines are pulled."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.touch.wire import WireHand, WireHandDid

HAND = "touch_hand"
"""The key of the board."""

_hand = picture("touch", "subjects/touch/browser/touch.js", sends={"change": WireHandDid})


def show_hand(data: WireHand, *, on_change: Callable[[], None]) -> None:
    """Show the board; it calls back when the reader changes something."""
    _hand(key=HAND, data=data, on_change_change=on_change)
