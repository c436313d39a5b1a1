"""The map of a model for the site: its structure, and the names of each tensor's axes.

Its numbers come from the run that the browser makes.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, TypedDict

from texts import named
from viz.run.record import Run
from viz.run.tensors import PROBABILITIES, run_tensor_names
from viz.run.view import View
from viz.subjects.map.picture import map_payload
from viz.subjects.map.tensor import TensorView, tensor_view
from viz.subjects.map.wire import WireMap

Text = Literal["source", "read", "written"]
"""Texts that name rows or columns: the source, the target as it is read, and as it is written."""


class WireTensorAxes(TypedDict):
    """Tensors with the same axes."""

    names: list[str]
    rows: Text
    columns: Text | None
    """None if the columns are dimensions."""
    axes: tuple[str, str]
    titles: tuple[str, str]
    isProbability: bool


class WireSiteMap(WireMap):
    """A map, and the tensors that the browser can show in full."""

    tensors: list[WireTensorAxes]


def site_map(view: View) -> WireSiteMap:
    """Pack the map of a model in the current language, and the axes of its tensors."""
    packed: WireMap = map_payload(view.run, view.parcel)["meta"]
    return {**packed, "samples": {}, "tensors": list(_tensors(view.run))}


def _tensors(run: Run) -> Iterator[WireTensorAxes]:
    """Group the tensors that the browser's model computes, in the order of the run."""
    groups: dict[str, WireTensorAxes] = {}
    for name in run_tensor_names(run):
        tensor = None if name in ("output", PROBABILITIES) else tensor_view(run, name)
        if tensor is None:
            continue
        axes = _axes(run, tensor)
        groups.setdefault(repr(axes), {**axes, "names": []})["names"].append(name)
    yield from groups.values()


def _axes(run: Run, tensor: TensorView) -> WireTensorAxes:
    over_words = tensor.column_axis.endswith("vocab")
    rows, columns = (
        named("map.axis", axis) or axis for axis in (tensor.row_axis, tensor.column_axis)
    )
    return {
        "names": [],
        "rows": _text(run, tensor.row_tokens),
        "columns": None
        if over_words or tensor.column_tokens is None
        else _text(run, tensor.column_tokens),
        "axes": (tensor.row_axis, tensor.column_axis),
        "titles": (rows, columns),
        "isProbability": tensor.is_probability,
    }


def _text(run: Run, tokens: Sequence[str]) -> Text:
    """Return which text some tokens are. Raises ValueError if they are none of the run's."""
    texts: dict[Text, tuple[str, ...]] = {
        "source": run.texts["source"],
        "read": run.target_tokens[:-1],
        "written": run.target_tokens[1:],
    }
    for name, text in texts.items():
        if tuple(tokens) == tuple(text):
            return name
    raise ValueError("tokens must be those of a text of the run")
