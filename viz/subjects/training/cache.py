"""Results for the Training page, computed once, and the trainings of all sessions."""

from pathlib import Path

import streamlit as st

from model.checkpoints.checkpoint_files import read_info
from model.checkpoints.errors import CheckpointError
from sample_data.gold import find_gold
from texts import say
from viz.models.places import checkpoint_folder
from viz.run.result_cache import cached
from viz.subjects.training.live_training import GONE_AFTER, Trainings, default_places
from viz.subjects.training.time_lapse import TimeLapse, examples_of, find_series, read_time_lapse
from viz.subjects.training.words import progress_words
from viz.work.sessions import pool

_FOLDER = "time-lapse"


def series() -> dict[str, tuple[Path, ...]]:
    """Find the trainings that left snapshots beside the checkpoints, by name."""
    return find_series(checkpoint_folder() / _FOLDER)


def task_of(paths: tuple[Path, ...]) -> str:
    """Name the task of a series; "" if its latest snapshot cannot be read."""
    try:
        return read_info(paths[-1]).task
    except CheckpointError:
        return ""


def lapse_examples(paths: tuple[Path, ...]) -> tuple[str, ...]:
    """List the sources on which a series can be shown. Raises CheckpointError."""
    info = read_info(paths[-1])
    return tuple(pair.source for pair in examples_of(info.task, info.tokenizers))


def time_lapse(paths: tuple[Path, ...], source: str) -> TimeLapse:
    """Run every snapshot on one of the examples, once. Raises CheckpointError."""
    written = max(path.with_name(f"{path.name}.json").stat().st_mtime_ns for path in paths)
    return _time_lapse(tuple(map(str, paths)), written, source)


@st.cache_resource(max_entries=1, show_spinner=False)
def trainings() -> Trainings:
    """Return the trainings of this server."""
    return Trainings(pool("trainings", default_places(), GONE_AFTER), progress_words)


@cached
def _time_lapse(paths: tuple[str, ...], written: int, source: str) -> TimeLapse:  # noqa: ARG001
    chosen = [Path(path) for path in paths]
    pair = find_gold(read_info(chosen[-1]).task, source)
    if pair is None:
        raise ValueError(f"no gold target is known for {source!r}")
    with st.spinner(say("training.running_snapshots")):
        return read_time_lapse(chosen, pair)
