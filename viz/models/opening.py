"""Opens models, each once for all sessions."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
import torch

from model.checkpoints import checkpoint as files
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from model.foreign.imports.memory import MOST_READ
from model.linear import keep_few_plans
from texts import say
from viz.models.guest_models import held, held_names
from viz.models.own_checkpoints import stored_info
from viz.models.planning import planned_at
from viz.models.stamps import stamp
from viz.run.inputs import Stamp
from viz.run.result_cache import Store, cached
from viz.work.visit import session_id

if TYPE_CHECKING:  # third-party models take as long to import as the app itself
    from model.foreign.huggingface import Opened, Recording
    from model.foreign.imports.plan import Plan

_foreign = Store(MOST_READ + MOST_READ // 10, any_size=True)
"""Third-party models. A large one may exceed the whole budget; it is then kept alone."""


def read_info(name: str) -> CheckpointInfo:
    """Read a model's description, without its weights. Raises CheckpointError on a broken one."""
    checkpoint = stamp(name)
    if found := held(checkpoint.path):
        return found.info
    return (_read_folder if checkpoint.foreign else stored_info)(checkpoint)


def open_model(name: str, device: str) -> "Opened":
    """Load a model once for all sessions. Raises CheckpointError if it is broken."""
    return open_stamped(stamp(name), device)


def load_checkpoint(name: str, device: str) -> Checkpoint:
    """Load a model of Loupe once for all sessions. Raises CheckpointError as `load_stamped`."""
    return load_stamped(stamp(name), device)


def load_stamped(checkpoint: Stamp, device: str) -> Checkpoint:
    """Load one of Loupe's own models in the state of a stamp.

    Raises CheckpointError if it is broken, or if it can only be recorded.
    """
    found = open_stamped(checkpoint, device)
    if not isinstance(found, Checkpoint):
        raise CheckpointError(say("run.is_recorded", name=found.info.name))
    return found


def open_stamped(checkpoint: Stamp, device: str) -> "Opened":
    """Open a model in the state of a stamp. Raises CheckpointError if it is broken."""
    if found := held(checkpoint.path):
        return found
    if not held_names():  # otherwise the process belongs to someone else
        # Models this small gain nothing from more threads, and ten users at once lose by them.
        torch.set_num_threads(1)
        keep_few_plans()
    return (_load_folder if checkpoint.foreign else _load_own)(checkpoint, device)


@cached
def _load_own(checkpoint: Stamp, device: str) -> Checkpoint:
    with _telling(say("run.loading")):
        return files.load_checkpoint(Path(checkpoint.path), device)


@_foreign.cached
def _load_folder(checkpoint: Stamp, device: str) -> "Opened":
    from model.foreign.opening import open_model as open_model_at

    found, path = planned_at(checkpoint), Path(checkpoint.path)
    with _telling(say("run.reading_folder") if isinstance(found, str) else _loading(found)):
        return open_model_at(path, device)


def _telling(what: str) -> AbstractContextManager[None]:
    """Show a message while a model is opened, if a page waits for it."""
    return st.spinner(what) if session_id() else nullcontext()


def _loading(found: "Plan | Recording") -> str:
    size = found.estimate
    return say("run.loading_kind", kind=found.title, count=size.n_parameters, memory=size.in_words)


@cached
def _read_folder(checkpoint: Stamp) -> CheckpointInfo:
    # Only a pass through a recorded model can describe it.
    planned = planned_at(checkpoint)
    if not isinstance(planned, str) and planned.is_recorded:
        return open_stamped(checkpoint, "cpu").info
    from model.foreign.opening import describe_model

    return describe_model(Path(checkpoint.path))
