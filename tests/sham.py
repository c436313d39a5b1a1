"""A pretend GPU: its tensors hold numbers, and fail where those of a real GPU would."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

SHAM = "meta"
"""The name of the device: one that torch knows and whose tensors otherwise hold no numbers."""
GPU = pytest.param(
    "cuda",
    marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU of NVIDIA here"),
)
DEVICES = (SHAM, GPU)
"""The devices of the GPU tests: the pretend one always, a real one if there is one."""
FLOAT32 = {"atol": 1e-4, "rtol": 1e-4, "equal_nan": True}
"""How far float32 sums in another order may differ; those in TF32 differ more."""
_MOVES = ("aten::copy_", "aten::_to_copy")
_INDEXED = ("aten::index", "aten::index_put", "aten::index_put_")


class Sham(Tensor):
    """A tensor on the pretend device."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held: Tensor) -> "Sham":
        with torch.inference_mode(held.is_inference()):
            made = Tensor._make_wrapper_subclass(
                cls,
                held.size(),
                strides=held.stride(),
                storage_offset=held.storage_offset(),
                dtype=held.dtype,
                device=SHAM,
            )
        made.held = held
        return made

    def __repr__(self) -> str:
        return f"Sham({self.held!r})"

    def tolist(self) -> list:
        return self.held.tolist()

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return _run(func, args, dict(kwargs or {}))


def on_device(name: str) -> AbstractContextManager[object]:
    """Provide the pretend device if its name is given; like an Apple GPU it has no float64."""
    return sham_device(has_float64=False) if name == SHAM else nullcontext()


@contextmanager
def sham_device(*, has_float64: bool = True) -> Iterator[str]:
    """Provide the device in this thread, and yield its name. Apple GPUs have no float64."""
    with _Lists(), _Operations(has_float64=has_float64):
        yield SHAM


class _Lists(TorchFunctionMode):
    """Moves numbers to the device where torch would leave the tensor without any."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in (torch.tensor, torch.as_tensor) and _is_sham(kwargs.get("device")):
            return func(*args, **kwargs | {"device": "cpu"}).to(SHAM)
        if func in (Tensor.__getitem__, Tensor.__setitem__):
            args = (args[0], _as_tensors(args[1]), *args[2:])
        if func is Tensor.new_tensor and isinstance(args[0], Sham):
            return torch.tensor(args[1], **{"dtype": args[0].dtype} | kwargs).to(SHAM)
        return func(*args, **kwargs)


class _Operations(TorchDispatchMode):
    """Runs the operations whose tensors are on the device or are to be created there."""

    def __init__(self, *, has_float64: bool) -> None:
        super().__init__()
        self._has_float64 = has_float64

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func._can_decompose():  # in inference mode torch has not decomposed it before
            with self:
                return func.decompose(*args, **kwargs)
        has_one = any(isinstance(x, Sham) for x in tree_leaves((args, kwargs)))
        if has_one or _is_sham(kwargs.get("device")):
            given = _run(func, args, kwargs)
            on_it = [x for x in tree_leaves(given) if isinstance(x, Sham)]
            if not self._has_float64 and any(x.dtype == torch.float64 for x in on_it):
                raise TypeError(f"{SHAM} has no float64: {func}")
            return given
        return func(*args, **kwargs)


def _as_tensors(index: Any) -> Any:
    """Turn the lists in an index into tensors."""
    if isinstance(index, tuple):
        return tuple(map(_as_tensors, index))
    return torch.tensor(index) if isinstance(index, list | range) else index


def _is_sham(device: object) -> bool:
    return device is not None and torch.device(device).type == SHAM


def _run(func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    device = kwargs.get("device")
    inner_args, inner = tree_map(_holder(func, args), (args, kwargs))
    if device is not None:
        inner["device"] = torch.device("cpu")
    given = func(*inner_args, **inner)
    name = func._schema.name
    if (
        given is None
        or name == "aten::_local_scalar_dense"
        or (device is not None and not _is_sham(device))
    ):
        return given
    if name.endswith("_") or "out" in kwargs:
        return kwargs.get("out", args[0])
    return tree_map(lambda x: Sham(x) if isinstance(x, Tensor) else x, given)


def _holder(func: Any, args: tuple) -> Callable[[Any], Any]:
    """Return a function that unwraps a tensor's numbers, and fails if the tensor is on the CPU."""
    may_mix = func._schema.name in _MOVES
    indices = []
    if func._schema.name in _INDEXED and isinstance(args[0], Sham):
        indices = [id(index) for index in args[1]]  # indices may be on the CPU

    def held(x: Any) -> Any:
        if isinstance(x, Sham):
            return x.held
        if isinstance(x, Tensor) and x.is_meta:
            raise AssertionError(f"a tensor without numbers came to {func}: the sham has a hole")
        if isinstance(x, Tensor) and x.dim() and not may_mix and id(x) not in indices:
            raise RuntimeError(f"Expected all tensors to be on the same device: {func}")
        return x

    return held
