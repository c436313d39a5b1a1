"""Labels for all numbers in the memory of tensors; views share labels as they share numbers."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef

from model.foreign.recording.labels import NOTHING

_PURGE = 64
"""The number of functions after which Loupe forgets the labels of released memory."""


class _Geometry(NamedTuple):
    """The places of a tensor's numbers in its memory."""

    shape: torch.Size
    strides: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, x: Tensor) -> "_Geometry":
        return cls(x.shape, x.stride(), int(x.storage_offset()))


@dataclass(frozen=True, eq=False)
class _Labelled:
    """The labels of one memory; never changed in place, because others may be views of them."""

    memory: StorageWeakRef
    numbers: int
    size: int
    """The bytes of a number."""
    geometry: _Geometry
    labels: Tensor | None
    """The labels of the tensor with this geometry; None once other tensors have changed some."""
    flat: Tensor | None = None
    """One label for each number."""

    def dense(self) -> Tensor:
        """Return one label for each number."""
        if self.flat is not None:
            return self.flat
        if self.labels is None:
            raise ValueError(
                "a memory must have either the labels of one tensor or a label for each number"
            )
        device = self.labels.device
        flat = torch.full((self.numbers,), NOTHING, dtype=torch.int32, device=device)
        flat.as_strided(*self.geometry).copy_(self.labels)
        return flat


class LabelStore:
    """The labels of one pass."""

    def __init__(self) -> None:
        self._known: dict[int, _Labelled] = {}
        self._calls = 0

    def of(self, x: Tensor) -> Tensor | None:
        """Return the labels of a tensor, in its shape; None if it has none."""
        try:
            where = x.untyped_storage().data_ptr()
        except RuntimeError:  # a tensor inside a transform of torch.func
            return None
        held = self._known.get(where)
        if held is None or held.memory.expired() or x.element_size() % held.size:
            return None
        step = x.element_size() // held.size
        if held.labels is not None and step == 1 and held.geometry == _Geometry.of(x):
            return held.labels
        if held.flat is None:
            self._known[where] = held = replace(held, flat=held.dense())
        strides = [stride * step for stride in x.stride()]
        return held.dense().as_strided(x.size(), strides, x.storage_offset() * step)

    def put(self, x: Tensor, labels: Tensor) -> None:
        """Label a tensor; axes along which all labels are the same may have size 1."""
        labels = labels.expand(x.shape)
        storage = x.untyped_storage()
        where = storage.data_ptr()
        size = x.element_size() // 2 if x.is_complex() else x.element_size()
        held = self._known.get(where)
        is_new = held is None or held.memory.expired() or held.size != size
        covers = x.is_contiguous() and x.numel() * x.element_size() == storage.nbytes()
        if held is None or is_new or covers:
            numbers = storage.nbytes() // size
            held = _Labelled(StorageWeakRef(storage), numbers, size, _Geometry.of(x), labels)
            if not x.is_complex():
                self._known[where] = held
                return
            held = replace(held, labels=labels.new_full((), NOTHING), geometry=_ONE)
        flat = held.dense().clone()
        step = x.element_size() // size
        strides = [stride * step for stride in x.stride()]
        for part in range(step):
            at = x.storage_offset() * step + part
            flat.as_strided(x.size(), strides, at).copy_(labels)
        self._known[where] = replace(held, labels=None, flat=flat)

    def forget(self, where: int) -> None:
        """Forget the labels of memory that now holds something else."""
        self._known.pop(where, None)

    def purge(self) -> None:
        """Forget the labels of released memory, once in every `_PURGE` calls."""
        self._calls += 1
        if self._calls % _PURGE == 0:
            gone = [where for where, held in self._known.items() if held.memory.expired()]
            for where in gone:
                del self._known[where]


_ONE = _Geometry(torch.Size(()), (), 0)
