"""Bounds on how far two float32 computations of one network may differ, from rounding analysis.

A sum of n products rounds about n times, and each rounding changes a number by at most u = 2**-24
of itself. Another processor adds in another order and so rounds differently. The roundings act as
if they were independent: together they move a number by about √n · u of its size, and hardly ever
by four times as much (Higham and Mary 2019, "A new approach to probabilistic rounding error
analysis"). The size is that of the number itself plus, because the terms of a sum may cancel, the
root mean square of its tensor.

Each layer inherits the rounding errors of the layers before it. So `rooms` counts all roundings
between the input and a tensor: computing a tensor from another one adds up that one's last axis. A
softmax turns an error e in a score into an error of at most 2 · w · (1 - w) · e in a weight w. If
the scores are large, that is many times the relative error of the scores, and every later tensor
inherits it.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

UNIT = 2.0**-24
"""The largest relative error of one rounding."""
SURE = 4
"""The factor by which an error may exceed the expected error of a sum."""
FILLED = 1e8
"""The least magnitude of a masked cell's score, which is set and not computed."""


def room(values: ArrayLike, roundings: int, condition: float = 1.0) -> np.ndarray:
    """Return how far off each number may be after this many roundings."""
    sizes = np.abs(np.asarray(values, np.float64))
    sums = sizes[sizes < FILLED]
    usual = math.sqrt((sums**2).mean()) if sums.size else 0.0
    return SURE * UNIT * math.sqrt(roundings) * condition * (usual + sizes)


def rooms(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each tensor's name and how far off its numbers may be, in the order of the trace."""
    roundings, condition, values = 1, 1.0, {}
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            continue
        values[name] = tensor.double().numpy()
        if name.endswith(".weights"):
            scores = values.get(name.removesuffix("weights") + "scores")
            condition = max(condition, _condition(scores, values[name]))
        yield name, room(values[name], roundings, condition)
        roundings += tensor.size(-1)


def worst(found: ArrayLike, expected: ArrayLike, allowed: ArrayLike) -> float:
    """Return the largest difference as a share of the allowed difference."""
    found, expected, allowed = np.broadcast_arrays(found, expected, allowed)
    apart = found != expected  # infinite scores of masked cells agree
    off = np.abs(found[apart].astype(np.float64) - expected[apart])
    return float((off / allowed[apart]).max(initial=0.0))


def _condition(scores: np.ndarray | None, weights: np.ndarray) -> float:
    """Return the largest factor by which the softmax can magnify relative errors of the scores."""
    if scores is None:
        return 1.0
    read = np.broadcast_to((weights > 0) & (np.abs(scores) < FILLED), weights.shape)
    sizes = np.abs(np.broadcast_to(scores, weights.shape)[read])
    if not sizes.size:
        return 1.0
    apart = (2 * weights * (1 - weights))[read]
    return float((apart * (math.sqrt((sizes**2).mean()) + sizes)).max())
