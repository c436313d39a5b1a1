"""How a path is decoded, and where it leaves the model's choice: values, and text for a link."""

import itertools
import math
import re
from typing import Literal, NamedTuple

Mode = Literal["Greedy", "Sampling", "Beam", "Given"]
"""Given: the target was typed; what follows a fork is decoded greedily."""

MAX_FORKS = 8
"""Tokens that one branch may take against the model's choice."""
TEMPERATURE_PLACES = (
    *(place / 20 for place in range(1, 21)),
    *(place / 10 for place in range(11, 21)),
    *(place / 2 for place in range(5, 11)),
)
"""Of the slider: finer below 1."""
TEMPERATURES = (TEMPERATURE_PLACES[0], TEMPERATURE_PLACES[-1])
WIDTHS = (1, 10)
PENALTIES = (0.0, 2.0)
LAST_SEED = 999_999

_BRANCH = re.compile(r"\d{1,5}:\d{1,6}(\.\d{1,5}:\d{1,6})*", re.ASCII)


class Fork(NamedTuple):
    """A token taken against the model's choice; what follows it is decoded anew."""

    step: int
    token: int


Branch = tuple[Fork, ...]
"""Forks in the order of their steps; none is the model's choice itself."""


class Shaping(NamedTuple):
    """What is done to a distribution before a token is drawn from it."""

    temperature: float = 1.0
    top_k: int = 0
    """0 keeps all."""
    top_p: float = 1.0


class Strategy(NamedTuple):
    """All that decides what is written after a prefix. Plain numbers, so that caches take it."""

    mode: Mode = "Greedy"
    shaping: Shaping = Shaping()
    seed: int = 0
    width: int = 4
    length_penalty: float = 0.6


def shaping_text(shaping: Shaping) -> str:
    """Write what is done to a distribution as a link has it."""
    return f"{shaping.temperature:g}:{shaping.top_k}:{shaping.top_p:g}"


def read_shaping(text: str) -> Shaping | None:
    """Read what `shaping_text` wrote; None where it is not of that form or makes no distribution.

    A temperature out of range becomes the nearest that can be chosen.
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
    """Write a branch as a link has it: `5:123.7:44`."""
    return ".".join(f"{fork.step}:{fork.token}" for fork in branch)


def read_branch(text: str) -> Branch | None:
    """Read what `branch_text` wrote; None where it cannot be one. Of several, the last is taken."""
    text = text[-1000:].rpartition(",")[2]
    if not _BRANCH.fullmatch(text):
        return None
    pairs = (part.split(":") for part in text.split("."))
    branch = tuple(Fork(int(step), int(token)) for step, token in pairs)
    ordered = all(a.step < b.step for a, b in itertools.pairwise(branch))
    return branch if ordered and len(branch) <= MAX_FORKS else None
