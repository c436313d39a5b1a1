"""Draws the effects of a model's parts on a number, as one HTML page."""

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from texts import say
from viz.subjects.mattered.part_names import stage_name
from viz.subjects.mattered.standalone import patching_page
from viz.subjects.mattered.wire import WireGrid

_PART = re.compile(
    r"(?P<of>.+?)(\.heads\[(?P<head>\d+)\]|[._](?P<norm>norm)\.bias|(\.output)?\.bias)"
)
_SUBLAYER = re.compile(
    r"(?P<layer>\w+\.layers\.\d+)\.(?P<of>self_attn|cross_attn|feed_forward)(\.heads|\.weights|\.output)?"
)
_STAGE = re.compile(r"\w+_embedding\.output|\w+\.layers\.\d+\.(after_\w+|output)")


def page_of_effects(
    values: Float[Tensor, "*axes"],
    axes: Sequence[str],
    labels: Sequence[tuple[str, ...]],
    shares: Callable[[], Tensor],
    *,
    heading: str,
    note: str,
) -> str:
    """Write effects, with their axes and labels, as a self-contained HTML page.

    Patched parts are drawn as shares, with a grid for the layers of each kind of attention. Other
    effects are drawn as values, scaled so that the largest has the full colour. Raises ValueError
    if no value is a number.
    """
    names, columns, values = _as_grid(values, axes, labels)
    finite = values[values.isfinite()]
    if not len(finite) or not finite.any():
        raise ValueError("a picture needs at least one value other than 0")
    of_shares = axes[0] in ("state", "attention")
    most = None if of_shares else float(finite.abs().max())
    drawn = shares() if most is None else values / most
    kinds: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        kinds.setdefault(_kind(axes[0], name), []).append(row)
    grids: list[WireGrid] = []
    order: list[int] = []
    for kind, rows in kinds.items():
        said = [_row_name(names[row]) for row in rows]
        offset = len(order) * len(columns)
        title = kind or " x ".join(axes)
        grids.append({"title": title, "rows": said, "columns": list(columns), "offset": offset})
        order += rows
    return patching_page(
        [{"heading": heading, "note": "", "grids": grids}],
        np.ascontiguousarray(drawn[order], dtype=np.float32).ravel(),
        most=most,
        title="Loupe",
        note=note,
    )


def _as_grid(
    values: Float[Tensor, "*axes"], axes: Sequence[str], labels: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...], Float[Tensor, "row c"]]:
    """Lay parts out in rows; a sum has a column for each head, and one for biases."""
    if len(axes) == 2:
        rows, heads = labels
        return rows, heads, values
    places = [_place(name) for name in labels[0]]
    names = tuple(dict.fromkeys(of for of, _ in places))
    columns = sorted({column for _, column in places}, key=lambda c: (not c.isdecimal(), len(c), c))
    sums = torch.full((len(names), len(columns)), math.nan)
    for (of, column), value in zip(places, values, strict=True):
        place = names.index(of), columns.index(column)
        sums[place] = sums[place].nan_to_num() + value
    return names, tuple(columns), sums


def _place(part: str) -> tuple[str, str]:
    """Return the row and the column of a part of a sum."""
    match = _PART.fullmatch(part)
    if not match:
        return part.removesuffix(".output"), say("mattered.all")
    return match["of"], match["head"] or match["norm"] or "bias"


def _kind(axis: str, name: str) -> str:
    """Name the grid that a row belongs to; the parts of a sum, or states, share one."""
    if axis in ("attention", "sender"):
        return re.sub(r"layers\.\d+\.", "", name)
    return name.partition(".")[0] if axis == "sublayer" else ""


def _row_name(name: str) -> str:
    """Name a row as the app does, which names a sublayer after the state that it adds to."""
    if match := _SUBLAYER.fullmatch(name):
        of = match["of"]
        name = f"{match['layer']}.{'output' if of == 'feed_forward' else f'after_{of}'}"
    return stage_name(name) if _STAGE.fullmatch(name) else name.rpartition(".")[2]
