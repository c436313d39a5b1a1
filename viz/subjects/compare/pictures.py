"""The pictures of two runs: which heads changed, one head in both, which words are pairs."""

from collections.abc import Callable

from viz.pictures.component import picture
from viz.subjects.compare.wire import WireComparison, WirePairs

CHANGES = "compare_changes"

_compared = picture("compared", "subjects/compare/browser/compared.js")
_pairs = picture("token_pairs", "subjects/compare/browser/pairs.js")


def show_changes(
    data: WireComparison, *, on_order: Callable[[], None], on_view: Callable[[], None]
) -> None:
    """List the heads by how much they changed, and draw the selected one in both runs.

    Calls back when they are sorted or shown in another way.
    """
    _compared(key=CHANGES, data=data, on_order_change=on_order, on_view_change=on_view)


def show_pairs(data: WirePairs, *, on_pair: Callable[[], None]) -> None:
    """Draw two texts with lines between the tokens that are pairs; calls back on another pair."""
    _pairs(key=pairs_key(data), data=data, on_pair_change=on_pair)


def pairs_key(data: WirePairs) -> str:
    """Name the picture of one side's pairs."""
    return f"compare_pairs_{data['side']}"
