"""Until the answer is given, nothing that the browser receives reveals it."""

from dataclasses import replace
from functools import cache
from urllib.parse import urlencode

import pytest

from tests.file_runs import shipped_runs
from tests.viz.run.reachable import numbers_in
from viz.frame.link_inputs import inputs_of_link
from viz.lessons.in_app.navigation import Scene
from viz.lessons.in_app.packing import pack_scene
from viz.lessons.in_app.progress import Standing
from viz.lessons.lesson import Lesson
from viz.lessons.reading import shipped_lessons
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved, Truth
from viz.models import running
from viz.run.redaction import covered

LESSONS = shipped_lessons()


@cache
def steps_of(lesson_id: str) -> list[tuple[int, Resolved]]:
    lesson = next(one for one in LESSONS if one.id == lesson_id)
    found = (
        (part, resolve(lesson, step, shipped_runs())) for part, step in enumerate(lesson.steps, 1)
    )
    return [(part, step) for part, step in found if step.truth]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_no_step_sends_what_is_so(lesson: Lesson):
    """If another answer were right, exactly the same bytes would be sent."""
    for part, step in steps_of(lesson.id):
        if step.surface == "order" or step.truth is None:
            continue
        named = [one.name for one in step.options if one.name != step.truth.name] or ["9"]
        other = replace(step, truth=Truth(named[-1], 0.123), simple=None)
        scenes = (Scene(Standing(lesson.id, part), lesson, one, None) for one in (step, other))
        sent = [pack_scene(s, hints=0, there=True, presenting=False) for s in scenes]
        assert sent[0] == sent[1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_no_run_is_sent_with_the_numbers_of_an_answer(lesson: Lesson):
    for part, step in steps_of(lesson.id):
        if step.truth is None or step.surface in ("head", "order"):
            continue  # heads are chosen by their weights; an order has its own pictures
        inputs = inputs_of_link(f"?{urlencode(step.query)}", [lesson.checkpoint])
        assert inputs
        scene = Scene(Standing(lesson.id, part), lesson, step, None)
        view = running.open_view(inputs)
        found = (step.truth.value, *(option.value for option in step.options))
        true = {number for number in found if number and number % 1}  # whole numbers are sizes, too
        if step.surface == "key":  # proves that the search finds numbers that are not hidden
            assert true <= numbers_in(view.parcel.data)
        assert true.isdisjoint(numbers_in(covered(view, scene.cover).parcel.data))
