"""Checkpoints that people kept of their trainings: a folder of theirs, and files to take away."""

import dataclasses
import io
import os
import zipfile
from pathlib import Path

from model.checkpoint import list_checkpoints, load_checkpoint, save_checkpoint

MOST_KEPT = 20
"""So that a server that many use does not fill its disk."""


class KeptFolderFullError(ValueError):
    """There is no room for another checkpoint; the message says what would help."""


def kept_folder() -> Path:
    """Give the folder of the user's own checkpoints; it may not exist yet."""
    if named := os.environ.get("LOUPE_KEPT"):
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "loupe" / "checkpoints"


def kept_names() -> list[str]:
    """List what was kept, by name."""
    return [path.name for path in list_checkpoints(kept_folder())]


def keep(checkpoint: Path) -> str:
    """Copy a checkpoint to the user's own; give the name that it has there.

    Raises KeptFolderFullError where there are too many, OSError where the folder cannot be written.
    """
    names = kept_names()
    if len(names) >= MOST_KEPT:
        raise KeptFolderFullError(
            f"{kept_folder()} holds {len(names)} checkpoints, at most {MOST_KEPT} are kept: "
            "delete some, or download this one."
        )
    found = load_checkpoint(checkpoint)
    step = found.info.training["step"]
    name = base = f"{checkpoint.name}-step-{step}"
    number = 1
    while name in names:
        number += 1
        name = f"{base}-{number}"
    save_checkpoint(kept_folder() / name, found.model, dataclasses.replace(found.info, name=name))
    return name


def pack(checkpoint: Path) -> bytes:
    """Put both files of a checkpoint into a ZIP archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for suffix in (".json", ".safetensors"):
            files.write(checkpoint.with_name(checkpoint.name + suffix), checkpoint.name + suffix)
    return archive.getvalue()
