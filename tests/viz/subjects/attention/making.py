"""Makes cells with the browser's code from the data that it receives of a run."""

import base64
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from model.transformer import Transformer
from tests.node import told_by
from viz.run.axes import AttentionKind, attention_trace, layer_count
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.tensor_parcel import TensorParcel, pack_heads
from viz.run.view import View

_SCRIPT = Path(__file__).with_name("make_cells.js")
LINES = (
    "query",
    "key",
    "dot product",
    "score",
    "masked score",
    "exponentials",
    "denominator",
    "weights",
    "value",
    "weighted value",
    "mix",
    "contribution",
    "output",
)


class Place(NamedTuple):
    kind: AttentionKind
    layer: int
    head: int
    query: int
    key: int


Cell = dict[str, Any]
"""A cell, with the field names of `Cell` in types.d.ts; lists of numbers are arrays."""


def made(
    run: Run,
    places: Iterable[Place],
    parcels: Sequence[TensorParcel],
    *,
    checkpoint: Path | None = None,
    inputs: dict[str, Any] | None = None,
    heads: int | None = None,
) -> list[Cell]:
    """Make cells of a run from parcels, in a browser that has the model if a checkpoint is given.

    With `inputs`, the browser also runs the model. `heads` overrides the number of heads per layer.
    """
    meta = pack_run(run, "run").said["meta"]
    if heads:
        for stack in meta["kinds"].values():
            stack["heads"] = heads
    asked = {
        "run": {"kinds": meta["kinds"], "tokens": meta["tokens"]},
        "parcels": [
            {
                "head": "",
                "said": parcel.said,
                "numbers": base64.b64encode(parcel.numbers["number"].to_numpy()).decode(),
            }
            for parcel in parcels
        ],
        "checkpoint": str(checkpoint) if checkpoint else None,
        "inputs": inputs,
        "places": [place._asdict() for place in places],
    }
    return [_read(cell) for cell in told_by(_SCRIPT, asked)]


def made_of_heads(run: Run, model: Transformer | None, places: Sequence[Place]) -> list[Cell]:
    """Make cells from the tensors of the heads that they belong to."""
    heads = list(dict.fromkeys((place.kind, place.layer, place.head) for place in places))
    return made(run, places, [pack_heads(run, model, heads)])


def made_cell(run: Run, model: Transformer | None, *place: Any) -> Cell:
    (cell,) = made_of_heads(run, model, [Place(*place)])
    return cell


def off(cell: Cell) -> list[str]:
    """Name the lines that differ from their recomputation by more than the tolerance."""
    tolerance = cell["tolerance"]
    pairs = zip(LINES, cell["lines"], strict=True)
    return [name for name, apart in pairs if not (np.isnan(apart) or apart <= tolerance)]


def places_of(run: Run) -> list[Place]:
    """Choose three corners and the middle of each head; a causal mask hides one of the corners."""
    found = []
    for kind in run.anatomy.names:
        for layer in range(layer_count(run.info.config, kind)):
            _, heads, rows, columns = attention_trace(run, kind, layer).weights.shape
            cells = {
                (0, 0),
                (0, columns - 1),
                (rows - 1, columns - 1),
                (rows // 2, columns // 2),
            }
            found += [Place(kind, layer, h, *cell) for h in range(heads) for cell in sorted(cells)]
    return found


def view_of(checkpoint: Checkpoint, text: str, *changes: Intervention) -> View:
    run = make_run(checkpoint, text, interventions=changes)
    inputs = Inputs("tiny", text, "", "cpu", changes)
    return View(inputs, run, pack_run(run, "key"), checkpoint)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _read(part) for name, part in value.items()}
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, list):
        parts = [_read(part) for part in value]
        is_numeric = all(type(part) in (int, float) for part in parts)
        return np.array(parts) if parts and is_numeric else parts
    return value
