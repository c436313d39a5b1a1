"""The picture of two runs: which heads changed, and one head in both."""

from viz.pictures.component import picture
from viz.subjects.compare.wire import WireComparison

_compared = picture("compared", "subjects/compare/browser/compared.js")


def show_changes(data: WireComparison) -> None:
    """List the heads by how much they changed, and draw the selected one in both runs."""
    _compared(key="compare_changes", data=data)
