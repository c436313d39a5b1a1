"""Patched cells as a standalone page."""

from collections.abc import Sequence

from jaxtyping import Float32
from numpy import ndarray

from texts import language
from viz.alone.build import Host, page_alone
from viz.subjects.mattered.wire import WireGrids, WirePatching

_HOST = Host(
    ("subjects/mattered/browser/standalone.js",),
    ("subjects/mattered/mattered.css",),
    '<div id="patching"></div>',
)


def patching_page(
    groups: Sequence[WireGrids],
    shares: Float32[ndarray, " cell"],
    *,
    most: float | None,
    title: str,
    note: str,
) -> str:
    """Write a page that shows grids of cells, each with the share that it restores.

    If `most` is given, each cell has instead the part of it by which it changes a number.
    """
    meta: WirePatching = {
        "groups": list(groups),
        "answer": "",
        "other": "",
        "most": most,
        "keeps": False,
    }
    sent = {"meta": meta}
    return page_alone(_HOST, (language(),), sent, {"shares": shares}, title=title, notes=(note,))
