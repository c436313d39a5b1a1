"""The app's own checkpoints by name, and their descriptions."""

from pathlib import Path

from model.checkpoints import checkpoint_files as files
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.tasks import TASKS
from viz.models.guest_models import held, held_names
from viz.models.places import checkpoint_folder, kept_folder, own_stamp
from viz.run.inputs import Stamp
from viz.run.result_cache import cached


def checkpoint_names() -> list[str]:
    """Return the names of the checkpoints, in the order of the sample tasks, the paper's first.

    Models held by the process come first, checkpoints kept from the user's own trainings last.
    """
    names = [path.name for path in files.list_checkpoints(checkpoint_folder())]
    tasks = [*TASKS, *TEXT_TASKS]

    def place(name: str) -> tuple[int, bool, str]:
        of_task = (i for i, task in enumerate(tasks) if name.startswith(task))
        return next(of_task, len(tasks)), "-paper" not in name, name

    names.sort(key=place)
    names = held_names() + names
    return names + [name for name in kept_names() if name not in names]


def kept_names() -> list[str]:
    """Return the names of the checkpoints kept from the user's own trainings."""
    return [path.name for path in files.list_checkpoints(kept_folder())]


def info_of(name: str) -> CheckpointInfo | None:
    """Return the description of a checkpoint without its weights; None if it is broken."""
    if found := held(name):
        return found.info
    try:
        return stored_info(own_stamp(name))
    except CheckpointError:
        return None


@cached
def stored_info(checkpoint: Stamp) -> CheckpointInfo:
    """Read a checkpoint's description, without its weights. Raises CheckpointError if broken."""
    return files.read_info(Path(checkpoint.path))
