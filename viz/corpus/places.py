"""Where the atlases are: those in the folder that LOUPE_ATLAS names, then the shipped ones."""

import os
from pathlib import Path

from viz.corpus.atlas import atlases_in
from viz.corpus.store import Store

_SHIPPED = Path(__file__).parents[2] / "sample_data" / "corpus"


def atlas_folder() -> Store | None:
    """Return the folder of atlases, where whoever started the app has named one."""
    named = os.environ.get("LOUPE_ATLAS")
    return Store.at(named) if named else None


def atlas_folders() -> dict[str, Store]:
    """List the atlases by the name of their checkpoint; one of one's own hides a shipped one."""
    own = atlas_folder()
    return atlases_in(Store.at(_SHIPPED)) | (atlases_in(own) if own else {})
