"""Goes where a lesson leads: the inputs, the page, the selection; and what is covered there."""

from collections.abc import Iterator
from typing import NamedTuple

import streamlit as st

from viz.address import address, history, link
from viz.lessons.faults import LessonError
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.progress import (
    Given,
    Standing,
    asked_by_link,
    given,
    looks_around,
    stand,
    standing,
)
from viz.lessons.lesson import Lesson
from viz.lessons.resolved_step import Resolved, Surface
from viz.models import listing
from viz.run.axes import KINDS
from viz.run.inputs import Inputs
from viz.run.redaction import CoveredRows, Redaction, Taken

_FAULT = "lesson_fault"


class Scene(NamedTuple):
    """The step of a lesson that goes on."""

    at: Standing
    lesson: Lesson
    resolved: Resolved
    given: Given | None

    @property
    def is_open(self) -> bool:
        """Whether something is asked that was not answered yet."""
        return self.resolved.truth is not None and self.given is None

    @property
    def is_small(self) -> bool:
        """Whether of its page only the picture that is asked about, or shown, is there."""
        in_picture = self.resolved.surface in ("key", "row", "head")
        to_be_seen = self.resolved.surface is None and not self.resolved.step.query
        return self.is_open or ((in_picture or to_be_seen) and not looks_around(self.at))

    @property
    def is_told(self) -> bool:
        """Whether the answer was given, and nobody looks around yet: only its proof is there."""
        return self.given is not None and not looks_around(self.at)

    @property
    def opens(self) -> str:
        """Name the part of the page that shows what the step is about; empty for all of it."""
        if self.is_open or looks_around(self.at):
            return ""
        query = self.resolved.step.query
        opened = (name.removeprefix("more_") for name in query if name.startswith("more_"))
        return "map_tensor" if "tensor" in query else next(opened, "")

    @property
    def cover(self) -> Redaction:
        """What is hidden now: what this step asks, and what later ones ask about the same run."""
        asked = [cover_of(self.resolved)] if self.is_open else []
        if self.is_small:
            asked += [cover_of(later) for later in self._later()]
        takes = cover_of(self.resolved).takes
        rows = {one: None for cover in asked for one in cover.rows}
        words = {word for cover in asked for word in cover.words}
        return Redaction(takes, tuple(rows), tuple(sorted(words)))

    def _later(self) -> Iterator[Resolved]:
        """Yield the later steps that ask for a cell of the same run, and were not answered yet."""
        here = _live_query(self.lesson, self.resolved)
        for part in range(self.at.part + 1, len(self.lesson.steps) + 1):
            step = self.lesson.steps[part - 1]
            if step.source != self.resolved.step.source or given(self.at._replace(part=part)):
                continue
            try:
                later = catalogue.resolved(self.lesson, part)
            except LessonError:  # it is told when it is opened
                continue
            query = _live_query(self.lesson, later)
            runs = (*address.TEXTS, history.LINK)
            if later.surface == "key" and all(query.get(n) == here.get(n) for n in runs):
                yield later


def arrive() -> None:
    """Follow the link to a step of a lesson, before anything is drawn; keep it in the address."""
    asked = asked_by_link()
    if asked:
        go(asked)
    else:
        stand(standing())


def go(at: Standing | None) -> None:
    """Go to a step of a lesson, or end the lesson and leave all as it is.

    Where there is no such step the fault is told in the panel's place.
    """
    st.session_state.pop(_FAULT, None)
    lesson = at and catalogue.find(at.lesson)
    if at is None or lesson is None:
        st.session_state[_FAULT] = at and (at.lesson, None)
        stand(None)
        return
    at = at._replace(part=min(at.part, len(lesson.steps)))
    try:
        resolved = catalogue.resolved(lesson, at.part)
    except LessonError as error:
        st.session_state[_FAULT] = (at.lesson, error)
        stand(None)
        return
    stand(at)
    _set_up(lesson, resolved, revealed=given(at) is not None)


def fault() -> tuple[str, LessonError | None] | None:
    """Return the name of a lesson that could not be opened, and its faults; else None."""
    return st.session_state.get(_FAULT)


def scene() -> Scene | None:
    """Return the step that goes on."""
    at = standing()
    lesson = at and catalogue.find(at.lesson)
    if at is None or lesson is None:
        return None
    return Scene(at, lesson, catalogue.resolved(lesson, at.part), given(at))


def is_there(scene: Scene, inputs: Inputs) -> bool:
    """Return whether what is run is what the step is about."""
    query = _live_query(scene.lesson, scene.resolved)
    wanted = tuple(query.get(name, "") for name in (*address.TEXTS, history.LINK))
    return wanted == (*inputs.texts, history.link_text(inputs))


def cover_of(resolved: Resolved) -> Redaction:
    """Describe what is hidden of a run while a step asks; the asked row is in any case."""
    takes: dict[str | None, Taken] = {"key": "key", "row": "query", "head": "head"}
    rows = [
        CoveredRows(one.kind, () if one.what == "picture" else one.rows)
        for one in resolved.covered
        if one.kind and one.what in ("row", "picture")
    ]
    words = {i for one in resolved.covered for i in one.tokens}
    place = resolved.place
    if place and place.query is not None and resolved.surface == "key":
        rows.append(CoveredRows(place.kind, (place.query,)))
    if place and resolved.surface == "row":  # its rows are named: no weight may tell which it is
        rows, words = [CoveredRows(place.kind, ())], set[int]()
    taken = takes.get(resolved.surface, "nothing")
    if resolved.truth and taken == "nothing":  # no picture is drawn, and any number may tell
        rows = [CoveredRows(kind, ()) for kind in KINDS]
    return Redaction(taken, tuple(rows), tuple(sorted(words)))


def _live_query(lesson: Lesson, resolved: Resolved) -> dict[str, str]:
    """Return the link of the live page: a snapshot of a training is none of the listed models."""
    query = dict(resolved.query)
    query.setdefault("source", resolved.step.source)
    if query.get("checkpoint") not in listing.listed_names():
        query["checkpoint"] = lesson.checkpoint
    return query


def _where(surface: Surface | None, name: str) -> dict[str, str]:
    """State by the names of a link what an option is."""
    match surface:
        case "key":
            return {"key": name}
        case "row":
            return {"query": name}
        case "head":
            layer, head = name.split(".")
            return {"layer": layer, "head": head}
        case _:
            return {}


def _set_up(lesson: Lesson, resolved: Resolved, *, revealed: bool) -> None:
    query = _live_query(lesson, resolved)
    if revealed or resolved.truth is None:
        for name in ("key", "step"):  # then the cell is the one that is read most
            query.pop(name, None)
    if revealed and resolved.truth:
        query |= _where(resolved.surface, resolved.truth.name)
    link.open_at(resolved.page, dict.fromkeys((*address.TEXTS, history.LINK), "") | query)
