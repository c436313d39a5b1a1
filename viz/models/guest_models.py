"""Models that are no files: whoever serves the app from a process of their own holds them in it."""

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

_held: dict[str, "Opened"] = {}


def hold(checkpoint: "Opened") -> str:
    """Keep a model as long as the process lives, or until it is let go; give the name it gets.

    Nobody can guess the name, and no file has it.
    """
    name = f"{checkpoint.info.name}-{secrets.token_hex(8)}"
    _held[name] = checkpoint
    return name


def let_go(name: str) -> None:
    """Forget a model."""
    _held.pop(name, None)


def held_names() -> list[str]:
    """List what is held, the latest first."""
    return [*reversed(_held)]


def held(name: str) -> "Opened | None":
    """Find a model that is held; None where it is a file's."""
    return _held.get(name)
