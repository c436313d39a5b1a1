"""What the sessions share: checkpoints, loaded once, and the latest runs."""

import functools
import gc
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
import torch

from model.attribution.cuts import Means
from model.checkpoints import checkpoint_files as files
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.checkpoint import load_checkpoint as load_own
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from model.files.json_fields import shorten
from model.foreign.errors import FolderError
from model.foreign.imports.memory import MOST_READ
from model.interventions.kinds import Intervention
from model.linear import keep_few_plans
from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.tasks import TASKS
from texts import say
from viz.models.folders import PREFIX, cached_model, model_folders, written_at
from viz.models.guest_models import held, held_names
from viz.models.material import average_outputs, material_of
from viz.models.saved_checkpoints import kept_folder, kept_names
from viz.run.inputs import Inputs, run_key
from viz.run.making import make_run
from viz.run.payload import Payload, pack_run
from viz.run.record import Run, is_finite
from viz.run.recorded_run import make_recorded_run
from viz.run.result_cache import Store, cached
from viz.run.view import View
from viz.work.visit import is_at_this_machine, session_id

if TYPE_CHECKING:  # third-party models take as long to import as the app itself
    from model.foreign.huggingface import Opened, Recording
    from model.foreign.imports.plan import Plan

_foreign = Store(MOST_READ + MOST_READ // 10, any_size=True)
"""Models of others: each may be larger than all that is kept else, and a large one is alone."""

OUT_OF_MEMORY = (MemoryError, torch.OutOfMemoryError)
"""What is raised where a run does not fit."""

_OPENED = "opened_cached"
"""In the session: names of models of the Hugging Face cache, in the order in which they came."""

_FOLDER = Path(__file__).parents[2] / "sample_data" / "checkpoints"


def checkpoint_folder() -> Path:
    """Return the folder of the checkpoints: the repository's, or what LOUPE_CHECKPOINTS names."""
    return Path(os.environ.get("LOUPE_CHECKPOINTS") or _FOLDER)


def checkpoint_names() -> list[str]:
    """List the checkpoints by name: in the order of the sample tasks, the paper's leading.

    Those that the process itself holds come first, those that a person kept of their own trainings
    last.
    """
    names = [path.name for path in files.list_checkpoints(checkpoint_folder())]
    tasks = [*TASKS, *TEXT_TASKS]

    def place(name: str) -> tuple[int, bool, str]:
        of_task = (i for i, task in enumerate(tasks) if name.startswith(task))
        return next(of_task, len(tasks)), "-paper" not in name, name

    names.sort(key=place)
    names = held_names() + names
    return names + [name for name in kept_names() if name not in names]


def listed_names() -> list[str]:
    """List all models to choose from: the checkpoints, then third-party models.

    Models of the user's Hugging Face cache that this session has opened come last.
    """
    names = checkpoint_names() + list(model_folders())
    return names + [name for name in _opened() if name not in names and _cached_folder(name)]


def open_cached(name: str) -> bool:
    """List a model of the user's Hugging Face cache in this session, if it is one.

    Only the person at this machine may open models of the cache, unless the app serves others.
    """
    if not name.startswith(PREFIX) or _cached_folder(name) is None:
        return False
    if name not in _opened():
        _opened().append(name)
    return True


def _opened() -> list[str]:
    return st.session_state.setdefault(_OPENED, []) if session_id() else []


def _cached_folder(name: str) -> Path | None:
    found = cached_model(name) if is_at_this_machine() else None
    return found.path if found else None


def planned(name: str) -> "Plan | Recording | str":
    """Return what opening the folder of a foreign model would load, or why it cannot be opened."""
    try:
        return _planned(stamp(name))
    except FolderError as error:
        return str(error)


def plan_of(path: Path) -> "Plan | Recording | str":
    """Return what opening a folder would load, or why it cannot be opened."""
    from model.foreign.opening import plan_model

    try:
        return plan_model(path)
    except CheckpointError as error:
        return str(error)


def devices() -> list[str]:
    """List the devices that can run a model here, the processor first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def free_memory() -> None:
    """Give back what a GPU holds for nobody."""
    gc.collect()
    torch.cuda.empty_cache()


class Stamp(NamedTuple):
    """A checkpoint as it was written, for caches: a new training is another checkpoint."""

    path: str
    written: int
    """When, in nanoseconds; 0 where nothing is there."""
    foreign: bool = False
    """Whether it is the folder of a model of others."""


def read_info(name: str) -> CheckpointInfo:
    """Read all about a checkpoint but its weights. Raises CheckpointError on a broken one."""
    return _read_info(stamp(name))


def weights_hash(name: str) -> str | None:
    """Return the sha256 of a model's weights; None where they are in no file."""
    found = stamp(name)
    if held(name):
        return None
    try:
        return _weights_hash(found)
    except CheckpointError:  # the file has gone since the model was loaded
        return None


def open_model(name: str, device: str) -> "Opened":
    """Load a model once for all sessions. Raises CheckpointError on a broken one."""
    return open_stamped(stamp(name), device)


def load_checkpoint(name: str, device: str) -> Checkpoint:
    """Load a model of our own once for all sessions. Raises CheckpointError as `load_stamped`."""
    return load_stamped(stamp(name), device)


def open_view(inputs: Inputs) -> View:
    """Run a model on a sentence, once for each choice, and pack it for the browser.

    Raises ValueError on an intervention that cannot be made in this model.
    """
    name, source, target, device, changed = inputs
    checkpoint = stamp(name)
    return View(
        inputs,
        _run_model(checkpoint, source, target, device, changed),
        _run_parcel(checkpoint, source, target, device, changed),
        open_stamped(checkpoint, device).model,
    )


def stamp(name: str) -> Stamp:
    """Find a checkpoint, or the folder of a foreign model, and when it was written.

    One that is held has no path but its name. Raises FolderError where no such folder is listed:
    no name leads anywhere else.
    """
    if held(name):
        return Stamp(name, 0)
    if name.startswith(PREFIX):
        path = model_folders().get(name) or _cached_folder(name)
        if path is None:
            raise FolderError(say("run.no_folder", name=shorten(name.removeprefix(PREFIX))))
        return Stamp(str(path), written_at(path), foreign=True)
    for folder in (checkpoint_folder(), kept_folder()):
        try:
            return Stamp(str(folder / name), (folder / f"{name}.json").stat().st_mtime_ns)
        except OSError:
            continue
    return Stamp(str(checkpoint_folder() / name), 0)


def load_stamped(checkpoint: Stamp, device: str) -> Checkpoint:
    """Load a model of our own as it was written at a time.

    Raises CheckpointError on a broken one, and on one that only can be recorded.
    """
    found = open_stamped(checkpoint, device)
    if not isinstance(found, Checkpoint):
        raise CheckpointError(say("run.is_recorded", name=found.info.name))
    return found


def open_stamped(checkpoint: Stamp, device: str) -> "Opened":
    """Open a model as it was written at a time. Raises CheckpointError on a broken one."""
    if found := held(checkpoint.path):
        return found
    if not held_names():  # else the process is someone else's
        # Models this small gain nothing from more threads, and ten people at once lose by them.
        torch.set_num_threads(1)
        keep_few_plans()
    return (_load_folder if checkpoint.foreign else _load_own)(checkpoint, device)


@cached
def _load_own(checkpoint: Stamp, device: str) -> Checkpoint:
    with _telling(say("run.loading")):
        return load_own(Path(checkpoint.path), device)


@_foreign.cached
def _load_folder(checkpoint: Stamp, device: str) -> "Opened":
    from model.foreign.opening import open_model as open_model_at

    found, path = _planned(checkpoint), Path(checkpoint.path)
    with _telling(say("run.reading_folder") if isinstance(found, str) else _loading(found)):
        return open_model_at(path, device)


def _telling(what: str) -> AbstractContextManager[None]:
    """Describe what is being done, where it is done for a page that is there."""
    return st.spinner(what) if session_id() else nullcontext()


def _loading(found: "Plan | Recording") -> str:
    size = found.estimate
    return say("run.loading_kind", kind=found.title, count=size.n_parameters, memory=size.in_words)


@cached
def averages(checkpoint: Stamp, device: str) -> Means:
    """Average what heads and sublayers give over held-out sentences, once."""
    return average_outputs(load_stamped(checkpoint, device))


@functools.cache
def settle() -> None:
    """Leave all that is loaded by now out of garbage collection, once.

    Over the modules of torch and the others it takes longer than a run of the script, and whoever
    clicks meanwhile waits for it.
    """
    if held_names():  # the process is someone else's, and what they make is to be collected
        return
    gc.collect()
    gc.freeze()


@cached
def _read_info(checkpoint: Stamp) -> CheckpointInfo:
    if found := held(checkpoint.path):
        return found.info
    path = Path(checkpoint.path)
    if not checkpoint.foreign:
        return files.read_info(path)
    # Nothing tells all about a model that is recorded but a pass of it.
    planned = _planned(checkpoint)
    if not isinstance(planned, str) and planned.is_recorded:
        return open_stamped(checkpoint, "cpu").info
    from model.foreign.opening import describe_model

    return describe_model(path)


@cached
def _weights_hash(checkpoint: Stamp) -> str:
    from model.foreign.opening import identity

    return identity(Path(checkpoint.path))


@cached
def _planned(checkpoint: Stamp) -> "Plan | Recording | str":
    return plan_of(Path(checkpoint.path))


@cached
def _run_model(
    checkpoint: Stamp,
    source: str,
    target: str,
    device: str,
    interventions: tuple[Intervention, ...] = (),
) -> Run:
    def other_run(origin: str) -> Run:
        texts = (origin, "") if origin else (source, target)
        return _run_model(checkpoint, *texts, device)

    loaded = open_stamped(checkpoint, device)
    if not isinstance(loaded, Checkpoint):
        if interventions:
            raise ValueError("values that transformers' own code computes cannot be changed here")
        return _finite(make_recorded_run(loaded, source, target), interventions)
    material = material_of(loaded.info.config, lambda: averages(checkpoint, device), other_run)
    return _finite(make_run(loaded, source, target, interventions, material), interventions)


def _finite(run: Run, interventions: Sequence[Intervention]) -> Run:
    """Return a run of which there are numbers; raise ValueError where there are none."""
    if is_finite(run):
        return run
    if interventions:
        raise ValueError(say("change.not_finite"))
    raise CheckpointError(say("run.not_finite", name=run.info.name))


@cached
def _run_parcel(
    checkpoint: Stamp,
    source: str,
    target: str,
    device: str,
    interventions: tuple[Intervention, ...],
) -> Payload:
    run = _run_model(checkpoint, source, target, device, interventions)
    return pack_run(run, run_key(*checkpoint[:2], source, target, device, *interventions))
