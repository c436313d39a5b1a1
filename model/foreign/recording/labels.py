"""Labels that name the position of an input from which a number was computed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

NOTHING, MIXED = -1, -2
"""Labels of numbers that depend on no input, such as a learned vector, or on several positions."""


def constant(labels: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the common label along some axes, which stay with size 1; MIXED if there is none."""
    if not axes:
        return labels
    axes = list(axes)
    labels = compact(labels)
    if all(labels.size(axis) == 1 for axis in axes):
        return labels
    most = labels.amax(axes, keepdim=True)
    least = labels.amin(axes, keepdim=True)
    if torch.equal(most, least):
        return most
    lowest_known = labels.masked_fill(labels < 0, torch.iinfo(torch.int32).max)
    known = lowest_known.amin(axes, keepdim=True)
    return torch.where(most < 0, least, torch.where(known == most, most, MIXED)).to(torch.int32)


def compact(labels: Tensor) -> Tensor:
    """Return labels with size 1 along axes along which they were expanded."""
    for axis, stride in enumerate(labels.stride()):
        labels = labels.narrow(axis, 0, 1) if stride == 0 and labels.size(axis) > 1 else labels
    return labels


def preferred(a: Tensor, b: Tensor) -> Tensor:
    """Return the known labels of two tensors; those of the first if both are known.

    If all of the first are known, they are returned in their own shape.
    """
    known = a >= 0
    if known.all():
        return a
    return torch.where(known, a, torch.where(b >= 0, b, torch.minimum(a, b)))


def fits(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether a shape can be broadcast to another."""
    pairs = zip(reversed(shape), reversed(other), strict=False)
    return len(shape) <= len(other) and all(a in (1, b) for a, b in pairs)


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
