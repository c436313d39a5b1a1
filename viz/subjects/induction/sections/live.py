"""The part of the page that trains the toy while one watches."""

import streamlit as st

from viz.frame.controls import palette
from viz.pictures import tokens
from viz.subjects.induction import words
from viz.subjects.induction.cache import trainings
from viz.subjects.induction.figures.lapse import lapse_curves
from viz.subjects.induction.live import STEPS, Plan
from viz.work.job import Job, Mark
from viz.work.sessions import session_id

_LOOK_EVERY = 1.0
"""Seconds between two looks at a training that runs."""
_FOLD = {"more_induction_live": "true"}


def show_live() -> None:
    """Let a plan be chosen and trained, and show how far it is."""
    st.html(tokens.note(words.LIVE_NOTE))
    plan = _choose_plan()
    job = trainings().kept(plan)
    runs = job is not None and not job.ended
    if job is None or job.status in ("failed", "stopped"):
        st.button(words.TRAIN, key="induction_train", type="primary", on_click=_start, args=(plan,))
    if job is not None and job.status == "failed":
        st.html(tokens.notice(words.NOT_TRAINED, job.problem))
    if job is not None:
        st.fragment(_watch, run_every=_LOOK_EVERY if runs else None)(plan, job, runs=runs)


def _choose_plan() -> Plan:
    usual = Plan()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layers = st.segmented_control(
            words.LAYERS, (1, 2), default=usual.layers, required=True, key="induction_layers"
        )
        heads = st.segmented_control(
            words.HEADS, (1, 2), default=usual.heads, required=True, key="induction_heads"
        )
        seed = st.number_input(words.SEED, 0, 9999, usual.seed, 1, key="induction_seed", width=130)
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
            st.button(words.STOP, key="induction_stop", on_click=stop, args=(job, session_id()))
    if len(moments) < 2:
        return
    st.html(tokens.note(words.live_words(moments)))
    curves = {
        words.COPIED_RIGHT: [moment.right for moment in moments],
        words.BEST_LOOKS: [max(moment.looks.values()) for moment in moments],
        words.BEST_PREVIOUS: [max(moment.previous.values()) for moment in moments],
    }
    steps = [moment.step for moment in moments]
    figure = lapse_curves(
        steps, curves, control=("", ()), at=steps[-1], last=STEPS, palette=palette()
    )
    st.plotly_chart(figure, key="induction_live", config={"displayModeBar": False})
