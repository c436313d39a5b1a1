"""A view of attention as one file that needs no server and can compute the numbers of cells."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from texts import language
from viz.address.selection import Selection
from viz.heads.wire import WireMeasures
from viz.run.axes import AttentionKind, attention_trace, layer_count
from viz.run.record import Run
from viz.run.tensor_parcel import pack_heads
from viz.run.view import View
from viz.run.wire import WireRun, WireSelection, WireStack
from viz.subjects.attention import words
from viz.subjects.attention.standalone import Layer, page_bytes, standalone_page

MOST_WEIGHTS = 4_000_000
"""The largest number of weights of all heads, at two bytes each before compression."""
MOST_CELLS = 3_000_000
"""The largest size in bytes of the data for the arithmetic of all cells. Above it, the file has
those of one head."""

_SHRUNK = 0.55
"""The approximate share of weights that compression leaves; base64 makes four bytes of three."""
_SHRUNK_FLOATS = 0.8


def estimate(view: View, selection: Selection) -> int | None:
    """Return about how many bytes the file of a view has; None if it would be too large.

    This uses only sizes, because the layers of a large run are computed when they are needed.
    """
    stacks = _stacks_of(view)
    weights = sum(_weights(stack) for stack in stacks.values())
    if weights > MOST_WEIGHTS:
        return None
    numbers = _count(view, _included(view, selection))
    packed = 2 * weights * _SHRUNK + 4 * numbers * _SHRUNK_FLOATS
    return round(page_bytes(language()) + packed * 4 / 3)


def offline_page(
    view: View, selection: Selection, measures: WireMeasures, said: Mapping[str, object]
) -> bytes:
    """Write a view as an HTML page.

    Args:
        view: The run in view.
        selection: The head and the cell that the page first shows.
        measures: The measures of every head.
        said: The origin of the data, shown at the foot of the page.
    """
    run = view.run
    meta: WireRun = view.parcel.said["meta"]
    model = None if run.anatomy.is_recorded else view.model
    packed = pack_heads(run, model, _included(view, selection))
    page = standalone_page(
        {**meta, "tensors": packed.said},
        _layers(run),
        measures,
        _wire(selection, view.parcel.key),
        title=words.offline_title(run.source_text),
        notes=words.offline_notes(said),
        numbers=packed.numbers["number"].to_numpy(),
        said=said,
    )
    return page.encode()


class _Place(NamedTuple):
    kind: AttentionKind
    layer: int
    head: int


def _included(view: View, selection: Selection) -> list[_Place]:
    """Return the heads whose cells the page computes: all, or only the selected one."""
    places = [
        _Place(kind, layer, head)
        for kind, stack in _stacks_of(view).items()
        for layer in range(stack["layers"])
        for head in range(stack["heads"])
    ]
    if 4 * _count(view, places) <= MOST_CELLS:
        return places
    return [_Place(selection.kind, selection.layer, selection.head)]


def _count(view: View, places: Sequence[_Place]) -> int:
    """Count the numbers from which the cells of some heads are computed, as `pack_heads` does."""
    config, has_parameters = view.run.info.config, not view.run.anatomy.is_recorded
    width, sizes = config.d_model, config.d_k + config.d_v
    count = 0
    for kind, stack in _stacks_of(view).items():
        rows, columns = stack["rows"], stack["columns"]
        of_head = (rows + columns) * sizes + 2 * rows * columns
        of_layer = rows * columns + rows * width  # the mask and the output
        if has_parameters:
            of_head += 2 * sizes * width + rows * width
            of_layer += rows * width + rows * stack["heads"]
        here = [place for place in places if place.kind == kind]
        count += len(here) * of_head + len({place.layer for place in here}) * of_layer
    return count


def _stacks_of(view: View) -> dict[AttentionKind, WireStack]:
    meta: WireRun = view.parcel.data["meta"]
    return meta["kinds"]


def _weights(stack: WireStack) -> int:
    return stack["layers"] * stack["heads"] * stack["rows"] * stack["columns"]


def _wire(selection: Selection, key: str) -> WireSelection:
    return {
        "run": key,
        "kind": selection.kind,
        "layer": selection.layer,
        "head": selection.head,
        "query": selection.query,
        "key": selection.key,
        "step": selection.step,
    }


def _layers(run: Run) -> Iterator[Layer]:
    for kind in run.anatomy.names:
        for layer in range(layer_count(run.info.config, kind)):
            trace = attention_trace(run, kind, layer)
            mask = trace.mask[0].expand(trace.weights.shape[-2:])
            yield trace.weights[0].numpy(), mask.numpy()
