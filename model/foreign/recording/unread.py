"""The mixes of weights and values that no function has read yet.

When the code reads the heads of an attention, it shows which of them belong to one text. Only then
does Loupe report the attention, and the code continues with the heads, edited or not.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from model.foreign.recording.arrangement import Arrangement
from model.foreign.recording.attention import AttentionCall
from model.foreign.recording.computed_again import spread
from model.foreign.recording.dependence import Dependence
from model.foreign.recording.function_kinds import kind_of
from model.foreign.recording.mixes import Mix
from model.foreign.recording.rearranged import (
    MIX,
    Form,
    Moved,
    are_rows,
    moved_on,
    places_of,
    places_of_rows,
)
from model.foreign.recording.tape import Tape, tensors_among
from model.foreign.recording.terms import KnownTerms
from model.foreign.recording.written import call_of


class Hearer(Protocol):
    """A receiver of attentions."""

    def hear(self, call: AttentionCall, path: str) -> tuple[Tensor, Tensor]:
        """Receive an attention; return its heads and weights."""
        ...

    def overwrites(self, x: Tensor) -> None:
        """Receive notice that a tensor is about to be changed in place."""
        ...


class UnreadMixes:
    """The mixes of one pass that wait to be read, wherever the code has moved their numbers."""

    def __init__(self, hearer: Hearer, tape: Tape | None, dependence: Dependence) -> None:
        self._hearer = weakref.proxy(hearer)  # in a cycle, tensors would outlive their use
        self._tape = tape
        self._dependence = dependence
        self._known = KnownTerms()
        self._moved: dict[int, Moved] = {}

    def __bool__(self) -> bool:
        return bool(self._moved)

    def add(self, mix: Mix) -> None:
        """Add a mix, which waits until it is read."""
        self._moved[id(mix.result)] = Moved(mix.result, (mix,), MIX, mix.path)

    def moved_by(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Mix, ...], Form] | None:
        """Return the mixes that a function only moves, and how; None if it reads them."""
        return moved_on(func, args, kwargs, self._of)

    def move(
        self, result: Tensor, to: tuple[tuple[Mix, ...], Form], args: tuple, path: str
    ) -> None:
        """Note the new places of mixes, after a function that a module called."""
        leaves, form = to
        where = path if len(leaves) > 1 else next(iter(leaves)).path
        inner = [x.where for x in map(self._of, tensors_among(args[:1])) if x]
        self._moved[id(result)] = Moved(
            result, leaves, form, inner[0] if len(inner) == 1 else where
        )

    def settled(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any]
    ) -> tuple[tuple, Mapping[str, Any]]:
        """Report the mixes that a function will read; return its arguments, edited or not."""
        if not any(map(self._of, tensors_among((*args, *kwargs.values())))):
            return args, kwargs
        new = tuple(self._settled_in(x, func, args) for x in args)
        return new, {key: self._settled_in(x, func, args) for key, x in kwargs.items()}

    def _settled_in(self, x: Any, func: Callable, args: tuple) -> Any:  # noqa: ANN401
        if type(x) in (list, tuple):
            return type(x)(self._settled_in(y, func, args) for y in x)
        moved = self._of(x)
        if moved is None:
            return x
        kind = kind_of(func)
        others = [y for y in tensors_among(args) if y is not x]
        projects = kind.projects and any(y.dim() >= 2 for y in others)
        projects &= kind.name == "linear" or not any(map(self._dependence.has, others))
        return self._settle(moved, is_projected=projects)

    def enters(self, module: nn.Module, x: Tensor) -> Tensor:
        """Report the mixes that a module will read; return its input, edited or not."""
        moved = self._of(x)
        if moved is None or not module._parameters or module._modules:
            return x
        weight = module._parameters.get("weight")
        return self._settle(moved, is_projected=weight is not None and weight.dim() >= 2)

    def leaves(self, path: str, x: object, *, is_last: bool) -> object:
        """Report the mixes of a module that ends, except those in its output.

        Return the output, edited or not.
        """
        handed = self._of(x)
        for key, each in list(self._moved.items()):
            if not all(_is_inside(mix.path, path) for mix in each.leaves):
                continue
            if handed is not None and set(each.leaves) <= set(handed.leaves) and not is_last:
                continue
            if each is not handed and any(not mix.is_told for mix in each.leaves):
                self._settle_in_place(each)
            if each is not handed:
                del self._moved[key]
        if is_last and handed is not None:
            x = self._settle(handed, is_projected=False)
            self._moved.clear()
        return x

    def _settle_in_place(self, moved: Moved) -> None:
        """Report the attentions in a tensor, and write their edited heads into it."""
        new = self._settle(moved, is_projected=False)
        if new is not moved.tensor:
            self._hearer.overwrites(moved.tensor)
            with torch.no_grad():
                moved.tensor.copy_(new)

    def _settle(self, moved: Moved, *, is_projected: bool) -> Tensor:
        """Report the attentions in a tensor; return the tensor, edited or not."""
        mixes = [mix for mix in moved.leaves if not mix.is_told]
        if mixes:
            self._tell_all(moved, mixes, is_projected=is_projected)
        if all(mix.new is None for mix in moved.leaves):
            return moved.tensor
        new = [mix.result if mix.new is None else mix.new for mix in moved.leaves]
        made = moved.form.build(new)
        self._dependence.replaces(moved.tensor, made)
        return made

    def _tell_all(self, moved: Moved, mixes: list[Mix], *, is_projected: bool) -> None:
        for mix in mixes:
            mix.is_told = True
        if len(mixes) == len(moved.leaves):
            layouts = tuple(mix.layout for mix in moved.leaves)
            by_rows = len(mixes) > 1 and are_rows(moved.form, layouts) and _share_keys(mixes)
            find = places_of_rows if by_rows else places_of
            places = find(moved.form, layouts, is_projected=is_projected)
            whole = Arrangement(mixes, places, by_rows=by_rows)
            if (places or by_rows) and self._told(whole, moved.where):
                return
        for mix in mixes:
            self._told(Arrangement([mix], None, by_rows=False), mix.path)

    def _told(self, arrangement: Arrangement, path: str) -> bool:
        """Report one attention. Return whether a record can describe it."""
        call = call_of(arrangement, self._tape, self._known)
        if call is None:
            return False
        heads, _ = self._hearer.hear(call, path)
        if heads is not call.views["heads"].made:
            new = spread(call.views, arrangement.mixes, heads)
            for mix, x in zip(arrangement.mixes, new, strict=True):
                mix.new = x
        return True

    def _of(self, x: object) -> Moved | None:
        moved = self._moved.get(id(x))
        return moved if moved is not None and moved.tensor is x else None


def _is_inside(path: str, other: str) -> bool:
    return not other or path == other or path.startswith(f"{other}.")


def _share_keys(mixes: Sequence[Mix]) -> bool:
    """Return whether mixes read the same keys and values, as rows of one attention do."""
    first = mixes[0]
    return all(
        torch.equal(mix.scored.root.right, first.scored.root.right)
        and torch.equal(mix.product.right, first.product.right)
        for mix in mixes[1:]
    )
