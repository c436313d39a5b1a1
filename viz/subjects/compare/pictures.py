"""The picture of two runs: which heads changed, and one head in both."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.compare.wire import WireComparison

CHANGES = "compare_changes"

_compared = picture("compared", "subjects/compare/browser/compared.js")


def show_changes(data: WireComparison, *, on_order: Callable[[], None]) -> None:
    """List the heads by how much they changed, and draw the selected one in both runs.

    Calls back when they are sorted in another way.
    """
    _compared(key=CHANGES, data=data, on_order_change=on_order)
