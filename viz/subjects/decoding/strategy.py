"""How a path is decoded, and where it leaves the model's choice: values, and text for a link."""

import itertools
import math
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from texts import say

Mode = Literal["Greedy", "Sampling", "Beam", "Given"]
"""Given: the target was typed; what follows a fork is decoded greedily."""

MAX_BRANCHES = 8
"""Branches that a link may hold beside the model's choice."""
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


def branches_text(branches: Iterable[Branch]) -> str:
    """Write branches as a link has them: `5:123,5:123.7:44`, forks of one branch after a point."""
    return ",".join(".".join(f"{fork.step}:{fork.token}" for fork in one) for one in branches)


def read_branches(text: str) -> tuple[tuple[Branch, ...], tuple[str, ...]]:
    """Read what `branches_text` wrote; what cannot be one is left out, with a note for each."""
    branches: list[Branch] = []
    notes: list[str] = []
    for part in filter(None, text[:1000].split(",")):
        branch = _read_branch(part)
        if branch is None:
            notes.append(say("decoding.not_a_branch", text=repr(part[:40])))
        elif branch not in branches:
            branches.append(branch)
    if len(branches) > MAX_BRANCHES:
        notes.append(say("decoding.too_many_branches", asked=len(branches), most=MAX_BRANCHES))
    return tuple(branches[:MAX_BRANCHES]), tuple(notes)


def _read_branch(text: str) -> Branch | None:
    if not _BRANCH.fullmatch(text):
        return None
    pairs = (part.split(":") for part in text.split("."))
    branch = tuple(Fork(int(step), int(token)) for step, token in pairs)
    steps = [fork.step for fork in branch]
    ordered = all(a < b for a, b in itertools.pairwise(steps))
    return branch if ordered and len(branch) <= MAX_FORKS else None
