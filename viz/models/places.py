"""The folders of the app's own checkpoints, and of those that a person kept."""

import os
from pathlib import Path

from viz.run.inputs import Stamp

_FOLDER = Path(__file__).parents[2] / "sample_data" / "checkpoints"


def checkpoint_folder() -> Path:
    """Return the folder of the checkpoints: the repository's, or the one in LOUPE_CHECKPOINTS."""
    return Path(os.environ.get("LOUPE_CHECKPOINTS") or _FOLDER)


def kept_folder() -> Path:
    """Return the folder of the user's own checkpoints; it may not exist yet."""
    if named := os.environ.get("LOUPE_KEPT"):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "loupe" / "checkpoints"


def own_stamp(name: str) -> Stamp:
    """Return the path of a checkpoint in one of the folders, with the time when it was written."""
    for folder in (checkpoint_folder(), kept_folder()):
        try:
            return Stamp(str(folder / name), (folder / f"{name}.json").stat().st_mtime_ns)
        except OSError:
            continue
    return Stamp(str(checkpoint_folder() / name), 0)
