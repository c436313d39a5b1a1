"""Models without files, which a process that serves the app holds in memory."""

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

_held: dict[str, "Opened"] = {}


def hold(checkpoint: "Opened") -> str:
    """Keep a model until the process ends or lets it go; return its name.

    Nobody can guess the name, and no file has it.
    """
    name = f"{checkpoint.info.name}-{secrets.token_hex(8)}"
    _held[name] = checkpoint
    return name


def let_go(name: str) -> None:
    """Forget a model."""
    _held.pop(name, None)


def held_names() -> list[str]:
    """Return the names of the held models, the latest first."""
    return [*reversed(_held)]


def held(name: str) -> "Opened | None":
    """Return a held model; None for a model with files."""
    return _held.get(name)
