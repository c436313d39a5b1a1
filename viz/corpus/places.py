"""The folders of atlases: the one that LOUPE_ATLAS names, then the shipped one."""

import os
from pathlib import Path

from viz.corpus.atlas import atlases_in
from viz.corpus.shards import MANIFEST
from viz.corpus.store import Stamp, Store

_SHIPPED = Path(__file__).parents[2] / "sample_data" / "corpus"


def atlas_folders() -> dict[str, Store]:
    """Return the atlases by the name of their checkpoint; your own hides a shipped one."""
    return {name: atlas for folder in _folders() for name, atlas in atlases_in(folder).items()}


def place_of(checkpoint: str) -> tuple[Store, Stamp] | None:
    """Return the atlas of a checkpoint with the stamp of its manifest; None if there is none."""
    if Path(checkpoint).name != checkpoint:
        return None
    for folder in reversed(_folders()):
        if stamp := (folder / checkpoint / MANIFEST).stamp():
            return folder / checkpoint, stamp
    return None


def _folders() -> list[Store]:
    own = os.environ.get("LOUPE_ATLAS")
    return [Store.at(_SHIPPED), *([Store.at(own)] if own else [])]
