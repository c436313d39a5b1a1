"""What a demonstration reports: numbers in tables and lines, and a verdict made from them."""

from abc import ABC, abstractmethod
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
    """Some curves over one axis."""

    title: str
    x_title: str
    y_title: str
    x: Float[np.ndarray, " x"]
    lines: Mapping[str, Float[np.ndarray, " x"]]
    """Heights by name; NaN where a curve has none."""
    log_x: bool = False
    log_y: bool = False
    marks: tuple[float, ...] = ()
    """Places on the x axis worth a look."""


class Demonstration(ABC):
    """What one demonstration measured."""

    @property
    @abstractmethod
    def verdict(self) -> str:
        """Say what the numbers show. The words follow the numbers."""

    @property
    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """Give the numbers."""

    @property
    def lines(self) -> tuple[Lines, ...]:
        """Give what is better drawn; most have nothing."""
        return ()


def short(value: float) -> str:
    """Write a number with two significant digits, for a sentence."""
    text = f"{value:.2g}" if not 10 <= abs(value) < 1e5 else f"{value:,.0f}"
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e").replace("-", "−")


def share(part: float) -> str:
    """Write a part of a whole, for a sentence; what is not all does not become so."""
    if 0.9995 <= part < 1:
        return "over 99.9 %"
    if 0 < part < 0.0005:
        return "under 0.1 %"
    return f"{part:.1%}".replace("%", " %").replace(".0 ", " ")
