"""Results for the Two heads page, computed once for all sessions."""

from pathlib import Path

import torch

from model.checkpoints.checkpoint_files import list_checkpoints, read_info
from model.checkpoints.errors import CheckpointError
from sample_data.one_text.record import HeadTable
from sample_data.one_text.tasks import TEXT_TASKS
from viz.models.checkpoint_records import recorded_of
from viz.models.places import checkpoint_folder, own_stamp
from viz.run.inputs import Stamp
from viz.run.result_cache import cached
from viz.run.view import View, per_model, per_view
from viz.subjects.induction.head_search import Trick, find_trick, trick_of
from viz.subjects.induction.lapse import Lapse, Moment, make_lapse
from viz.subjects.induction.random_scores import RandomScores, random_scores

_SERIES = "induction"
_FOLDER = f"time-lapse/{_SERIES}"
"""The folder of a training's snapshots, beside the checkpoints."""
_CONTROL = "induction-one-layer"


@per_view
def trick_in(view: View) -> Trick | None:
    """Find the two heads in the run in view; None if no token occurs twice."""
    return find_trick(view.run)


@per_model
def recorded(view: View) -> HeadTable | None:
    """Return the recorded measurements of a checkpoint; None if there are none of its weights."""
    return recorded_of(view.stamp, HeadTable)


@per_model
def random_scores_of(view: View) -> RandomScores | None:
    """Measure the heads of a model on random words; None if it has no room for them."""
    return random_scores(view.opened)


def lapse_of(task: str) -> Lapse | None:
    """Read the scores of a training's snapshots; None if a task has none."""
    if task not in TEXT_TASKS or task != _SERIES:
        return None
    return _lapse(own_stamp(_CONTROL))


@cached
def _lapse(control: Stamp) -> Lapse | None:
    try:
        infos = [read_info(path) for path in _snapshots()]
        other = read_info(Path(control.path)) if control.written else None
    except CheckpointError:
        return None
    return make_lapse(infos, other) if len(infos) > 1 else None


def trick_at(view: View, moment: Moment, copier: tuple[int, int]) -> Trick:
    """Compute what a head, and one below it, read in the same text at a step of the training."""
    return _trick_at(view, moment.place, *copier)


@per_view
def _trick_at(view: View, place: int, layer: int, head: int) -> Trick:
    name = f"{_FOLDER}/{_snapshots()[place].name}"
    model = view.beside(view.inputs.unchanged._replace(checkpoint=name, device="cpu")).model
    with torch.inference_mode():
        trace = model(None, torch.tensor([view.run.target_ids[:-1]]))
    found = trick_of(view.run, trace, (layer, head))
    if found is None:
        raise ValueError("the text must contain some token twice to show a training")
    return found


def _snapshots() -> list[Path]:
    return list_checkpoints(checkpoint_folder() / _FOLDER)
