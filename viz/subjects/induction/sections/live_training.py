"""The part of the page that trains the toy while one watches."""

import streamlit as st

from texts import say
from viz.frame.chart import show_chart
from viz.frame.controls import palette
from viz.pictures import tokens
from viz.subjects.induction import words
from viz.subjects.induction.cache import trainings
from viz.subjects.induction.figures import lapse_curves
from viz.subjects.induction.live_training import STEPS, Plan
from viz.work.job import Job, Mark
from viz.work.visit import session_id

_LOOK_EVERY = 1.0
"""Seconds between two looks at a training that runs."""
_FOLD = {"more_induction_live": "true"}


def show_live() -> None:
    """Let a plan be chosen and trained, and show how far it is."""
    st.html(tokens.note(say("induction.live_note")))
    plan = _choose_plan()
    job = trainings().kept(plan)
    runs = job is not None and not job.ended
    if job is None or job.status in ("failed", "stopped"):
        st.button(
            say("induction.train"),
            key="induction_train",
            type="primary",
            on_click=_start,
            args=(plan,),
        )
    if job is not None and job.status == "failed":
        st.html(tokens.notice(say("induction.not_trained"), job.problem))
    if job is not None:
        st.fragment(_watch, run_every=_LOOK_EVERY if runs else None)(plan, job, runs=runs)


def _choose_plan() -> Plan:
    usual = Plan()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layers = st.segmented_control(
            say("induction.layers"),
            (1, 2),
            default=usual.layers,
            required=True,
            key="induction_layers",
        )
        heads = st.segmented_control(
            say("induction.heads"),
            (1, 2),
            default=usual.heads,
            required=True,
            key="induction_heads",
        )
        seed = st.number_input(
            say("induction.seed"), 0, 9999, usual.seed, 1, key="induction_seed", width=130
        )
    return Plan(layers=layers, heads=heads, seed=seed)


def _start(plan: Plan) -> None:
    mark = Mark(words.training_words, "induction", _FOLD)
    trainings().start(plan, session_id(), mark)


def _watch(plan: Plan, job: Job, *, runs: bool) -> None:
    """Draw what was told until now; draws itself again while the training runs."""
    if runs and job.ended:
        st.rerun()
    moments = trainings().moments(plan)
    if runs:
        job.join(session_id())
        with st.container(horizontal=True, vertical_alignment="center"):
            done, _ = job.progress
            st.progress(min(1.0, done / STEPS), words.training_words(job))
            stop = trainings().leave
            st.button(
                say("induction.stop"), key="induction_stop", on_click=stop, args=(job, session_id())
            )
    if len(moments) < 2:
        return
    st.html(tokens.note(words.live_words(moments)))
    curves = {
        say("induction.curve_right"): [moment.right for moment in moments],
        say("induction.curve_best_followed"): [max(moment.looks.values()) for moment in moments],
        say("induction.curve_best_before"): [max(moment.previous.values()) for moment in moments],
    }
    steps = [moment.step for moment in moments]
    figure = lapse_curves(
        steps, curves, control=("", ()), at=steps[-1], last=STEPS, palette=palette()
    )
    show_chart(figure, key="induction_live", config={"displayModeBar": False})
