"""Plans the opening of a third-party model, before it is opened."""

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
    """Return the plan for opening a model's folder by its name, or why it cannot be opened."""
    try:
        return planned_at(stamp(name))
    except FolderError as error:
        return str(error)


@cached
def planned_at(checkpoint: Stamp) -> "Plan | Recording | str":
    """Return the plan for opening a folder in the state of a stamp, or why it cannot be opened."""
    return plan_of(Path(checkpoint.path))


def plan_of(path: Path) -> "Plan | Recording | str":
    """Return the plan for opening a folder, or why it cannot be opened."""
    from model.foreign.opening import plan_model

    try:
        return plan_model(path)
    except CheckpointError as error:
        return str(error)
