"""Checks options given as words or numbers; the errors list the valid values."""

from collections.abc import Iterable, Sequence


def check_choice(option: str, given: object, choices: Iterable[object]) -> None:
    """Raise ValueError unless the value of an option is one of its choices."""
    offered = tuple(choices)
    if given not in offered:
        raise ValueError(f"{option} must be {_either(list(map(repr, offered)))}, got {given!r}")


def check_list(option: str, given: object) -> None:
    """Raise TypeError unless an option is a list of positions."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise TypeError(f"{option} must be a list of positions, such as [-1], got {given!r}")


def check_positions(option: str, given: Sequence[int], size: int) -> None:
    """Raise ValueError unless a text has each position; negative ones count from its end.

    Raises TypeError on anything but a list of positions.
    """
    check_list(option, given)
    outside = [place for place in given if type(place) is not int or not -size <= place < size]
    if outside:
        raise ValueError(
            f"{option} must hold positions from {-size} to {size - 1}, got {outside[0]!r}"
        )


def _either(offered: Sequence[str]) -> str:
    *others, last = offered
    return f"{', '.join(others)} or {last}" if others else last
