"""Packs tensors of a run for the browser: float32, one after the other, by their paths."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from jaxtyping import Float32
from torch import Tensor

from model.anatomy import SiteName
from model.recompute import on_cpu
from model.traces import AttentionTrace, find_tensor, named_tensors
from viz.run.axes import attention_name, attention_trace
from viz.run.record import Run
from viz.run.wire import WireArray, WireAttention, WireTensors

if TYPE_CHECKING:
    from model.transformer import Transformer

MOST_NUMBERS = 250_000
"""Most numbers of a run sent at once, four bytes each; above it, those of an opened head alone."""
TOLERANCE = 1e-4
"""Largest difference that counts as agreement, relative to the largest term of a sum."""

_NOT_SENT = ("logits", "output")
"""Tensors with a number for each token of the vocabulary."""
_PER_HEAD = ("query", "key", "value", "scores", "weights", "heads")


class TensorParcel(NamedTuple):
    """Tensors, packed for the browser."""

    said: WireTensors
    numbers: pa.Table


def pack_tensors(run: Run) -> TensorParcel | None:
    """Pack every tensor of a run except the logits; None if there are too many to send at once."""
    if run.codes:  # its layers are recomputed on request
        return None
    numbers = Numbers()
    for name, tensor in _sent_at_once(run):
        numbers.put(name, tensor)
        if numbers.length > MOST_NUMBERS:
            return None
    sites: list[tuple[SiteName, int]] = [
        (site.name, layer) for site in run.anatomy.sites for layer in range(site.layers)
    ]
    return numbers.parcel(run, sites)


def select_tensors(parcel: TensorParcel, is_kept: Callable[[str], bool]) -> TensorParcel:
    """Return a parcel with only some of its tensors, chosen by name."""
    numbers = parcel.numbers["number"].to_numpy()
    kept = Numbers()
    for name, array in parcel.said["arrays"].items():
        if is_kept(name):
            part = numbers[array["at"] :][: math.prod(array["shape"])]
            kept.put(name, torch.tensor(part.reshape(array["shape"])))
    said: WireTensors = {**parcel.said, "arrays": kept.arrays}
    return TensorParcel(said, kept.table())


def pack_head(
    run: Run, model: "Transformer | None", kind: SiteName, layer: int, head: int
) -> TensorParcel:
    """Pack the tensors of one head of a run.

    With a model, also pack what the browser needs to recompute the head: the inputs of its
    projections, its own rows and columns of their parameters, and the outputs of the other heads.
    """
    return pack_heads(run, model, [(kind, layer, head)])


def pack_heads(
    run: Run, model: "Transformer | None", places: Sequence[tuple[SiteName, int, int]]
) -> TensorParcel:
    """Pack the tensors of some heads, each as `pack_head` does."""
    numbers = Numbers()
    for kind, layer, head in places:
        _put_head(numbers, run, model, kind, layer, head)
    return numbers.parcel(run, list(dict.fromkeys((kind, layer) for kind, layer, _ in places)))


def _put_head(
    numbers: "Numbers", run: Run, model: "Transformer | None", kind: SiteName, layer: int, head: int
) -> None:
    attention = attention_trace(run, kind, layer)
    path = attention_name(kind, layer).removesuffix(".weights")
    for part in _PER_HEAD:
        of = attention.key_head(head) if part in ("key", "value") else head
        numbers.put(f"{path}.{part}[{of}]", getattr(attention, part)[0, of])
    if attention.bias is not None:
        bias = attention.bias.expand_as(attention.weights)
        numbers.put(f"{path}.bias[{head}]", bias[0, head])
    numbers.put(f"{path}.mask", attention.mask.expand_as(attention.weights[:, 0]))
    numbers.put(f"{path}.output", attention.output)
    if model is not None:
        for name, tensor in _recomputed_from(run, model, kind, layer, head, attention):
            numbers.put(name, tensor)


class Numbers:
    """Tensors one after the other, as float32."""

    def __init__(self) -> None:
        self.arrays: dict[str, WireArray] = {}
        self.length = 0
        self._parts: list[Float32[np.ndarray, " size"]] = []

    def put(self, name: str, tensor: Tensor) -> None:
        """Add a tensor of a batch of one, unless its name is already there."""
        if name in self.arrays:
            return
        rows, columns = tensor.shape[-2:] if tensor.dim() > 1 else (1, len(tensor))
        flat = tensor.detach().to("cpu", torch.float32).numpy().astype("<f4", copy=False).ravel()
        heads = flat.size // max(rows * columns, 1)
        self.arrays[name] = {"at": self.length, "shape": (heads, rows, columns)}
        self.length += flat.size
        self._parts.append(flat)

    def parcel(self, run: Run, sites: Sequence[tuple[SiteName, int]]) -> TensorParcel:
        """Return all tensors as a parcel, with facts about their attentions."""
        said: WireTensors = {
            "arrays": self.arrays,
            "attentions": dict(_facts(run, kind, layer) for kind, layer in sites),
            "touched": [name for name in self.arrays if run.edits.touches(name.partition("[")[0])],
            "fill": repr(run.info.config.mask_fill).replace("inf", "Infinity"),
            "tolerance": tolerance_of(run),
        }
        return TensorParcel(said, self.table())

    def table(self) -> pa.Table:
        """Return the numbers alone."""
        numbers = np.concatenate(self._parts) if self._parts else np.zeros(0, "<f4")
        return pa.table({"number": numbers})


def tolerance_of(run: Run, usual: float = TOLERANCE) -> float:
    """Return the largest difference that counts as agreement: more for a model of low precision."""
    return usual if run.precision is None else 4 * torch.finfo(getattr(torch, run.precision)).eps


def read_by(run: Run, kind: SiteName, layer: int) -> tuple[str, str]:
    """Return the names of two inputs of projections: that of queries, that of keys and values.

    If a norm comes before the attention, its output is such an input; a trace does not hold it.
    """
    path = attention_name(kind, layer).removesuffix(".weights")
    states = (
        f"{path.rpartition('.')[0]}.{'after_self_attn' if kind == 'cross-attention' else 'input'}"
    )
    queries = states if run.info.config.norm_placement == "post" else f"{path}_norm.output"
    return queries, "encoder.output" if kind == "cross-attention" else queries


def _sent_at_once(run: Run) -> Iterator[tuple[str, Tensor]]:
    for name, tensor in named_tensors(run.trace):
        if name in _NOT_SENT:
            continue
        path, _, part = name.rpartition(".")
        if part == "mask":
            weights = find_tensor(run.trace, f"{path}.weights")
            yield name, tensor.expand_as(weights[:, 0])
        elif part == "bias" and path.endswith("_attn"):
            yield name, tensor.expand_as(find_tensor(run.trace, f"{path}.weights"))
        else:
            yield name, tensor
            if part == "weights":  # recomputed from queries and keys, but a change replaces them
                yield f"{path}.scores", find_tensor(run.trace, f"{path}.scores")


def _facts(run: Run, kind: SiteName, layer: int) -> tuple[str, WireAttention]:
    attention = attention_trace(run, kind, layer)
    facts: WireAttention = {
        "scale": attention.scale,
        "softcap": attention.softcap,
        "keyHeads": attention.key.size(1),
        "sinks": run.anatomy.site(kind).sinks,
        "reads": read_by(run, kind, layer),
    }
    return attention_name(kind, layer).removesuffix(".weights"), facts


@torch.inference_mode()
def _recomputed_from(
    run: Run, model: "Transformer", kind: SiteName, layer: int, head: int, trace: AttentionTrace
) -> Iterator[tuple[str, Tensor]]:
    path = attention_name(kind, layer).removesuffix(".weights")
    for part, name in zip(("query", "key"), read_by(run, kind, layer), strict=True):
        yield name, _read(run, model, path, name, part)
    own = {"query": head, "key": trace.key_head(head), "value": trace.key_head(head)}
    module = model.get_submodule(path)
    for part, of in own.items():
        yield from _slice(f"{path}.{part}", module.get_submodule(part), of, trace, axis=0)
    yield from _slice(f"{path}.output", module.get_submodule("output"), head, trace, axis=1)
    yield from _written(path, module.get_submodule("output"), head, trace)
    if run.info.config.positions == "rotary" and kind != "cross-attention":
        stack = model.get_submodule(path.partition(".")[0])
        where: Any = stack
        angles = where.where(trace.key.size(2), device=torch.device("cpu")).angles
        yield f"{path}.angles", angles


def _read(run: Run, model: "Transformer", path: str, name: str, part: str) -> Tensor:
    """Return the input of a projection: a state of the trace, or its norm, which is recomputed."""
    if not name.endswith("_norm.output"):
        return find_tensor(run.trace, name)
    layer, attention = path.rsplit(".", 1)
    states = "after_self_attn" if attention == "cross_attn" and part == "query" else "input"
    norm = model.get_submodule(f"{path}_norm")
    held = next(norm.parameters())
    return norm(find_tensor(run.trace, f"{layer}.{states}").to(held.device, held.dtype))


def _slice(
    name: str, module: torch.nn.Module, head: int, trace: AttentionTrace, *, axis: int
) -> Iterator[tuple[str, Tensor]]:
    """Yield a head's rows of a projection with their biases, or its columns of the output."""
    weight, bias = module.get_parameter("weight"), getattr(module, "bias", None)
    sizes = {"query": trace.query.size(-1), "key": trace.key.size(-1)}
    size = sizes.get(name.rpartition(".")[2], trace.value.size(-1))
    own = slice(head * size, (head + 1) * size)
    if axis == 1:
        yield f"{name}.weight[{head}]", weight[:, own].contiguous()
        if bias is not None:
            yield f"{name}.bias", bias
        return
    yield f"{name}.weight[{head}]", weight[own]
    if bias is not None:
        yield f"{name}.bias[{head}]", bias[own]


def _written(
    path: str, output: torch.nn.Module, head: int, trace: AttentionTrace
) -> Iterator[tuple[str, Tensor]]:
    """Yield the sum of the other heads' outputs, and the norm of each head's output."""
    weight = on_cpu(output.get_parameter("weight")).double()
    size = trace.heads.size(-1)
    others = torch.zeros(trace.heads.size(2), len(weight), dtype=torch.float64)
    norms: list[Tensor] = []
    for one in range(trace.heads.size(1)):
        written = trace.heads[0, one].double() @ weight[:, one * size : (one + 1) * size].T
        norms.append(written.norm(dim=-1))
        if one != head:
            others += written
    yield f"{path}.others[{head}]", others
    yield f"{path}.norms", torch.stack(norms, dim=-1)
