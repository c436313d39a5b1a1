"""The picture of the two heads that copy."""

from viz.pictures.component import picture
from viz.subjects.induction.wire import WireTrick

_trick = picture("trick", "subjects/induction/browser/trick.js")


def show_trick(data: WireTrick, *, key: str) -> None:
    """Show a text, and in the row that is chosen what either head reads."""
    _trick(key=key, data=data)
