"""Numbers as pages write them: their values, and the rounding that the text implies."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

NUMBER = r"(?:[−-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[−-]?\d+)?|[−-]?∞|NaN)"
"""One number as the pages write it: "−1,024.5", ".07", "3e−7"."""
SHARE = rf"(?:[<>]\s)?{NUMBER}\s?%"
"""One share of a whole: "87%", "< 0.1%", in French "87 %"."""
_PLAIN = str.maketrans({"−": "-", " ": "", "\u00a0": "", ",": "", "±": ""})


class Stated(NamedTuple):
    """A number in a text."""

    low: float
    high: float
    """The bounds of the numbers that round to it."""

    @property
    def middle(self) -> float:
        return self.low if self.low == self.high else (self.low + self.high) / 2


def read_number(text: str) -> Stated:
    """Read a number, a percentage, or "< 0.1%". Raises ValueError on other texts."""
    text = text.strip().translate(_PLAIN).removeprefix("+")
    share = 0.01 if text.endswith("%") else 1.0
    text = text.removesuffix("%")
    if match := re.fullmatch(r"(<|below|>|above)(.+)", text):
        edge = float(match[2]) * share
        return Stated(0.0, edge) if match[1] in ("<", "below") else Stated(edge, 1.0)
    if match := re.fullmatch(r"(-?)∞|NaN", text):
        edge = math.nan if text == "NaN" else float(f"{match[1]}inf")
        return Stated(edge, edge)
    match = re.fullmatch(r"-?\d*(?:\.(\d*))?(?:e(-?\d+))?", text)
    if match is None:
        raise ValueError(f"no number: {text!r}")
    value = float(text) * share
    half = 0.5 * 10.0 ** (int(match[2] or 0) - len(match[1] or "")) * share
    return Stated(value - half, value + half)


def sentence(pattern: str) -> str:
    """Write out a pattern in which `<#>` stands for a number and `<%>` for a share of 100."""
    return pattern.replace("<#>", f"({NUMBER})").replace("<%>", f"({SHARE})")


def count(text: str) -> int:
    return int(text.replace(",", ""))


def nearest(values: Iterable[float], text: str) -> float:
    """Choose the number that a text is nearest to, of several that it may be about."""
    stated = read_number(text).middle
    return float(min(values, key=lambda value: abs(value - stated)))


EVEN = 1.5
"""A row is even if its largest weight is below so many times the mean of the others."""


def is_even(row: ArrayLike, allowed: int, within: float = 2e-5) -> bool | None:
    """Return whether a row reads all its keys equally; None if float32 rounding decides."""
    largest = float(np.asarray(row).max())
    over = largest * (allowed - 1) - EVEN * (1 - largest)
    return None if 0 < abs(over) < within * allowed else over < 0


def most(names: Sequence[str], row: ArrayLike, within: float = 1e-6) -> list[str]:
    """Name the largest number's place, and all places that are equal to it in float32."""
    found = np.asarray(row)
    return [names[int(k)] for k in np.flatnonzero(found >= found.max() - within)]
