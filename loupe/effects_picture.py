"""Patched parts as a page that draws itself."""

import re
from typing import TYPE_CHECKING

import numpy as np

from viz.subjects.mattered.packing import stage_name
from viz.subjects.mattered.standalone import patching_page
from viz.subjects.mattered.wire import WireGrid

if TYPE_CHECKING:
    from loupe.effects import Effects


def page_of_effects(effects: "Effects") -> str:
    """Write what was patched as a page of HTML that needs nothing but itself.

    The layers of one kind of attention are a grid. Raises ValueError where shares are not known.
    """
    if len(effects.axes) != 2:
        raise ValueError(f"a grid has two axes, got {len(effects.axes)}")
    shares = effects.shares.numpy()
    names, columns = effects.labels
    kinds: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        kind = "" if effects.axes[0] == "state" else re.sub(r"layers\.\d+\.", "", name)
        kinds.setdefault(kind, []).append(row)
    grids: list[WireGrid] = []
    order: list[int] = []
    for kind, rows in kinds.items():
        said = [_row_name(names[row]) for row in rows]
        offset = len(order) * len(columns)
        title = kind or " x ".join(effects.axes)
        grids.append({"title": title, "rows": said, "columns": list(columns), "offset": offset})
        order += rows
    heading = f"{effects.before:.4g} → {effects.goal:.4g}"
    return patching_page(
        [{"heading": heading, "note": "", "grids": grids}],
        np.ascontiguousarray(shares[order], dtype=np.float32).ravel(),
        title="Loupe",
        note=repr(effects).partition("\n")[0],
    )


def _row_name(name: str) -> str:
    """Name a row as the app does: an attention after what it adds to."""
    return stage_name(re.sub(r"\.(\w+)\.(heads|weights)$", r".after_\1", name))
