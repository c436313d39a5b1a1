"""A view of attention as one file that needs no server, with the arithmetic of its cells."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from model.traces import AttentionTrace
from model.transformer import Transformer
from texts import language
from viz.pictures.own_page import deflated
from viz.run.codes import encode_weights
from viz.run.record import (
    AttentionKind,
    Run,
    attention_name,
    attention_trace,
    layer_count,
)
from viz.run.selection import Selection
from viz.run.tensor_parcel import tolerance_of
from viz.run.view import View
from viz.run.wire import WireMeasures, WireRun, WireSelection, WireStack
from viz.subjects.attention import words
from viz.subjects.attention.cell.explain import output_projection, touched_lines
from viz.subjects.attention.standalone import page_bytes, standalone_page
from viz.subjects.attention.wire import WireCells, WireOldArray, WireOldAttention

MOST_WEIGHTS = 4_000_000
"""Weights of all heads together, two bytes each before they are deflated."""
MOST_CELLS = 2_000_000
"""Bytes of what the arithmetic of all cells needs; above it only one head has its arithmetic."""

_SHRUNK = 0.55
"""What deflating leaves of weights, about; and base64 makes three bytes four."""
_SHRUNK_FLOATS = 0.93


def estimate(view: View, selection: Selection) -> int | None:
    """Return how many bytes the file of a view has, about; None where it would be too large.

    From sizes alone: of a large run, layers are computed only when they are asked for.
    """
    stacks = _stacks_of(view)
    weights = sum(_weights(stack) for stack in stacks.values())
    if weights > MOST_WEIGHTS:
        return None
    floats = 4 * sum(_size(view, *place) for place in _included(view, selection))
    return round(page_bytes(language()) + (2 * weights * _SHRUNK + floats * _SHRUNK_FLOATS) * 4 / 3)


def offline_page(
    view: View, selection: Selection, measures: WireMeasures, said: Mapping[str, object]
) -> bytes:
    """Write a view as a page of HTML.

    Args:
        view: The run in view.
        selection: The head and the cell with which the page begins.
        measures: What every head does.
        said: Where all of it comes from; it stands in the page, and at its foot.
    """
    run, key = view.run, view.parcel.key
    meta: WireRun = view.parcel.said["meta"]
    wire: WireRun = {**meta, "kinds": _stacks(meta)}
    codes = [_codes(run, kind) for kind in run.anatomy.names]
    page = standalone_page(
        wire,
        np.concatenate(codes),
        measures,
        _wire(selection, key),
        title=words.offline_title(run.source_text),
        notes=words.offline_notes(said),
        cells=_cells(view, selection),
        said=said,
    )
    return page.encode()


class _Place(NamedTuple):
    kind: AttentionKind
    layer: int
    heads: tuple[int, ...]


def _included(view: View, selection: Selection) -> tuple[_Place, ...]:
    """Return the heads whose cells the page computes: all, or the selected one of many."""
    found = tuple(
        _Place(kind, layer, tuple(range(stack["heads"])))
        for kind, stack in _stacks_of(view).items()
        for layer in range(stack["layers"])
    )
    if 4 * sum(_size(view, *place) for place in found) <= MOST_CELLS:
        return found
    return (_Place(selection.kind, selection.layer, (selection.head,)),)


def _stacks_of(view: View) -> dict[AttentionKind, WireStack]:
    meta: WireRun = view.parcel.data["meta"]
    return meta["kinds"]


def _weights(stack: WireStack) -> int:
    return stack["layers"] * stack["heads"] * stack["rows"] * stack["columns"]


def _size(view: View, kind: AttentionKind, _layer: int, heads: tuple[int, ...]) -> int:
    """Count the numbers that the cells of some heads of one attention are computed from."""
    config, stack = view.run.info.config, _stacks_of(view)[kind]
    queries, keys, n_heads = stack["rows"], stack["columns"], stack["heads"]
    own = queries * config.d_k + keys * (config.d_k + config.d_v) + 2 * queries * keys
    mixes = n_heads * config.d_v
    return len(heads) * own + queries * (mixes + config.d_model + keys) + config.d_model * mixes


def _path(kind: AttentionKind, layer: int) -> str:
    return attention_name(kind, layer).removesuffix(".weights")


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


def _stacks(meta: WireRun) -> dict[AttentionKind, WireStack]:
    """Return where each kind's weights lie, all at full size."""
    stacks: dict[AttentionKind, WireStack] = {}
    offset = 0
    for kind, stack in meta["kinds"].items():
        rows, columns = stack["rows"], stack["columns"]
        stacks[kind] = {**stack, "drawn": [rows, columns], "offset": offset}
        offset += stack["layers"] * stack["heads"] * rows * columns
    return stacks


