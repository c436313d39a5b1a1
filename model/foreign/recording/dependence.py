"""Tracks which tensors of a pass depend on the input, and which are whole rows of a projection."""

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from model.foreign.recording.function_kinds import kind_of
from model.foreign.recording.tape import tensors_among

_MOST_NOTED = 4096
"""The number of noted tensors above which Loupe forgets those that no longer exist."""


class Dependence:
    """The tensors of one pass that depend on its input."""

    def __init__(self) -> None:
        self._noted: dict[int, tuple[weakref.ref[Tensor], bool]] = {}

    def note(self, x: Tensor, *, is_whole: bool) -> None:
        """Note that a tensor depends on the input."""
        if len(self._noted) > _MOST_NOTED:
            self._noted = {key: each for key, each in self._noted.items() if each[0]() is not None}
        self._noted[id(x)] = weakref.ref(x), is_whole

    def has(self, x: object) -> bool:
        """Return whether something is a tensor that depends on the input."""
        found = self._noted.get(id(x))
        return found is not None and found[0]() is x

    def is_whole(self, x: object) -> bool:
        """Return whether each row of a tensor is a whole row of one projection."""
        return self.has(x) and self._noted[id(x)][1]

    def replaces(self, old: Tensor | None, new: Tensor | None) -> None:
        """Note that the model continues with another tensor."""
        if new is not None and (old is None or self.has(old)):
            self.note(new, is_whole=self.is_whole(old))

    def passes(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note the result of a function, if any of its arguments depends on the input."""
        given = tensors_among((*args, *kwargs.values()) if kwargs else args)
        found = [x for x in given if self.has(x)]
        if not found:
            return
        kind = kind_of(func)
        made = [result] if isinstance(result, Tensor) else list(tensors_among([result]))
        for x in made or ([args[0]] if kind.name == "__setitem__" else []):
            whole = kind.makes_rows or (
                kind.keeps_rows and any(y.shape == x.shape and self.is_whole(y) for y in found)
            )
            self.note(x, is_whole=whole)
