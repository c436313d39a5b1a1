"""How a path is decoded, and where it leaves the model's choice, as values and for a link."""

import itertools
import math
import re
from typing import Literal, NamedTuple

Mode = Literal["Greedy", "Sampling", "Beam", "Given"]
"""The strategies. "given": the target was typed; after a fork, decoding is greedy."""

MAX_FORKS = 8
"""The largest number of forks in one branch."""
TEMPERATURE_PLACES = (
    *(place / 20 for place in range(1, 21)),
    *(place / 10 for place in range(11, 21)),
    *(place / 2 for place in range(5, 11)),
)
"""The steps of the slider, finer below 1."""
TEMPERATURES = (TEMPERATURE_PLACES[0], TEMPERATURE_PLACES[-1])
WIDTHS = (1, 10)
PENALTIES = (0.0, 2.0)
LAST_SEED = 999_999

_BRANCH = re.compile(r"\d{1,5}:\d{1,6}(\.\d{1,5}:\d{1,6})*", re.ASCII)


class Fork(NamedTuple):
    """A token taken against the model's choice; the tokens after it are decoded again."""

    step: int
    token: int


Branch = tuple[Fork, ...]
"""Forks in the order of their steps; an empty tuple is the model's own choice."""


class Shaping(NamedTuple):
    """The shaping of a distribution before a token is drawn from it."""

    temperature: float = 1.0
    top_k: int = 0
    """0 keeps all tokens."""
    top_p: float = 1.0


class Strategy(NamedTuple):
    """All that determines the text after a prefix, as plain numbers that caches accept."""

    mode: Mode = "Greedy"
    shaping: Shaping = Shaping()
    seed: int = 0
    width: int = 4
    length_penalty: float = 0.6


def shaping_text(shaping: Shaping) -> str:
    """Write the shaping of a distribution for a link."""
    return f"{shaping.temperature:g}:{shaping.top_k}:{shaping.top_p:g}"


def read_shaping(text: str) -> Shaping | None:
    """Read the text of `shaping_text`; None if its form or its distribution is not valid.

    A temperature out of range becomes the nearest valid one.
    """
    parts = text.split(":")
    if len(parts) != 3:
        return None
    try:
        temperature, top_k, top_p = float(parts[0]), int(parts[1][:9]), float(parts[2])
    except ValueError:
        return None
    if not (math.isfinite(temperature) and temperature > 0 and top_k >= 0 and 0 < top_p <= 1):
        return None
    least, most = TEMPERATURES
    return Shaping(min(max(temperature, least), most), top_k, top_p)


def branch_text(branch: Branch) -> str:
    """Write a branch for a link: `5:123.7:44`."""
    return ".".join(f"{fork.step}:{fork.token}" for fork in branch)


def read_branch(text: str) -> Branch | None:
    """Read the text of `branch_text`; None if it is not valid. The last of several is taken."""
    text = text[-1000:].rpartition(",")[2]
    if not _BRANCH.fullmatch(text):
        return None
    pairs = (part.split(":") for part in text.split("."))
    branch = tuple(Fork(int(step), int(token)) for step, token in pairs)
    ordered = all(a.step < b.step for a, b in itertools.pairwise(branch))
    return branch if ordered and len(branch) <= MAX_FORKS else None
