"""Keeps the functions that a module called last, so that they can run again on other tensors.

An edit of a query or a key has to act wherever the code reads the tensor: in the scores, in a term
of relative positions, in a gate. So Loupe runs every function that depends on it again.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from model.foreign.recording.function_kinds import REARRANGING, kind_of, name_of
from model.foreign.recording.steps import Step

_OF_SHAPE_ALONE = ("_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_tensor")
_MOST = 4000
"""The largest number of functions that a tape remembers; it forgets the oldest."""


class _Entry(NamedTuple):
    func: Callable
    args: tuple
    kwargs: Mapping[str, Any]
    result: object


class Tape:
    """The functions that ran, in order."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def note(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object) -> None:
        """Remember that a function ran."""
        self._entries.append(_Entry(func, args, kwargs, result))
        if len(self._entries) > _MOST:
            del self._entries[: _MOST // 2]

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()

    def base_of(self, x: Tensor) -> tuple[Tensor, Step]:
        """Return the tensor from which another one was rearranged, and the rearrangement."""
        steps: list[Step] = []
        for entry in reversed(self._entries):
            if entry.result is x and (step := rearranging(entry)) and entry.args[0] is not x:
                x = entry.args[0]
                steps.append(step)
        steps.reverse()

        def bring(y: Tensor) -> Tensor:
            for step in steps:
                y = step(y)
            return y

        return x, bring

    def again(self, given: Mapping[int, Tensor], wanted: Tensor, since: Tensor) -> Tensor:
        """Compute a tensor again, with some tensors, given by their ids, replaced by others.

        The replacements already include in-place changes made before `since` was computed.
        """
        new: dict[int, Tensor] = dict(given)
        end = max((i for i, each in enumerate(self._entries) if each.result is wanted), default=-1)
        start = next((i for i, each in enumerate(self._entries) if each.result is since), 0)
        for i, entry in enumerate(self._entries[: end + 1]):
            self._repeat(entry, new, given, is_before=i < start)
        return new.get(id(wanted), wanted)

    def _repeat(
        self, entry: _Entry, new: dict[int, Tensor], given: Mapping[int, Tensor], *, is_before: bool
    ) -> None:
        name = getattr(entry.func, "__name__", "")
        found = [x for x in tensors_among((*entry.args, *entry.kwargs.values())) if id(x) in new]
        results = list(tensors_among((entry.result,)))
        if not found or name.endswith(_OF_SHAPE_ALONE):
            return
        changes = kind_of(entry.func).is_in_place or bool(entry.kwargs.get("inplace"))
        if changes and isinstance(entry.args[0], Tensor):
            first = entry.args[0]
            if id(first) in given and is_before:
                return
            if id(first) in given or id(first) not in new:
                new[id(first)] = new.get(id(first), first).clone()
            results = [first]
        elif all(id(x) in given for x in results):
            return

        def swapped(x: object) -> object:
            if isinstance(x, Tensor):
                return new.get(id(x), x)
            if isinstance(x, list | tuple):
                return type(x)(map(swapped, x)) if type(x) in (list, tuple) else x
            return x

        kwargs = {key: swapped(x) for key, x in entry.kwargs.items()}
        made = entry.func(*map(swapped, entry.args), **kwargs)
        if changes and not isinstance(made, Tensor):  # x[...] = y
            return
        for x, y in zip(results, tensors_among((made,)), strict=False):
            if id(x) not in given or changes:
                new[id(x)] = y


def rearranging(entry: _Entry) -> Step | None:
    """Return the rearrangement that a function applies, if it only moves numbers; else None."""
    func, args, kwargs, result = entry
    if name_of(func) not in REARRANGING or not isinstance(result, Tensor) or not args:
        return None
    if not isinstance(args[0], Tensor) or args[0].numel() != result.numel():
        return None
    return lambda y: func(y, *args[1:], **kwargs)


def tensors_among(values: Iterable[object]) -> Iterable[Tensor]:
    """Yield the tensors among arguments, including those in lists and tuples."""
    for x in values:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, list | tuple):
            yield from tensors_among(x)


def repeatable(func: Callable, kwargs: Mapping[str, Any]) -> Callable:
    """Return a function that draws the same random numbers at each call as this one does now."""
    if kwargs.get("training") is False:
        return func
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    drawn = torch.get_rng_state(), [torch.cuda.get_rng_state(i) for i in devices]

    def repeated(*args: Any, **more: Any) -> Any:  # noqa: ANN401
        with torch.random.fork_rng(devices=list(devices)):
            torch.set_rng_state(drawn[0])
            for i, state in zip(devices, drawn[1], strict=True):
                torch.cuda.set_rng_state(state, i)
            return func(*args, **more)

    repeated.__name__ = name_of(func)
    return repeated
