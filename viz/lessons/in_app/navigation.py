"""Opens the steps of a lesson: their inputs, page and selection, and the parts that they hide."""

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
    """The current step of a lesson."""

    at: Standing
    lesson: Lesson
    resolved: Resolved
    given: Given | None

    @property
    def is_open(self) -> bool:
        """Whether the step has a question that was not answered yet."""
        return self.resolved.truth is not None and self.given is None

    @property
    def is_small(self) -> bool:
        """Whether the page shows only the picture that the step asks about or shows."""
        in_picture = self.resolved.surface in ("key", "row", "head")
        to_be_seen = self.resolved.surface is None and not self.resolved.step.query
        return self.is_open or ((in_picture or to_be_seen) and not looks_around(self.at))

    @property
    def is_told(self) -> bool:
        """Whether the answer was given and the page still shows only its proof."""
        return self.given is not None and not looks_around(self.at)

    @property
    def opens(self) -> str:
        """The part of the page that shows the subject of the step; empty for the whole page."""
        if self.is_open or looks_around(self.at):
            return ""
        query = self.resolved.step.query
        opened = (name.removeprefix("more_") for name in query if name.startswith("more_"))
        return "map_tensor" if "tensor" in query else next(opened, "")

    @property
    def cover(self) -> Redaction:
        """The hidden parts: those of this question, and those of later ones about the same run."""
        asked = [cover_of(self.resolved)] if self.is_open else []
        if self.is_small:
            asked += [cover_of(later) for later in self._later()]
        takes = cover_of(self.resolved).takes
        rows = {one: None for cover in asked for one in cover.rows}
        words = {word for cover in asked for word in cover.words}
        return Redaction(takes, tuple(rows), tuple(sorted(words)))

    def _later(self) -> Iterator[Resolved]:
        """Yield the later, unanswered steps that ask for a cell of the same run."""
        here = _live_query(self.lesson, self.resolved)
        for part in range(self.at.part + 1, len(self.lesson.steps) + 1):
            step = self.lesson.steps[part - 1]
            if step.source != self.resolved.step.source or given(self.at._replace(part=part)):
                continue
            try:
                later = catalogue.resolved(self.lesson, part)
            except LessonError:  # the fault is reported when the step is opened
                continue
            query = _live_query(self.lesson, later)
            runs = (*address.TEXTS, history.LINK)
            if later.surface == "key" and all(query.get(n) == here.get(n) for n in runs):
                yield later


def arrive() -> None:
    """Open the step that the link names, before anything is drawn; keep it in the address."""
    asked = asked_by_link()
    if asked:
        go(asked)
    else:
        stand(standing())


def go(at: Standing | None) -> None:
    """Go to a step of a lesson; None ends the lesson and leaves everything else as it is.

    If there is no such step, the page shows the fault in place of the panel.
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
    """Return the current step; None outside a lesson."""
    at = standing()
    lesson = at and catalogue.find(at.lesson)
    if at is None or lesson is None:
        return None
    return Scene(at, lesson, catalogue.resolved(lesson, at.part), given(at))


def is_there(scene: Scene, inputs: Inputs) -> bool:
    """Return whether the inputs in view are those of the step."""
    query = _live_query(scene.lesson, scene.resolved)
    wanted = tuple(query.get(name, "") for name in (*address.TEXTS, history.LINK))
    return wanted == (*inputs.texts, history.link_text(inputs))


def cover_of(resolved: Resolved) -> Redaction:
    """Describe the hidden parts of a run during a question, the row in question among them."""
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
    if place and resolved.surface == "row":  # named rows: a weight could tell which
        rows, words = [CoveredRows(place.kind, ())], set[int]()
    taken = takes.get(resolved.surface, "nothing")
    if resolved.truth and taken == "nothing":  # any number could tell the answer
        rows = [CoveredRows(kind, ()) for kind in KINDS]
    return Redaction(taken, tuple(rows), tuple(sorted(words)))


def _live_query(lesson: Lesson, resolved: Resolved) -> dict[str, str]:
    """Return the query of the live page; a snapshot, never listed, becomes the lesson's model."""
    query = dict(resolved.query)
    query.setdefault("source", resolved.step.source)
    if query.get("checkpoint") not in listing.listed_names():
        query["checkpoint"] = lesson.checkpoint
    return query


def _where(surface: Surface | None, name: str) -> dict[str, str]:
    """Return the parameters of a link that select an option."""
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
        for name in ("key", "step"):  # without them, the cell with the largest weight is selected
            query.pop(name, None)
    if revealed and resolved.truth:
        query |= _where(resolved.surface, resolved.truth.name)
    link.open_at(resolved.page, dict.fromkeys((*address.TEXTS, history.LINK), "") | query)
