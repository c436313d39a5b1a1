"""Checks a caller's options; each error lists the possible values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from loupe.ids import is_text, texts_of
from model.edits import Bypass, Edits, PositionedEdit

_T = TypeVar("_T")
EditsByName = Mapping[str, Callable[[Tensor], Tensor]]
"""Functions, by captured names or patterns of names."""


def edits_of(given: EditsByName | None) -> Edits:
    """Return the edits of a caller. Raises TypeError unless they are functions by name."""
    if given is None:
        return Edits({})
    if not isinstance(given, Mapping):
        raise TypeError(
            "edits must be functions by name, such as "
            '{"decoder.layers.0.self_attn.heads[1]": torch.zeros_like}, got '
            f"{type(given).__name__}"
        )
    for name, edit in given.items():
        if not isinstance(name, str):
            raise TypeError(f"an edit must be under the name of a tensor, got {name!r}")
        if not (callable(edit) or isinstance(edit, PositionedEdit | Bypass)):
            raise TypeError(
                "an edit must be a function from a tensor to its replacement, such as "
                f"torch.zeros_like, got {type(edit).__name__} for {name!r}"
            )
    return Edits(dict(given))


def device_of(given: str | torch.device | None) -> torch.device | None:
    """Return a device. Raises ValueError if this machine has none of this name."""
    if given is None:
        return None
    try:
        found = torch.device(given)
        torch.empty(0, device=found)
    except (AssertionError, NotImplementedError, RuntimeError, TypeError) as error:
        there = ", ".join(map(repr, _devices()))
        raise ValueError(
            f"device must be one that this machine has ({there}), got {str(given)!r}"
        ) from error
    return found


def _devices() -> list[str]:
    found = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    return [*found, "mps"] if torch.backends.mps.is_available() else found


def patterns_of(option: str, given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return patterns of names. Raises TypeError or ValueError on anything else."""
    if given is None:
        return None
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise TypeError(f"{option} must be a list of patterns of names, got {given!r}")
    if not all(given):
        raise ValueError(f'{option} must hold patterns of names, such as "*.output", got {given!r}')
    return tuple(given)


def check_rows(rows: object, size: int, option: str = "rows") -> None:
    """Raise TypeError or ValueError unless rows are a slice, or positions in a text."""
    if isinstance(rows, slice):
        return
    if not isinstance(rows, Sequence | Tensor) or isinstance(rows, str):
        raise TypeError(
            f"{option} must be a slice or a list of positions, such as [-1], got {rows!r}"
        )
    for row in rows:
        if not isinstance(row, int | Tensor) or not -size <= int(row) < size:
            raise ValueError(f"{option} must be from {-size} to {size - 1}, got {row!r}")


def texts_in(option: str, given: object) -> list[str | Tensor]:
    """Return a list of texts. Raises TypeError on a single text, or on anything else."""
    found = texts_of(given)
    if not isinstance(found, list):
        raise TypeError(f"{option} must be a list of texts, such as [text], got {given!r}")
    return [_one(option, each) for each in found]


def _one(option: str, text: object) -> str | Tensor:
    if not is_text(text):
        raise TypeError(
            f"{option} must hold texts, as strings or the ids of their tokens, got "
            f"{type(text).__name__}"
        )
    return text


def for_each(option: str, given: _T | list[_T], count: int, what: str = "texts") -> list[Any]:
    """Return a value of an option for each text, from one value for all or a list."""
    if not isinstance(given, list):
        return [given] * count
    if len(given) != count:
        raise ValueError(
            f"{option} must be one for all {what}, or a list of {count}, got {len(given)}"
        )
    return given
