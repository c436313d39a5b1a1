"""Where the atlases are: those in the folder that LOUPE_ATLAS names, then the shipped ones."""

import os
from pathlib import Path

from viz.corpus.atlas import atlases_in
from viz.corpus.shards import MANIFEST
from viz.corpus.store import Stamp, Store

_SHIPPED = Path(__file__).parents[2] / "sample_data" / "corpus"


def atlas_folders() -> dict[str, Store]:
    """List the atlases by the name of their checkpoint; one of one's own hides a shipped one."""
    return {name: atlas for folder in _folders() for name, atlas in atlases_in(folder).items()}


def place_of(checkpoint: str) -> tuple[Store, Stamp] | None:
    """Find the atlas of a checkpoint, and which contents its manifest has."""
    if Path(checkpoint).name != checkpoint:
        return None
    for folder in reversed(_folders()):
        if stamp := (folder / checkpoint / MANIFEST).stamp():
            return folder / checkpoint, stamp
    return None


def _folders() -> list[Store]:
    own = os.environ.get("LOUPE_ATLAS")
    return [Store.at(_SHIPPED), *([Store.at(own)] if own else [])]
