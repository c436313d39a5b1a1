"""Sends a packed run to the browser once, for every picture of the page to draw from."""

from typing import TYPE_CHECKING

import pyarrow as pa

from viz.pictures.component import picture
from viz.run.axes import AttentionKind, attention_trace
from viz.run.codes import encode_weights
from viz.run.wire import WireHead, WireHeadTensors

if TYPE_CHECKING:
    from viz.run.payload import Payload
    from viz.run.record import Run
    from viz.run.tensor_parcel import TensorParcel

_send_run = picture("run", "pictures/browser/run.js")
_send_head = picture("whole_head", "pictures/browser/run.js")
_send_tensors = picture("head_tensors", "pictures/browser/run.js")


def send_run(parcel: "Payload", *, place: str = "run") -> None:
    """Send a packed run; Streamlit repeats this only for a different run.

    `place` is a name chosen by the page, for a run that is shown beside the one in view.
    """
    _send_run(key=place, data=parcel.said)


def is_whole(parcel: "Payload", kind: AttentionKind) -> bool:
    """Return whether the weights of a kind were packed at full size."""
    stack = parcel.data["meta"]["kinds"][kind]
    return stack["drawn"] == [stack["rows"], stack["columns"]]


def send_whole_head(
    run: "Run",
    key: str,
    kind: AttentionKind,
    layer: int,
    head: int,
    *,
    place: str = "whole_head",
) -> None:
    """Send one head at full size, for a run whose matrices are packed reduced.

    `place` is a name chosen by the page, if it shows heads of several runs.
    """
    attention = attention_trace(run, kind, layer)
    weights = attention.weights[0, head].numpy()
    mask = attention.mask[0].expand(weights.shape).numpy()
    meta: WireHead = {"run": key, "kind": kind, "layer": layer, "head": head}
    codes = pa.table({"code": encode_weights(weights, mask).ravel()})
    _send_head(key=place, data={"meta": meta, "codes": codes})


def are_tensors_sent(parcel: "Payload") -> bool:
    """Return whether the tensors of a run were packed with it."""
    return parcel.data["meta"]["tensors"] is not None


def send_head_tensors(
    key: str,
    kind: AttentionKind,
    layer: int,
    head: int,
    tensors: "TensorParcel",
    *,
    place: str = "head_tensors",
) -> None:
    """Send the tensors of one head, for a run that is packed without its tensors.

    `place` is a name chosen by the page, if it shows heads of several runs.
    """
    meta: WireHeadTensors = {
        "run": key,
        "kind": kind,
        "layer": layer,
        "head": head,
        "tensors": tensors.said,
    }
    _send_tensors(key=place, data={"meta": meta, "numbers": tensors.numbers})
