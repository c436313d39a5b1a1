"""Restores the state of a module after each pass: caches, counters, random numbers.

A pass may fill a cache of keys or count its calls. Before a pass, Loupe notes everything that can
be reached from the module; afterwards, it restores everything that the pass changed. Tensors that a
record took from a cache stay as the pass left them, because a changed buffer gets other memory.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from operator import is_
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import torch
from torch import Tensor, nn

from model.edits import changes_of
from model.foreign.recording.hooks import is_own

_LOOKED_INTO = 1000
"""The number of a container's items that Loupe examines; of the rest it notes only the identity."""
_SMALL = 1 << 16
"""The size up to which a tensor is compared, as `.data` may change it without being counted."""
_NOT_STATE = {*nn.Module().__dict__, "_attn_implementation_internal", "_compiled_call_impl"} - {
    "_parameters",
    "_buffers",
}
"""Attributes that are settings of torch or of Loupe, such as modes and hooks."""
_HOOKS = ("_forward_pre_hooks", "_forward_hooks")
"""The attributes in which torch keeps the hooks of a forward pass."""
_PLAIN = (int, float, complex, str, bytes, type(None), type, torch.dtype, torch.device, torch.Size)
_CODE = (FunctionType, BuiltinFunctionType, MethodType, ModuleType)


class KeptState:
    """The state of a module and of all modules in it, at one moment."""

    def __init__(self, root: nn.Module) -> None:
        self._seen: dict[int, object] = {}
        self._put_back: list[Callable[[], None]] = []
        self._tensors: list[tuple[Tensor, Tensor, int | None]] = []
        self._parameters: list[tuple[str, Tensor, int | None]] = []
        for path, module in root.named_modules():
            self._note(module)
            self._note_hooks(module)
            own = module._parameters.items()
            self._parameters += [
                (f"{path}.{name}".lstrip("."), x, changes_of(x)) for name, x in own if x is not None
            ]

    def put_back(self) -> None:
        """Restore everything that has changed.

        Raises ValueError if a parameter was changed in place: parameters are too large to copy.
        """
        for each in self._put_back:
            each()
        stores = [x.untyped_storage().data_ptr() for x, _, _ in self._tensors if _has_memory(x)]
        for x, old, version in self._tensors:
            if not _is_as_before(x, old, version):
                if stores.count(x.untyped_storage().data_ptr()) > 1 and x.shape == old.shape:
                    x.data.copy_(old)
                else:
                    x.data = old
        for name, x, version in self._parameters:
            if changes_of(x) != version:
                raise ValueError(
                    f"a pass changes the parameter {name!r} in place, which Loupe cannot undo: "
                    "make it a buffer of the module"
                )

    def _note(self, x: Any) -> None:  # noqa: ANN401
        if isinstance(x, _PLAIN) or id(x) in self._seen or isinstance(x, _CODE):
            return
        self._seen[id(x)] = x
        if isinstance(x, Tensor):
            if not isinstance(x, nn.Parameter) and _has_memory(x):
                self._tensors.append((x, x.detach().clone(), changes_of(x)))
        elif isinstance(x, torch.Generator):
            state = x.get_state()
            self._put_back.append(lambda: cast(None, x.set_state(state)))
        elif isinstance(x, tuple | frozenset):
            self._note_all(x)
        elif isinstance(x, dict):
            self._note_items(x)
        elif isinstance(x, list | deque | set):
            self._note_members(x)
        elif isinstance(getattr(x, "__dict__", None), dict):
            self._note_items(x.__dict__)

    def _note_all(self, items: Any) -> None:  # noqa: ANN401
        for item in islice(items, _LOOKED_INTO):
            if not isinstance(item, _PLAIN):
                self._note(item)

    def _note_items(self, own: dict) -> None:
        """Note the items of a mapping, or the attributes of an object."""
        before = dict(own)

        def put_back() -> None:
            if list(own) == list(before) and all(map(is_, own.values(), before.values())):
                return
            for name in [name for name in own if name not in _NOT_STATE]:
                del own[name]
            own.update((name, x) for name, x in before.items() if name not in _NOT_STATE)

        self._put_back.append(put_back)
        self._note_all(x for name, x in before.items() if name not in _NOT_STATE)

    def _note_hooks(self, module: nn.Module) -> None:
        """Note a module's hooks, because a pass may add some and store that it has done so."""
        tables = [vars(module)[name] for name in _HOOKS]
        before = [frozenset(table) for table in tables]

        def put_back() -> None:
            for table, known in zip(tables, before, strict=True):
                for id, hook in list(table.items()):
                    if id not in known and not is_own(hook):  # another thread may be recording, too
                        del table[id]

        self._put_back.append(put_back)

    def _note_members(self, own: "list | deque | set") -> None:
        before = list(own)

        def put_back() -> None:
            if len(own) == len(before) and all(map(is_, own, before)):
                return
            own.clear()
            own.update(before) if isinstance(own, set) else own.extend(before)

        self._put_back.append(put_back)
        self._note_all(before)


@contextmanager
def leaving_state(module: nn.Module) -> Iterator[None]:
    """Restore a module's state and the random numbers after running it."""
    kept = KeptState(module)
    devices = {each.device for each in module.parameters() if each.device.type == "cuda"}
    drawn = random.getstate()
    try:
        with torch.random.fork_rng(devices=list(devices)):
            yield
    finally:
        random.setstate(drawn)
        kept.put_back()


def _has_memory(x: Tensor) -> bool:
    return x.layout is torch.strided and not x.is_meta


def _is_as_before(x: Tensor, old: Tensor, version: int | None) -> bool:
    if x.shape != old.shape or x.dtype != old.dtype or x.device != old.device:
        return False
    if version is not None and (x._version != version or x.numel() > _SMALL):
        return x._version == version
    return torch.equal(x, old) or bool(((x == old) | ((x != x) & (old != old))).all())
