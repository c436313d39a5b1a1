"""Opens a model by its path: a checkpoint of Loupe, or a folder that transformers saved."""

import hashlib
from pathlib import Path

import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.checkpoint_files import read_info, weights_hash
from model.checkpoints.metadata import CheckpointInfo
from model.files.durable import open_file
from model.foreign.errors import NotPouredError
from model.foreign.finding import kind_of
from model.foreign.hub.cache import snapshot_in
from model.foreign.huggingface import Opened, Recording, plan_recording, record_folder
from model.foreign.imports.folder import family_of, read_config, read_files
from model.foreign.imports.folder_files import CONFIG
from model.foreign.imports.installed import has_transformers
from model.foreign.imports.load import open_folder, plan_folder, read_folder
from model.foreign.imports.plan import Plan

_CHUNK = 1 << 24


def open_model(path: Path, device: str | torch.device = "cpu") -> Opened:
    """Open a checkpoint of Loupe by its path without suffix, or the folder of a third-party model.

    If Loupe does not implement a folder's family, or computes less than its config or weights
    specify, transformers' code runs the folder and Loupe records it. A model's folder in Hugging
    Face's cache opens at its default branch. Raises CheckpointError with one sentence if the path
    cannot be opened, ImportError if transformers is needed and missing.
    """
    path = snapshot_in(path)
    if not _is_folder(path):
        return load_checkpoint(path, device)
    is_poured = not isinstance(plan_model(path), Recording)
    return open_folder(path, device) if is_poured else record_folder(path, device)


def describe_model(path: Path) -> CheckpointInfo:
    """Read everything about a model except its weights. Raises as `open_model` does.

    The description of a recorded model needs a pass, so such a model is opened.
    """
    path = snapshot_in(path)
    if not _is_folder(path):
        return read_info(path)
    is_poured = not isinstance(plan_model(path), Recording)
    return read_folder(path) if is_poured else record_folder(path).info


def plan_model(path: Path) -> Plan | Recording:
    """Describe what opening a folder would load, without loading it. Raises as `open_model`."""
    if kind_of(path) is not None and family_of(path) is None:
        return plan_recording(path)
    try:
        return plan_folder(path)
    except NotPouredError:
        if not has_transformers():
            raise
        return plan_recording(path)


def identity(path: Path) -> str:
    """Return the sha256 of a model's weights; for a folder, of its weight files in order.

    Raises CheckpointError if they cannot be found, OSError if they cannot be read.
    """
    path = snapshot_in(path)
    if not _is_folder(path):
        return weights_hash(path)
    found = read_files(path, read_config(path)).tensors.values()
    digest = hashlib.sha256()
    for file in sorted({stored.file for stored in found}):
        with open_file(file) as opened:
            while chunk := opened.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _is_folder(path: Path) -> bool:
    return (path / CONFIG).is_file()
