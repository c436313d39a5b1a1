"""Positional encodings as tables of numbers, in double precision (section 3.5 of the paper)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.config import Positions

PAPER_BASE = 10_000.0
DOUBLE_SINE_BASE = 1_000.0


@dataclass(frozen=True, eq=False)
class PositionTable:
    """Encodings of positions 0 to length - 1, and their formula if there is one."""

    kind: Positions
    values: Float[np.ndarray, "position d_model"]
    base: float = PAPER_BASE
    """The base of the powers in the formula."""

    @property
    def length(self) -> int:
        """Count the positions."""
        return self.values.shape[0]

    @property
    def d_model(self) -> int:
        """Count the dimensions."""
        return self.values.shape[1]

    @property
    def frequencies(self) -> Float[np.ndarray, " d_model"] | None:
        """Return the angle in radians that each dimension adds from one position to the next.

        Returns None if there are no waves: learned positions, and none.
        """
        return frequencies(self.kind, self.d_model, self.base)

    @property
    def wavelengths(self) -> Float[np.ndarray, " d_model"] | None:
        """Return the wavelength of each dimension, in positions; None if there are no waves."""
        rates = self.frequencies
        return None if rates is None else 2 * np.pi / rates


def formula_table(kind: Positions, length: int, d_model: int) -> PositionTable:
    """Compute the table of a formula.

    Raises ValueError for learned positions, which have no formula.
    """
    if kind == "learned":
        raise ValueError("learned positions have no formula: they are weights of a checkpoint")
    base = DOUBLE_SINE_BASE if kind == "double_sine" else PAPER_BASE
    values = waves(kind, np.arange(length, dtype=np.float64), d_model, base)
    return PositionTable(kind, values, base)


def waves(
    kind: Positions, places: Float[np.ndarray, " place"], d_model: int, base: float
) -> Float[np.ndarray, "place d_model"]:
    """Evaluate a formula at any positions, including those between two; zeros for none."""
    rates = frequencies(kind, d_model, base)
    if rates is None:
        return np.zeros((len(places), d_model))
    angles = np.outer(places, rates)
    even = np.arange(d_model) % 2 == 0
    return np.where(even | (kind == "double_sine"), np.sin(angles), np.cos(angles))


def frequencies(kind: Positions, d_model: int, base: float) -> Float[np.ndarray, " d_model"] | None:
    """Return the factor of the position in each dimension's wave; None if there are no waves.

    The paper's: base^(-2i/d_model) in dimensions 2i and 2i + 1. double_sine: base^(-2j/d_model) in
    each dimension j. single_frequency: 1 in all.
    """
    dimension = np.arange(d_model)
    if kind == "sinusoidal":
        return base ** (-(dimension - dimension % 2) / d_model)
    if kind == "double_sine":
        return base ** (-2.0 * dimension / d_model)
    return np.ones(d_model) if kind == "single_frequency" else None
