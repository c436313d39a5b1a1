"""Settings of shared objects that several threads change for a while."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any

import torch
from torch import nn


class Held:
    """A setting of objects that several threads may change at once; the last one restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders: dict[int, tuple[object, Any, int]] = {}

    @contextmanager
    def each(self, objects: list[Any], name: str, new: Any) -> Iterator[None]:  # noqa: ANN401
        """Set an attribute of each object to `new`, or to the result of `new` for the old value."""
        with self._lock:
            objects = [x for x in objects if id(x) in self._holders or getattr(x, name) != new]
            for thing in objects:
                _, old, count = self._holders.get(id(thing), (thing, getattr(thing, name), 0))
                self._holders[id(thing)] = thing, old, count + 1
                if not count:
                    setattr(thing, name, new(old) if callable(new) else new)
        try:
            yield
        finally:
            with self._lock:
                for thing in objects:
                    _, old, count = self._holders.pop(id(thing))
                    if count > 1:
                        self._holders[id(thing)] = thing, old, count - 1
                    else:
                        setattr(thing, name, old)


_modes = Held()


@contextmanager
def evaluating(modules: Iterable[nn.Module]) -> Iterator[None]:
    """Run modules in evaluation mode, and afterwards restore the mode of each."""
    with _modes.each(list(modules), "training", new=False):
        yield


class _Uncompiled:
    """A context in which torch.compile runs the original code.

    It applies to all threads: others meanwhile compute the same, only slower.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._stance: AbstractContextManager | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            if self._stance is None and "torch._dynamo" in sys.modules:  # else nothing is compiled
                self._stance = torch.compiler.set_stance("force_eager")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._stance is not None and not self._count:
                self._stance.__exit__(None, None, None)
                self._stance = None


uncompiled = _Uncompiled()