def _codes(run: Run, kind: AttentionKind) -> np.ndarray:
    layers = []
    for layer in range(layer_count(run.info.config, kind)):
        trace = attention_trace(run, kind, layer)
        layers.append(encode_weights(trace.weights[0].numpy(), _mask(trace)).ravel())
    return np.concatenate(layers)


def _mask(trace: AttentionTrace) -> np.ndarray:
    return trace.mask[0].expand(trace.weights.shape[-2:]).numpy()


def _cells(view: View, selection: Selection) -> WireCells:
    """Pack what the cells are computed from."""
    run = view.run
    numbers = _Numbers()
    attentions = [_attention(view, place, numbers) for place in _included(view, selection)]
    return {
        "attentions": attentions,
        "numbers": numbers.packed(),
        "fill": repr(run.info.config.mask_fill).replace("inf", "Infinity"),
        "tolerance": tolerance_of(run),
    }


def _attention(view: View, place: _Place, numbers: "_Numbers") -> WireOldAttention:
    run = view.run
    trace = attention_trace(run, place.kind, place.layer)
    heads = list(place.heads)
    read = sorted({trace.key_head(head) for head in heads})
    path = _path(place.kind, place.layer)
    model = parameters_of(view)
    weight, bias = output_projection(run, model, path) if model else (None, None)
    packed: WireOldAttention = {
        "kind": place.kind,
        "layer": place.layer,
        "name": path,
        "heads": heads,
        "keyHeads": [trace.key_head(head) for head in range(trace.weights.size(1))],
        "read": read,
        "scale": trace.scale,
        "softcap": trace.softcap,
        "edited": trace.edited_scores is not None,
        "changed": list(touched_lines(run, path)),
        "sinks": run.anatomy.site(place.kind).sinks,
        "query": numbers.put(trace.query[0, heads].numpy()),
        "key": numbers.put(trace.key[0, read].numpy()),
        "value": numbers.put(trace.value[0, read].numpy()),
        "scores": numbers.put(trace.scores[0, heads].numpy()),
        "weights": numbers.put(trace.weights[0, heads].numpy()),
        "mask": numbers.put(_mask(trace)),
        "mixes": numbers.put(trace.heads[0].numpy()),
        "output": numbers.put(trace.output[0].numpy()),
        "projection": None if weight is None else numbers.put(weight),
        "bias": None if bias is None else numbers.put(bias),
        "added": None if trace.bias is None else numbers.put(trace.bias[0, heads].numpy()),
    }
    return packed


def parameters_of(view: View) -> Transformer | None:
    """Return the model for its parameters; None of one that gives none."""
    return None if view.run.anatomy.is_recorded else view.model


class _Numbers:
    """Arrays one after the other, as float32."""

    def __init__(self) -> None:
        self._parts: list[Float32[np.ndarray, " size"]] = []
        self._length = 0

    def put(self, values: np.ndarray) -> WireOldArray:
        """Add an array; give where it lies."""
        flat = np.asarray(values, dtype="<f4").ravel()
        at, self._length = self._length, self._length + flat.size
        self._parts.append(flat)
        return {"at": at, "shape": list(values.shape)}

    def packed(self) -> str:
        """Return all of them, deflated, in base64."""
        return deflated(np.concatenate(self._parts).tobytes())
