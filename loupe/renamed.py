"""Old names of options and functions, which still work and warn that they have new names."""

import warnings
from typing import TypeVar

T = TypeVar("T")


def warn_of(old: str, new: str, *, depth: int = 3) -> None:
    """Warn the caller of a public function that a name is old."""
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=depth)


def renamed(old: str, old_value: T | None, new: str, new_value: T | None) -> T | None:
    """Return the value of an option, under whichever of its two names it was given.

    Raises TypeError if it has both.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise TypeError(f"{old} is the old name of {new}: give {new} alone")
    warn_of(f"{old}=", f"{new}=", depth=4)
    return old_value
