"""Which positions an encoding can hardly tell apart."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False)
class Distances:
    """How far apart the encodings of positions p and p + k are, for each k from 1."""

    shifts: np.ndarray
    nearest: Float[np.ndarray, " shift"]
    """Least |PE(p) − PE(p + k)| over all p."""
    farthest: Float[np.ndarray, " shift"]
    first: np.ndarray
    """The p of the least one."""
    length: float
    """Mean length of the encodings, to compare with."""


@dataclass(frozen=True)
class Coincidence:
    """Two positions that lie nearer to each other than any two neighbours do."""

    shift: int
    first: int
    distance: float
    part: float
    """Of the mean length of an encoding."""


def distances(values: Float[np.ndarray, "position d_model"]) -> Distances:
    """Measure every two positions of a table. Raises ValueError on fewer than two."""
    length = len(values)
    if length < 2:
        raise ValueError(f"distances need at least 2 positions, got {length}")
    values = values.astype(np.float64)
    apart = [np.linalg.norm(values[k:] - values[:-k], axis=1) for k in range(1, length)]
    return Distances(
        shifts=np.arange(1, length),
        nearest=np.array([d.min() for d in apart]),
        farthest=np.array([d.max() for d in apart]),
        first=np.array([int(d.argmin()) for d in apart]),
        length=float(np.linalg.norm(values, axis=1).mean()),
    )


def coincidences(measured: Distances) -> tuple[Coincidence, ...]:
    """List the distances k at which positions come nearer than at any smaller k, neighbours' too.

    Of an encoding whose positions all differ by more than neighbours do, there are none.
    """
    found: list[Coincidence] = []
    record = measured.nearest[0]
    for k, distance, first in zip(
        measured.shifts[1:].tolist(),
        measured.nearest[1:].tolist(),
        measured.first[1:].tolist(),
        strict=True,
    ):
        if distance < record:
            record = distance
            part = distance / measured.length if measured.length else 0.0
            found.append(Coincidence(k, first, distance, part))
    return tuple(found)


def all_alike(measured: Distances) -> bool:
    """Return whether no position differs from any other."""
    return not measured.farthest.any()
