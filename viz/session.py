"""What the sessions share: checkpoints, loaded once, and the latest runs."""

import os
from pathlib import Path

import streamlit as st
import torch

from model import checkpoint as files
from model.checkpoint import Checkpoint, CheckpointInfo
from model.memory import keep_freed_memory
from sample_data.tasks import TASKS
from viz.run import Run, make_run

_FOLDER = Path(__file__).parents[1] / "sample_data" / "checkpoints"


def checkpoint_folder() -> Path:
    """Give the folder of the checkpoints: the repository's, or what LOUPE_CHECKPOINTS names."""
    return Path(os.environ.get("LOUPE_CHECKPOINTS") or _FOLDER)


def checkpoint_names() -> list[str]:
    """List the checkpoints by name: those of the first sample task first, the paper's leading."""
    names = [path.name for path in files.list_checkpoints(checkpoint_folder())]
    first = next(iter(TASKS))
    return sorted(names, key=lambda name: (not name.startswith(first), "-paper" not in name, name))


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


def load_checkpoint(name: str, device: str) -> Checkpoint:
    """Load a model once for all sessions. Raises CheckpointError on a broken one."""
    return _load_checkpoint(*_file(name), device)


def run_model(name: str, source: str, device: str) -> Run:
    """Run a model on a sentence, once for each pair of them."""
    return _run_model(*_file(name), source, device)


def _file(name: str) -> tuple[str, int]:
    """Give a checkpoint's path, and when it was written: a new training is another checkpoint."""
    path = checkpoint_folder() / name
    json_path = path.with_name(f"{name}.json")
    return str(path), json_path.stat().st_mtime_ns if json_path.exists() else 0


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
def _run_model(path: str, written: int, source: str, device: str) -> Run:
    return make_run(_load_checkpoint(path, written, device), source, device)
