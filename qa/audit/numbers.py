"""Numbers as pages write them: what a text states, and how far from it the number may be."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qa.audit.ledger import Ledger

NUMBER = r"(?:[−-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[−-]?\d+)?|[−-]?∞|NaN)"
"""One number as the pages write it: "−1,024.5", ".07", "3e−7"."""
_SLACK = 4e-6
"""Of float32, in which the app computes, as a share of the number: it may be at the other side of
a digit's boundary."""


class Stated(NamedTuple):
    """A number in a text."""

    low: float
    high: float
    """The numbers of which it is a rounding lie between the two."""

    @property
    def middle(self) -> float:
        return self.low if self.low == self.high else (self.low + self.high) / 2


def read_number(text: str) -> Stated:
    """Read a number, a percentage, or "under 0.1 %". Raises ValueError on other texts."""
    text = text.strip().replace("−", "-").replace(" ", "").removeprefix("±").removeprefix("+")
    share = 0.01 if text.endswith("%") else 1.0
    text = text.removesuffix("%")
    if match := re.fullmatch(r"(under|below|over|above)(.+)", text):
        edge = float(match[2].replace(",", "")) * share
        return Stated(0.0, edge) if match[1] in ("under", "below") else Stated(edge, 1.0)
    if text in ("∞", "-∞"):
        edge = math.inf if text == "∞" else -math.inf
        return Stated(edge, edge)
    if text == "NaN":
        return Stated(math.nan, math.nan)
    match = re.fullmatch(r"(-?)(\d[\d,]*|)(?:\.(\d*))?(?:e(-?\d+))?", text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"no number: {text!r}")
    whole, decimals, power = match[2].replace(",", ""), match[3] or "", int(match[4] or 0)
    value = float(f"{whole or '0'}.{decimals or '0'}e{power}") * share
    value = -value if match[1] else value
    half = 0.5 * 10.0 ** (power - len(decimals)) * share
    return Stated(value - half, value + half)


def check_stated(
    ledger: Ledger,
    what: str,
    text: str,
    computed: ArrayLike,
    *,
    place: str = "",
    slack: float = 0.0,
) -> bool:
    """Judge a number in a text: it has to be a rounding of what was computed.

    `slack` is how far float32 may have taken it, beside a few parts in a million.
    """
    value = float(np.asarray(computed, np.float64))
    try:
        low, high = read_number(text)
    except ValueError:
        return ledger.same(what, text, f"{value:.6g}", place)
    if math.isnan(low) or math.isinf(low):
        return ledger.number(what, low, value, 0.0, place)
    middle, half = (low + high) / 2, (high - low) / 2
    room = half * (1 + 1e-9) + abs(value) * _SLACK + slack + 1e-12
    return ledger.number(what, middle, value, room, f"{place} ({text})" if place else text)


Claim = tuple[str, object] | None
"""What a group of a sentence is about, and what was computed of it."""


def sentence(pattern: str) -> str:
    """Write out a pattern in which `<#>` stands for a number and `<%>` for a share of 100."""
    share = rf"((?:over |under )?{NUMBER} %)"
    return pattern.replace("<#>", f"({NUMBER})").replace("<%>", share)


def says(
    ledger: Ledger,
    text: str,
    pattern: str,
    *claims: Claim,
    place: str = "",
    slack: float = 0.0,
    missing: str = "",
) -> re.Match[str] | None:
    """Find a sentence in a text, and judge each of its groups by what was computed.

    A word has to be the same, or among several; a whole number exact; any other number a rounding.
    `missing` names what the page lacks where it does not say so.
    """
    match = re.search(sentence(pattern), text)
    if match is None:
        if missing:
            ledger.missing(missing)
        return None
    for said, claim in zip(match.groups(), claims, strict=False):
        if said is None or claim is None:
            continue
        what, computed = claim
        if isinstance(computed, str):
            ledger.same(what, said.strip(), computed, place)
        elif isinstance(computed, int):
            ledger.same(what, count(said), computed, place)
        elif isinstance(computed, list):
            ledger.among(what, said.strip(), computed, place)
        else:
            check_stated(ledger, what, said, computed, place=place, slack=slack)  # type: ignore[arg-type]
    return match


def count(text: str) -> int:
    return int(text.replace(",", ""))


def nearest(values: Iterable[float], text: str) -> float:
    """Choose the number that a text is nearest to: of several that it may be about."""
    stated = read_number(text).middle
    return float(min(values, key=lambda value: abs(value - stated)))


def most(names: Sequence[str], row: ArrayLike, within: float = 1e-6) -> list[str]:
    """Name what has the largest number, and what is as large in float32."""
    found = np.asarray(row)
    return [names[int(k)] for k in np.flatnonzero(found >= found.max() - within)]
