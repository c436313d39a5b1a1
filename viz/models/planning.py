"""What opening a third-party model would load, before it is opened."""

from pathlib import Path
from typing import TYPE_CHECKING

from model.checkpoints.errors import CheckpointError
from model.foreign.errors import FolderError
from viz.models.stamps import stamp
from viz.run.inputs import Stamp
from viz.run.result_cache import cached

if TYPE_CHECKING:  # third-party models take as long to import as the app itself
    from model.foreign.huggingface import Recording
    from model.foreign.imports.plan import Plan


def planned(name: str) -> "Plan | Recording | str":
    """Return what opening the folder of a model would load, or why it cannot be opened."""
    try:
        return planned_at(stamp(name))
    except FolderError as error:
        return str(error)


@cached
def planned_at(checkpoint: Stamp) -> "Plan | Recording | str":
    """Return what opening a folder would load as it was written at a time, or why it cannot be."""
    return plan_of(Path(checkpoint.path))


def plan_of(path: Path) -> "Plan | Recording | str":
    """Return what opening a folder would load, or why it cannot be opened."""
    from model.foreign.opening import plan_model

    try:
        return plan_model(path)
    except CheckpointError as error:
        return str(error)
