"""The stamp of each listed model: its path, and the time when it was written."""

from pathlib import Path

from model.checkpoints.errors import CheckpointError
from model.files.json_fields import shorten
from model.foreign.errors import FolderError
from texts import say
from viz.models.folders import PREFIX, cached_model, model_folders, written_at
from viz.models.guest_models import held
from viz.models.places import own_stamp
from viz.run.inputs import Stamp
from viz.run.result_cache import cached
from viz.work.visit import is_at_this_machine


def cached_folder(name: str) -> Path | None:
    """Return the folder of a cached Hugging Face model, for the person at this machine only."""
    found = cached_model(name) if is_at_this_machine() else None
    return found.path if found else None


def stamp(name: str) -> Stamp:
    """Return the path of a checkpoint or model folder, with the time when it was written.

    A held model has only its name. Raises FolderError if no listed folder has this name; a name
    leads nowhere else.
    """
    if held(name):
        return Stamp(name, 0)
    if name.startswith(PREFIX):
        path = model_folders().get(name) or cached_folder(name)
        if path is None:
            raise FolderError(say("run.no_folder", name=shorten(name.removeprefix(PREFIX))))
        return Stamp(str(path), written_at(path), foreign=True)
    return own_stamp(name)


def weights_hash(checkpoint: Stamp) -> str | None:
    """Return the sha256 of a model's weights; None if they have no file."""
    if held(checkpoint.path):
        return None
    try:
        return _weights_hash(checkpoint)
    except CheckpointError:  # the file was removed after the model was loaded
        return None


@cached
def _weights_hash(checkpoint: Stamp) -> str:
    from model.foreign.opening import identity

    return identity(Path(checkpoint.path))
