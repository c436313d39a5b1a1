"""Layers that are computed again from their inputs on each access.

A layer returns the same numbers for the same input, to the last bit, so this costs only time. At
1,024 tokens the attention weights of GPT-2 take 604 MB, but the input of each layer takes 3 MB.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from threading import Lock
from typing import Any, Generic, TypeVar, overload

import cachetools
import torch
from jaxtyping import Float
from torch import Tensor

from model.traces import DecoderLayerTrace, EncoderLayerTrace

L = TypeVar("L", EncoderLayerTrace, DecoderLayerTrace)
Look = Callable[[EncoderLayerTrace | DecoderLayerTrace], None]
"""A function that receives each layer, on the device that computed it, before its release."""

_SHORT = (torch.bfloat16, torch.float16)
_WORKSPACE_BYTES = 256_000_000
"""The memory for recently used layers of all traces together."""


class RecomputedLayers(Sequence[L], Generic[L]):
    """The layers of a stack, each computed from its input on access."""

    def __init__(
        self,
        inputs: tuple[Float[Tensor, "batch position d_model"], ...],
        compute: Callable[[int, Float[Tensor, "batch position d_model"]], L],
    ) -> None:
        self._inputs = inputs
        self._compute = compute
        self._number = next(_numbers)

    def __len__(self) -> int:
        return len(self._inputs)

    @overload
    def __getitem__(self, index: int) -> L: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[L, ...]: ...

    def __getitem__(self, index: int | slice) -> L | tuple[L, ...]:
        """Return a layer from the cache, or compute it."""
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        place = range(len(self))[index]
        return _workspace.ask((self._number, place), lambda: self._layer(place))

    def __iter__(self) -> Iterator[L]:
        """Compute each layer in turn."""
        return (self[index] for index in range(len(self)))

    @torch.inference_mode()
    def _layer(self, index: int) -> L:
        return on_cpu(self._compute(index, self._inputs[index]))


def on_cpu(value: Any) -> Any:  # noqa: ANN401 - a record, a tuple of records or a tensor
    """Copy a trace to the CPU, at least in float32; share tensors that are there already."""
    if isinstance(value, Tensor):
        return value.cpu().float() if value.dtype in _SHORT else value.cpu()
    if isinstance(value, tuple):
        return tuple(on_cpu(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: on_cpu(getattr(value, f.name)) for f in fields(value)})
    return value


class _Workspace:
    """The most recently recomputed layers of all traces, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._layers = cachetools.LRUCache[tuple[int, int], Any](most_bytes, getsizeof=_bytes)
        self._lock = Lock()

    def ask(self, key: tuple[int, int], compute: Callable[[], L]) -> L:
        with self._lock:
            if key in self._layers:
                return self._layers[key]
        layer = compute()
        with self._lock:
            if _bytes(layer) <= self._layers.maxsize:
                self._layers[key] = layer
        return layer


def _bytes(value: Any) -> int:  # noqa: ANN401 - a record or a part of one
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if is_dataclass(value):
        return sum(_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


_numbers = itertools.count()
_workspace = _Workspace(_WORKSPACE_BYTES)
