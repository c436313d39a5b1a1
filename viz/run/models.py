"""Models of others that the app lists: the folders in the one that LOUPE_MODELS names."""

import os
from pathlib import Path

from model.foreign.imports.folder import find_models
from model.foreign.imports.load import name_of

PREFIX = "models/"
"""Begins the name of each, which no checkpoint of our own can have."""


def models_folder() -> Path | None:
    """Return the folder of foreign models, where whoever started the app has named one."""
    named = os.environ.get("LOUPE_MODELS")
    return Path(named).expanduser() if named else None


def model_folders() -> dict[str, Path]:
    """List the folders by the names that they have in the app; of two names alike both are told."""
    root = models_folder()
    found: dict[str, Path] = {}
    for path in find_models(root) if root else ():
        name, number = f"{PREFIX}{name_of(path)}", 1
        while name in found:
            number += 1
            name = f"{PREFIX}{name_of(path)}-{number}"
        found[name] = path
    return found


def written_at(folder: Path) -> int:
    """Return when the latest file of a folder was written, in nanoseconds; 0 where none can be."""
    try:
        return max((path.stat().st_mtime_ns for path in folder.iterdir()), default=0)
    except OSError:
        return 0
