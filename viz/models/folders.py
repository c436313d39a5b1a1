"""Third-party models that the app lists: those in the folders of LOUPE_MODELS, and cached ones."""

import os
from pathlib import Path

from model.foreign.finding import find_models, name_of
from model.foreign.hub.cache import CachedModel, find_cached, origin_of, snapshot_in
from model.foreign.hub.names import HubError, read_name

PREFIX = "models/"
"""Prefix of their names, which no checkpoint of Loupe's own can have."""


def models_folders() -> list[Path]:
    """Return the folders in LOUPE_MODELS, separated as in PATH."""
    named = os.environ.get("LOUPE_MODELS") or ""
    whole = Path(named).expanduser()
    parts = [named] if whole.exists() else named.split(os.pathsep)
    return [Path(part).expanduser() for part in parts if part]


def model_folders() -> dict[str, Path]:
    """Return the model folders by their names in the app; equal names are made different."""
    found: dict[str, Path] = {}
    for path in (path for root in models_folders() for path in find_models(root)):
        if path in found.values():
            continue
        name, number = f"{PREFIX}{name_of(path)}", 1
        if name in found and (origin := origin_of(path)):
            name = f"{PREFIX}{origin.repo}@{origin.short_commit}"
        while name in found:
            number += 1
            name = f"{PREFIX}{name_of(path)}-{number}"
        found[name] = path
    return found


def named_model() -> str | None:
    """Return the model that the app starts with: the first named folder, if it is one model."""
    first = next(iter(models_folders()), None)
    is_one = first is not None and find_models(first) == [snapshot_in(first)]
    return next(iter(model_folders()), None) if is_one else None


def cached_model(name: str) -> CachedModel | None:
    """Return a model of the user's Hugging Face cache by its name in the app; None if missing."""
    try:
        return find_cached(read_name(name.removeprefix(PREFIX)))
    except HubError:
        return None


def written_at(folder: Path) -> int:
    """Return the time of a folder's latest file, in nanoseconds; 0 if there is none."""
    try:
        return max((path.stat().st_mtime_ns for path in folder.iterdir()), default=0)
    except OSError:
        return 0
