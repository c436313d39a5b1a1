"""Opens trained models by name or folder."""

import difflib
from pathlib import Path

from loupe.house import HOME
from model.checkpoint import Checkpoint, CheckpointError, list_checkpoints, load_checkpoint

SHIPPED = HOME / "sample_data" / "checkpoints"


def load(name: str | Path) -> Checkpoint:
    """Open a checkpoint that Loupe brings, by its name, or one of your own, by its path.

    Raises CheckpointError where there is none, or where it cannot be read.
    """
    path = Path(name)
    if path.is_dir():
        return _only_one(path)
    if path.with_name(f"{path.name}.json").is_file() or path.is_file():
        return load_checkpoint(path)
    shipped = [found.name for found in list_checkpoints(SHIPPED)]
    if str(name) in shipped:
        return load_checkpoint(SHIPPED / name)
    nearest = difflib.get_close_matches(str(name), shipped, n=3, cutoff=0.0)
    raise CheckpointError(
        f"{name} is neither a file, nor a folder, nor a checkpoint that Loupe brings; "
        f"of these, the nearest are {', '.join(nearest)}"
    )


def _only_one(folder: Path) -> Checkpoint:
    found = list_checkpoints(folder)
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise CheckpointError(f"{folder} must hold one checkpoint, got {names}: give its path")
    return load_checkpoint(found[0])
