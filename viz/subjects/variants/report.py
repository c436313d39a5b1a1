"""What a demonstration reports: a sentence made from its numbers, tables, and lines."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Value = str | int | float
"""A number is written by whoever shows it; words stay as they are."""


@dataclass(frozen=True)
class Table:
    """Numbers in rows, each of which begins with its name."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, eq=False)
class Lines:
    """Some curves over one axis, on a logarithmic scale."""

    title: str
    x_title: str
    y_title: str
    x: Float[np.ndarray, " x"]
    lines: Mapping[str, Float[np.ndarray, " x"]]
    """Heights by name; NaN where a curve has none."""


@dataclass(frozen=True, eq=False)
class Report:
    """What one demonstration says."""

    verdict: str
    """What the numbers show. The words follow the numbers."""
    tables: tuple[Table, ...]
    lines: tuple[Lines, ...] = ()
    """What is better drawn; most have nothing."""
