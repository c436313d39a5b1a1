"""What a shift by k positions does to an encoding: a rotation of each pair of dimensions."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from viz.subjects.positions.table import PositionTable

EXACT = 1e-9
"""What double precision may leave of a difference that is 0 on paper."""


@dataclass(frozen=True, eq=False)
class Turn:
    """What a shift by some positions does to one pair of dimensions, 2i and 2i + 1."""

    pair: int
    """i, counted from 0."""
    shift: int
    angle: float
    """Radians of the rotation that comes nearest, from minus pi to pi."""
    error: float
    """Most that a shifted pair lies from the turned one; 0 where the shift is that rotation."""
    points: Float[np.ndarray, "position 2"]
    """The pair at every position."""

    @property
    def is_rotation(self) -> bool:
        """Whether one rotation takes every PE(pos) to PE(pos + k)."""
        return self.error < EXACT

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to turn: the pair is 0 at every position."""
        return not self.points.any()


def rotation(angle: float) -> Float[np.ndarray, "2 2"]:
    """Turn a pair (sin a, cos a) into (sin(a + angle), cos(a + angle))."""
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def turn(values: Float[np.ndarray, "position d_model"], pair: int, shift: int) -> Turn:
    """Fit one rotation to the shift, over all positions that it stays within the table for.

    Raises ValueError where there is no such pair, or no position `shift` further on.
    """
    length, d_model = values.shape
    if not 0 <= pair < d_model // 2:
        raise ValueError(f"there are pairs 0 to {d_model // 2 - 1}, got {pair}")
    if not 1 <= shift < length:
        raise ValueError(f"a shift within {length} positions is 1 to {length - 1}, got {shift}")
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
    """Angle that the formula itself gives, k·w_i in radians; None where its pair is no circle."""
    rates = table.frequencies
    if rates is None or table.kind == "double_sine":
        return None
    return float(shift * rates[2 * pair])
