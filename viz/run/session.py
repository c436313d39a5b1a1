"""What the sessions share: checkpoints, loaded once, and the latest runs."""

import gc
import os
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
import torch

from model import checkpoint as files
from model.allocator import keep_freed_memory
from model.checkpoint import Checkpoint, CheckpointInfo
from sample_data.tasks import TASKS
from viz.run.alignment import gold_links
from viz.run.head_summary import summarise_heads
from viz.run.parcel import Parcel, pack_measures, pack_run, run_key
from viz.run.record import Run, make_run
from viz.run.shelf import kept_folder, kept_names
from viz.run.view import Inputs, View

_FOLDER = Path(__file__).parents[2] / "sample_data" / "checkpoints"


def checkpoint_folder() -> Path:
    """Give the folder of the checkpoints: the repository's, or what LOUPE_CHECKPOINTS names."""
    return Path(os.environ.get("LOUPE_CHECKPOINTS") or _FOLDER)


def checkpoint_names() -> list[str]:
    """List the checkpoints by name: those of the first sample task first, the paper's leading.

    Those that a person kept of their own trainings come last.
    """
    names = [path.name for path in files.list_checkpoints(checkpoint_folder())]
    first = next(iter(TASKS))
    names.sort(key=lambda name: (not name.startswith(first), "-paper" not in name, name))
    return names + [name for name in kept_names() if name not in names]


def devices() -> list[str]:
    """List the devices that can run a model here, the processor first."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def read_info(name: str) -> CheckpointInfo:
    """Read all about a checkpoint but its weights. Raises CheckpointError on a broken one."""
    return _read_info(*_file(name))


def written(name: str) -> int:
    """Say when a checkpoint was written, for caches: a new training is another checkpoint."""
    return _file(name)[1]


def load_checkpoint(name: str, device: str) -> Checkpoint:
    """Load a model once for all sessions. Raises CheckpointError on a broken one."""
    return _load_checkpoint(*_file(name), device)


def open_view(inputs: Inputs) -> View:
    """Run a model on a sentence, once for each choice, and pack it for the browser."""
    name, *rest = inputs
    return View(
        inputs,
        _run_model(*_file(name), *rest),
        _run_parcel(*_file(name), *rest),
        load_checkpoint(name, inputs.device).model,
    )


def measures(inputs: Inputs) -> dict[str, Any]:
    """Measure what every head of a run does, once, packed for the browser."""
    name, *rest = inputs
    return _measures(*_file(name), *rest)


def head_summary(inputs: Inputs) -> pd.DataFrame:
    """Describe every head of a run in a table, once."""
    name, *rest = inputs
    return _head_summary(*_file(name), *rest)


def _file(name: str) -> tuple[str, int]:
    """Give a checkpoint's path, and when it was written: a new training is another checkpoint."""
    for folder in (checkpoint_folder(), kept_folder()):
        json_path = folder / f"{name}.json"
        if json_path.exists():
            return str(folder / name), json_path.stat().st_mtime_ns
    return str(checkpoint_folder() / name), 0


@st.cache_resource(max_entries=1, show_spinner=False)
def settle() -> None:
    """Leave all that is loaded by now out of garbage collection, once.

    Streamlit collects garbage after every run of the script. Over the modules of torch and the
    others that takes longer than the run itself, and the next click waits for it.
    """
    gc.collect()
    gc.freeze()


@st.cache_resource(max_entries=64, show_spinner=False)
def _read_info(path: str, written: int) -> CheckpointInfo:  # noqa: ARG001 - part of the cache's key
    return files.read_info(Path(path))


@st.cache_resource(max_entries=8, show_spinner="Loading the model")
def _load_checkpoint(path: str, written: int, device: str) -> Checkpoint:  # noqa: ARG001
    # Models this small gain nothing from more threads, and ten people at once lose by them.
    torch.set_num_threads(1)
    keep_freed_memory()
    return files.load_checkpoint(Path(path), device)


@st.cache_resource(max_entries=32, show_spinner=False)
def _run_model(path: str, written: int, source: str, target: str, device: str) -> Run:
    return make_run(_load_checkpoint(path, written, device), source, device, target)


@st.cache_resource(max_entries=32, show_spinner=False)
def _run_parcel(path: str, written: int, source: str, target: str, device: str) -> Parcel:
    run = _run_model(path, written, source, target, device)
    return pack_run(run, run_key(path, written, source, target, device))


@st.cache_resource(max_entries=32, show_spinner=False)
def _measures(path: str, written: int, source: str, target: str, device: str) -> dict[str, Any]:
    run = _run_model(path, written, source, target, device)
    return pack_measures(run, run_key(path, written, source, target, device))


@st.cache_resource(max_entries=32, show_spinner=False)
def _head_summary(path: str, written: int, source: str, target: str, device: str) -> pd.DataFrame:
    run = _run_model(path, written, source, target, device)
    return summarise_heads(run, gold_links(run))
