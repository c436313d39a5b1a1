"""Labels that say from which position of an input a number was made."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

NOTHING, MIXED = -1, -2
"""Labels of numbers that depend on no input, such as a learned vector, or on several positions."""


def constant(labels: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the one label that all have along some axes, which stay with size 1; else MIXED."""
    if not axes:
        return labels
    axes = list(axes)
    most = labels.amax(axes, keepdim=True)
    least = labels.amin(axes, keepdim=True)
    lowest_known = labels.masked_fill(labels < 0, torch.iinfo(torch.int32).max)
    known = lowest_known.amin(axes, keepdim=True)
    return torch.where(most < 0, least, torch.where(known == most, most, MIXED)).to(torch.int32)


def preferred(a: Tensor, b: Tensor) -> Tensor:
    """Return known labels, of the first tensor where both are known."""
    return torch.where(a >= 0, a, torch.where(b >= 0, b, torch.minimum(a, b)))


def fits(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether a shape can be broadcast to another."""
    pairs = zip(reversed(shape), reversed(other), strict=False)
    return len(shape) <= len(other) and all(a in (1, b) for a, b in pairs)


def is_in_place(name: str) -> bool:
    """Return whether a function changes its first argument, by its name."""
    return name == "__setitem__" or (
        name.startswith("__i") if name.endswith("__") else name.endswith("_")
    )


def without_input(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named arguments except `input` and `out`."""
    return {key: x for key, x in kwargs.items() if key not in ("input", "out")}


def tensors_among(value: object) -> Iterator[Tensor]:
    """Yield the tensors among the arguments of a function, in their order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from tensors_among(each)
    elif isinstance(value, str | bytes):
        return
    elif isinstance(value, Sequence) or type(value).__name__ == "dict_values":
        for each in value:  # pyright: ignore[reportGeneralTypeIssues]
            yield from tensors_among(each)
