"""The lessons of a site: their steps as the app packs them, with the reply to each answer."""

from collections.abc import Collection
from typing import get_args
from urllib.parse import urlencode

from texts import Language, speaking
from viz.frame.link_inputs import inputs_of_link
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.navigation import Scene
from viz.lessons.in_app.packing import pack_scene
from viz.lessons.in_app.progress import Given, Standing
from viz.lessons.lesson import AnswerKind, Lesson, Step
from viz.models import running
from viz.models.browser_inputs import pack_intervention
from viz.run.redaction import hidden_parts
from viz.site.wire import WireStep

_ASKS = frozenset(get_args(AnswerKind)) - {"number", "count", "order", "depth"}
"""Kinds of questions answered by one click, so that all replies can be computed here."""
_DOES = ("zero!", "scale!")
"""Prefixes of the edits that the browser's model can make in any sentence."""


def lessons_of(names: Collection[str], pages: Collection[str]) -> list[Lesson]:
    """Return the lessons that need only these models, and these pages in their usual form."""
    return [
        lesson
        for lesson in catalogue.shipped()
        if lesson.checkpoint in names and all(_is_simple(step, pages) for step in lesson.steps)
    ]


def pack_steps(lesson: Lesson, language: Language) -> list[WireStep]:
    """Pack all steps of a lesson in a language."""
    with speaking(language):
        return [_pack(lesson, part) for part in range(1, len(lesson.steps) + 1)]


def _is_simple(step: Step, pages: Collection[str]) -> bool:
    is_asked = step.answer is None or step.answer.kind in _ASKS
    is_usual = not (step.query or step.target or step.checkpoint)
    is_run = all(edit.startswith(_DOES) for edit in step.edits)
    return is_asked and is_usual and is_run and step.page in pages


def _pack(lesson: Lesson, part: int) -> WireStep:
    resolved = catalogue.resolved(lesson, part)
    at = Standing(f"{catalogue.OWN_PREFIX}{lesson.id}", part)  # the browser stores no progress
    scene = Scene(at, lesson, resolved, None)
    asked = pack_scene(scene, hints=len(resolved.step.hints), there=True, presenting=False)
    inputs = inputs_of_link(f"?{urlencode(resolved.query)}", [lesson.checkpoint])
    assert inputs is not None
    kinds = running.open_view(inputs).parcel.data["meta"]["kinds"]
    cover = hidden_parts(kinds, scene.cover)
    no_answer = () if resolved.truth else ("key", "step")  # the page then selects one itself
    packed: WireStep = {
        "page": resolved.page,
        "query": {n: v for n, v in resolved.query.items() if n not in ("edits", *no_answer)},
        "interventions": [pack_intervention(made) for made in inputs.interventions],
        "asked": asked,
        "cover": cover,
        "answers": {},
        "after": {},
        "uncovered": cover,
    }
    for option in resolved.options:
        answered = scene._replace(given=Given(option.name, 0))
        told = pack_scene(answered, hints=0, there=True, presenting=False)
        assert told["verdict"] is not None
        own = {name: told["verdict"][name] for name in ("guess", "right", "sentence", "wrong")}
        packed["answers"][option.name] = own
        packed["after"] = {name: value for name, value in told.items() if value != asked[name]}
        packed["uncovered"] = hidden_parts(kinds, answered.cover)
    return packed
