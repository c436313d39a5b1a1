"""Checkpoints that people kept from their trainings: their folder, and files to download."""

import dataclasses
import errno
import io
import zipfile
from pathlib import Path

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from texts import say
from viz.models.own_checkpoints import kept_names
from viz.models.places import kept_folder

MOST_KEPT = 20
"""The most kept checkpoints, so that a shared server does not fill its disk."""


class KeptFolderFullError(ValueError):
    """There is no room for another checkpoint; the message says what would help."""


def keep(checkpoint: Path) -> str:
    """Copy a checkpoint to the user's own folder; return its name there.

    Raises KeptFolderFullError if there are too many, OSError if the folder cannot be written.
    """
    names = kept_names()
    if len(names) >= MOST_KEPT:
        raise KeptFolderFullError(
            say("run.shelf_full", folder=kept_folder(), count=len(names), most=MOST_KEPT)
        )
    found = load_checkpoint(checkpoint)
    path = _claim(f"{checkpoint.name}-step-{found.info.training['step']}")
    try:
        save_checkpoint(path, found.model, dataclasses.replace(found.info, name=path.name))
    except BaseException:
        _weights(path).unlink(missing_ok=True)
        raise
    return path.name


def why_unwritable(error: OSError, folder: Path) -> str:
    """Explain why a folder cannot be written, and what would help, in the reader's language."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return say("run.disk_full", folder=folder)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return say("run.read_only", folder=folder)
        case errno.EEXIST | errno.ENOTDIR:
            return say("run.file_in_place", folder=folder)
        case _:
            return str(error)


def _claim(base: str) -> Path:
    """Claim the first free name, so that someone who keeps another one now gets the next name."""
    folder = kept_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path, number = folder / base, 1
    while not _take(path):
        number += 1
        path = folder / f"{base}-{number}"
    return path


def _take(path: Path) -> bool:
    """Claim a name if it is free, by an empty file of weights: without a JSON it is not listed."""
    if path.with_name(f"{path.name}.json").exists():
        return False
    try:
        _weights(path).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _weights(path: Path) -> Path:
    return path.with_name(f"{path.name}.safetensors")


def pack(checkpoint: Path) -> bytes:
    """Pack both files of a checkpoint into a ZIP archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for suffix in (".json", ".safetensors"):
            files.write(checkpoint.with_name(checkpoint.name + suffix), checkpoint.name + suffix)
    return archive.getvalue()
