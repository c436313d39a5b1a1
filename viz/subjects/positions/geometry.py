"""The effect of a shift by k positions on an encoding: a rotation of each pair of dimensions."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from viz.subjects.positions.table import PositionTable

EXACT = 1e-9
"""The rounding error in double precision of a difference that is 0 on paper."""


@dataclass(frozen=True, eq=False)
class Turn:
    """The effect of a shift on one pair of dimensions, 2i and 2i + 1."""

    pair: int
    """i, counted from 0."""
    shift: int
    angle: float
    """The angle of the nearest rotation in radians, from minus pi to pi."""
    error: float
    """The largest distance of a shifted pair from the rotated one; 0 for an exact rotation."""
    points: Float[np.ndarray, "position 2"]
    """The pair at every position."""

    @property
    def is_rotation(self) -> bool:
        """Whether one rotation takes every PE(pos) to PE(pos + k)."""
        return self.error < EXACT

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to rotate: the pair is 0 at every position."""
        return not self.points.any()


def rotation(angle: float) -> Float[np.ndarray, "2 2"]:
    """Turn a pair (sin a, cos a) into (sin(a + angle), cos(a + angle))."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def turn(values: Float[np.ndarray, "position d_model"], pair: int, shift: int) -> Turn:
    """Fit one rotation to the shift, over all positions for which it stays within the table.

    Raises ValueError if there is no such pair, or no position `shift` further on.
    """
    length, d_model = values.shape
    if not 0 <= pair < d_model // 2:
        raise ValueError(f"pair must be from 0 to {d_model // 2 - 1}, got {pair}")
    if not 1 <= shift < length:
        raise ValueError(
            f"shift must be from 1 to {length - 1} for {length} positions, got {shift}"
        )
    points = values[:, 2 * pair : 2 * pair + 2].astype(np.float64)
    before, after = points[:-shift], points[shift:]
    cross = after[:, 0] * before[:, 1] - after[:, 1] * before[:, 0]
    dot = (before * after).sum(axis=1)
    angle = float(np.arctan2(cross.sum(), dot.sum()))
    return Turn(
        pair=pair,
        shift=shift,
        angle=angle,
        error=float(np.linalg.norm(after - before @ rotation(angle).T, axis=1).max()),
        points=points,
    )


def formula_angle(table: PositionTable, pair: int, shift: int) -> float | None:
    """Return the angle k·w_i of the formula, in radians; None if its pair is not a circle."""
    rates = table.frequencies
    if rates is None or table.kind == "double_sine":
        return None
    return float(shift * rates[2 * pair])
