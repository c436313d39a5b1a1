"""Matrices side by side in the browser; they share the hovered cell, and each has a title."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np
import pyarrow as pa
from jaxtyping import Bool, Float

from viz.pictures.component import picture

_panels = picture("panels", "pictures/browser/panels.js")


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """One matrix, with the meaning of its rows and columns."""

    title: str
    values: Float[np.ndarray, "row column"]
    """Shown unchanged; values that are not finite have no colour."""
    scale: Literal["weights", "signed", "mask"]
    """weights: from 0 to 1. signed: around 0, up to the largest magnitude in the panel. mask: 1 if
    the query may read, else 0."""
    code: str = ""
    """Name in the trace, or a formula."""
    note: str = ""
    group: str = ""
    """Panels of one group share the hovered cell; a kind of attention is also a group."""
    axes: tuple[str, str] = ("query", "key")
    """The units of rows and columns; panels of a group are linked by equal names."""
    row_tokens: Sequence[str] | None = None
    column_tokens: Sequence[str] | None = None
    row_title: str = ""
    column_title: str = ""
    masked: Bool[np.ndarray, "row column"] | None = None
    """True for hatched cells."""
    marks: Sequence[tuple[int, int]] = ()
    """Cells outlined as wrong."""
    first: tuple[int, int] = (0, 0)
    """First query and key of a window in a larger matrix."""
    reach: float = 0.0
    """Least magnitude at the ends of a signed scale, even if all values are smaller."""


class WirePanel(TypedDict):
    """A panel as the browser reads it; its numbers begin at `offset` in those of all panels."""

    title: str
    code: str
    note: str
    scale: Literal["weights", "signed", "mask"]
    largest: float
    group: str
    axes: tuple[str, str]
    rows: int
    columns: int
    rowTokens: Sequence[str] | None
    columnTokens: Sequence[str] | None
    rowTitle: str
    columnTitle: str
    offset: int
    masked: int | None
    marks: Sequence[tuple[int, int]]
    first: tuple[int, int]
    selects: bool


class WirePanels(TypedDict):
    """Panels, with their sizes in pixels."""

    panels: list[WirePanel]
    selects: bool
    width: int
    height: int
    cell: int


def show_panels(
    panels: Sequence[Panel],
    *,
    key: str,
    width: int = 250,
    height: int = 300,
    cell: int = 22,
    selects: bool = False,
) -> None:
    """Show panels in as many rows as the page needs, each about `width` by at most `height` pixels.

    With `selects`, the selected query and key are outlined, and a click selects them.
    """
    data = pack_panels(panels, selects=selects, width=width, height=height, cell=cell)
    _panels(key=key, data=data)


def pack_panels(
    panels: Sequence[Panel], *, selects: bool, width: int = 250, height: int = 300, cell: int = 22
) -> dict[str, Any]:
    """Pack the words as plain values, and the numbers as float32, one matrix after the other."""
    meta: WirePanels = {
        "panels": _packed(panels, selects),
        "selects": selects,
        "width": width,
        "height": height,
        "cell": cell,
    }
    values = np.concatenate([np.asarray(p.values, dtype=np.float32).ravel() for p in panels])
    data: dict[str, Any] = {"meta": meta, "values": pa.table({"value": values})}
    masks = [panel.masked.ravel() for panel in panels if panel.masked is not None]
    if masks:
        data["masks"] = pa.table({"masked": np.concatenate(masks).astype(np.uint8)})
    return data


def _packed(panels: Sequence[Panel], selects: bool) -> list[WirePanel]:
    packed: list[WirePanel] = []
    offset = masked = 0
    for panel in panels:
        rows, columns = panel.values.shape
        finite = panel.values[np.isfinite(panel.values)]
        if panel.masked is not None and panel.scale == "signed":
            finite = panel.values[np.isfinite(panel.values) & ~panel.masked]
        packed.append(
            {
                "title": panel.title,
                "code": panel.code,
                "note": panel.note,
                "scale": panel.scale,
                "largest": float(np.abs(finite).max(initial=panel.reach)),
                "group": panel.group,
                "axes": panel.axes,
                "rows": rows,
                "columns": columns,
                "rowTokens": panel.row_tokens,
                "columnTokens": panel.column_tokens,
                "rowTitle": panel.row_title,
                "columnTitle": panel.column_title,
                "offset": offset,
                "masked": masked if panel.masked is not None else None,
                "marks": panel.marks,
                "first": panel.first,
                "selects": selects,
            }
        )
        offset += rows * columns
        masked += rows * columns if panel.masked is not None else 0
    return packed
