"""The pictures of the hand: the model that the browser runs, and the board that is touched."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.touch.wire import WireHand, WireModel

HAND = "touch_hand"
"""Key of the board."""

_model = picture("touch_model", "subjects/touch/browser/touch_model.js")
_hand = picture("touch", "subjects/touch/browser/touch.js")


def send_model(data: WireModel) -> None:
    """Send the browser where the weights are; it fetches them once."""
    _model(key="touch_model", data=data)


def show_hand(data: WireHand, *, on_change: Callable[[], None]) -> None:
    """Show the board; calls back when something was changed by hand."""
    _hand(key=HAND, data=data, on_change_change=on_change)
