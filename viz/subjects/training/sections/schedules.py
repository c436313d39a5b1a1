"""The part of the page on training about the learning rate."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_some
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.view import View
from viz.subjects.training import words
from viz.subjects.training.figures import schedule_curves
from viz.subjects.training.schedules import SCHEDULES, Setting, rates, shown_steps

_PAPER = {"d_model": 512, "warmup": 4000, "factor": 1.0, "steps": 100_000}
"""Section 5.3; the base model's training of section 5.2."""
_WIDE = 860
_FORMULA = (
    r"\mathrm{rate}(step) = factor \cdot d_{model}^{-0.5} \cdot "
    r"\min(step^{-0.5},\ step \cdot warmup^{-1.5})"
)
_LIMITS: dict[str, tuple[Any, Any, Any]] = {
    "d_model": (1, 16_384, 32),
    "warmup": (1, 100_000, 100),
    "factor": (0.01, 100.0, 0.1),
    "steps": (2, 1_000_000, 1000),
}
"""Of each number: the least, the most, and a step between."""


def show_schedules(view: View) -> None:
    """Show the Noam schedule of some setting against others with the same peak."""
    st.latex(_FORMULA)
    setting = _choose_setting(_own_schedule(view))
    names = choose_some(
        say("training.rate_against"), list(SCHEDULES)[1:], _title, key="schedule_others"
    )
    steps = shown_steps(setting)
    drawn = {_title(name): rates(name, steps, setting) for name in ("noam", *names)}
    show_figure(
        schedule_curves(steps, drawn, peak=setting.peak, width=_WIDE, palette=palette()),
        key="schedule_curves",
        alt=say("training.rate_alt"),
    )
    st.html(tokens.note(words.schedule_words(setting)))


def _title(name: str) -> str:
    return say_of("training.schedule", name)


def _choose_setting(own: Mapping[str, Any]) -> Setting:
    """Let the numbers be chosen, or taken from this model or the paper."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = {
            name: st.number_input(
                say_of("training.number", name),
                least,
                most,
                step=step,
                key=bound(f"schedule_{name}", own[name], within=(least, most)),
                width=150,
            )
            for name, (least, most, step) in _LIMITS.items()
        }
        for key, label, values in (
            ("schedule_model", say("training.rate_model"), own),
            ("schedule_paper", say("training.rate_paper"), _PAPER),
        ):
            st.button(label, key=key, on_click=_set_schedule, args=(values,))
    return Setting(**chosen)


def _own_schedule(view: View) -> dict[str, Any]:
    record = view.run.info.training
    return {
        "d_model": view.run.info.config.d_model,
        "warmup": int(record.get("warmup", 400)),
        "factor": float(record.get("factor", 1.0)),
        "steps": max(2, int(record.get("steps", 4000))),
    }


def _set_schedule(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        st.session_state[f"schedule_{name}"] = value
