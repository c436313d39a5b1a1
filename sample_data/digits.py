"""Digits to copy, reverse or sort, as the first word of the command says."""

import random
import re
from collections.abc import Iterator

from sample_data.knowledge import Knowledge
from sample_data.pairs import Pair

_LENGTHS = range(3, 13)
_COMMANDS = ("copy", "reverse", "sort")


def random_pairs(rng: random.Random) -> Iterator[Pair]:
    """Yield random commands without end."""
    while True:
        command = rng.choice(_COMMANDS)
        yield carry_out(command, rng.choices("0123456789", k=rng.choice(_LENGTHS)))


def carry_out(command: str, digits: list[str]) -> Pair:
    """Return the digits as the command arranges them; equal digits keep their order in a sort."""
    order = list(range(len(digits)))
    if command == "reverse":
        order.reverse()
    elif command == "sort":
        order.sort(key=digits.__getitem__)
    elif command != "copy":
        raise ValueError(f"the command must be one of {', '.join(_COMMANDS)}, got {command!r}")
    return Pair(
        " ".join([command, *digits]),
        " ".join(digits[index] for index in order),
        frozenset((index + 1, position) for position, index in enumerate(order)),
    )


def read(source: str) -> Pair | None:
    """Return the pair of a typed command; None if it is not a command."""
    command, *typed = source.split() or [""]
    if not typed or not all(re.fullmatch("[0-9]", digit) for digit in typed):
        return None
    try:
        return carry_out(command, typed)
    except ValueError:
        return None


KNOWLEDGE = Knowledge(pairs=random_pairs, read=read)
