"""Gradients of recorded tensors that the code itself does not use."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge, get_gradient_edge


class GraphPlace(NamedTuple):
    """The places in torch's graph of the tensors from which a recorded tensor is built."""

    edges: tuple[GradientEdge, ...]
    bring: Callable[..., Tensor]
    """Arranges the gradients of these tensors like the recorded tensor."""


def place_of(tensors: Sequence[Tensor], bring: Callable[..., Tensor]) -> GraphPlace | None:
    """Return the places of tensors in torch's graph; None if one of them is in no graph."""
    if not torch.is_grad_enabled() or not all(x.requires_grad for x in tensors):
        return None
    return GraphPlace(tuple(map(get_gradient_edge, tensors)), bring)


def differentiated(value: Tensor, tensors: Sequence[Tensor | GraphPlace]) -> list[Tensor | None]:
    """Compute the gradient of a number for each tensor; None if the number does not depend on it.

    Raises ValueError if the code changes a tensor in place that torch needs for the gradients.
    """
    if not tensors:
        return []
    sources = [x.edges if isinstance(x, GraphPlace) else (x,) for x in tensors]
    flat: Any = [source for each in sources for source in each]
    try:
        found = iter(torch.autograd.grad([value], flat, retain_graph=True, allow_unused=True))
    except RuntimeError as error:
        if "inplace operation" not in str(error):
            raise
        raise ValueError(
            "torch cannot differentiate this module: it changes a tensor in place that its "
            "gradient needs"
        ) from error
    made: list[Tensor | None] = []
    for x, each in zip(tensors, sources, strict=True):
        parts = [next(found) for _ in each]
        if not isinstance(x, GraphPlace) or all(part is None for part in parts):
            made.append(parts[0])
            continue
        zeros = next(part for part in parts if part is not None)
        full = [torch.zeros_like(zeros) if part is None else part for part in parts]
        with torch.no_grad():
            made.append(x.bring(*full))
    return made
