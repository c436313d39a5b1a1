"""The available lessons, and the steps of each, resolved on their runs."""

from collections.abc import Hashable
from functools import cache
from itertools import pairwise

import numpy as np
import streamlit as st
from jaxtyping import Float

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints
from model.interventions.kinds import Intervention
from texts import say
from viz.lessons.faults import refuse
from viz.lessons.lesson import Lesson
from viz.lessons.reading import SHORT_PATH, shipped_lessons
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved
from viz.models import opening, own_checkpoints, places, running, stamps
from viz.run.axes import AttentionKind, attention_trace
from viz.run.inputs import Inputs
from viz.run.record import Run
from viz.run.result_cache import cached

_OWN = "own_lessons"
SNAPSHOTS = "time-lapse"
"""Folder of the snapshots of trainings, inside the checkpoint folder."""
OWN_PREFIX = "own-"
"""Prefix of the ids of lessons that a visitor opened from a file."""


class SharedRuns:
    """The checkpoints and runs for lessons, which all sessions share."""

    def checkpoint(self, name: str) -> Checkpoint:
        """Return a listed checkpoint; any other name is refused."""
        return opening.load_checkpoint(_listed(name), "cpu")

    def run(
        self, name: str, source: str, target: str, interventions: tuple[Intervention, ...]
    ) -> Run:
        """Run a listed checkpoint, once for all sessions."""
        return running.open_view(Inputs(_listed(name), source, target, "cpu", interventions)).run


@cache
def shipped() -> tuple[Lesson, ...]:
    """Return the lessons that come with the app; their files are read once."""
    return shipped_lessons()


def following(lesson: Lesson) -> Lesson | None:
    """Return the next lesson of the ten-minute path; None after the last one, and off the path."""
    path = [one for one in shipped() if 1 <= one.path <= SHORT_PATH]
    return next((after for one, after in pairwise(path) if one.id == lesson.id), None)


def own() -> dict[str, Lesson]:
    """Return the lessons from this session's files, by id."""
    return st.session_state.setdefault(_OWN, {})


def find(name: str) -> Lesson | None:
    """Find a lesson by its id; None if there is none."""
    return own().get(name) or next((one for one in shipped() if one.id == name), None)


def resolved(lesson: Lesson, part: int) -> Resolved:
    """Resolve a step on its run, once for all sessions. Raises LessonError."""
    return _resolved(lesson, part)


def weights_of(
    name: str, source: str, *, written_by: str, place: tuple[AttentionKind, int, int]
) -> Float[np.ndarray, "query key"]:
    """Return the weights of one head of a checkpoint, given the text that another one wrote."""
    kind, layer, head = place
    written = SharedRuns().run(written_by, source, "", ()).text
    run = SharedRuns().run(name, source, written, ())
    return attention_trace(run, kind, layer).weights[0, head].numpy()


def _key(lesson: Lesson, part: int) -> Hashable:
    step = lesson.steps[part - 1]
    names = (
        step.checkpoint or lesson.checkpoint,
        *(step.answer.checkpoints if step.answer else ()),
    )
    return lesson.id, lesson.checkpoint, repr(step), *(stamps.stamp(name) for name in names)


def _make(lesson: Lesson, part: int) -> Resolved:
    with st.spinner(say("lesson.reading")):
        return resolve(lesson, lesson.steps[part - 1], SharedRuns())


_resolved = cached(_make, _key)


def _listed(name: str) -> str:
    if name not in own_checkpoints.checkpoint_names() and name not in _snapshots():
        raise refuse("checkpoint", "no_checkpoint", name=name[:60])
    return name


def _snapshots() -> set[str]:
    """Name the snapshots of trainings as lessons do."""
    folder = places.checkpoint_folder() / SNAPSHOTS
    return {f"{SNAPSHOTS}/{path.name}" for path in list_checkpoints(folder)}
