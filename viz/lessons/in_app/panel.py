"""The panel of a lesson above the live page: the question, then the answers and the explanation."""

import streamlit as st
from markupsafe import Markup

from texts import say
from viz.address import link
from viz.frame.presenting import is_presenting
from viz.lessons.in_app import navigation as opening
from viz.lessons.in_app.catalogue import following
from viz.lessons.in_app.navigation import Scene
from viz.lessons.in_app.packing import LONGEST_GUESS, pack_scene
from viz.lessons.in_app.progress import (
    Given,
    Standing,
    forget,
    give,
    hints,
    look_around,
    show_hint,
)
from viz.lessons.judge import judge
from viz.pictures import tokens
from viz.pictures.component import picture

_PANEL = "lesson_panel"
LIST = "learn"
"""URL of the page that lists the lessons."""

_panel = picture("lesson", "lessons/browser/lesson.js", sends={"act": dict})


def show_fault() -> None:
    """Show why a lesson could not be opened, if one could not."""
    if fault := opening.fault():
        name, faults = fault
        why = str(faults) if faults else say("lesson.no_such")
        st.html(tokens.notice(say("lesson.lost", name=name), why))


def show_panel(scene: Scene | None, *, there: bool) -> None:
    """Show the current step, if there is one."""
    if scene is None:
        return
    data = pack_scene(scene, hints=hints(scene.at), there=there, presenting=is_presenting())
    _panel(key=_PANEL, data=data, on_act_change=_act)


def show_covered() -> None:
    """Show a notice that the page is covered while a question is open."""
    st.html(Markup('<div class="lesson-curtain"><p>{}</p></div>').format(say("lesson.covered")))


def _act() -> None:
    """Carry out the panel's request, if it still shows the current step."""
    asked = st.session_state[_PANEL]["act"]
    scene = opening.scene()
    if scene is None or [asked.get("lesson"), asked.get("part")] != list(scene.at):
        return
    match asked:
        case {"do": "answer", "guess": str(guess)}:
            _answer(scene, guess)
        case {"do": "hint"}:
            show_hint(scene.at)
        case {"do": "again"}:
            forget(scene.at)
            opening.go(scene.at)
        case {"do": "back"}:
            opening.go(scene.at)
        case {"do": "look"}:
            look_around(scene.at)
        case {"do": "onward"}:
            _go_on(scene)
        case {"do": "leave"}:
            opening.go(None)


def _answer(scene: Scene, guess: str) -> None:
    if not scene.is_open or len(guess) > LONGEST_GUESS:
        return
    try:
        judge(scene.resolved, guess)
    except ValueError:
        return
    give(scene.at, Given(guess, hints(scene.at)))
    opening.go(scene.at)


def _go_on(scene: Scene) -> None:
    if scene.at.part < len(scene.lesson.steps):
        opening.go(Standing(scene.at.lesson, scene.at.part + 1))
        return
    if after := following(scene.lesson):
        opening.go(Standing(after.id, 1))
        return
    opening.go(None)
    link.go_to(LIST)
