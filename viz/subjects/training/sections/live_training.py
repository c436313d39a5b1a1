"""The section of the Training page that trains a small model while the reader watches."""

from functools import partial

import streamlit as st

from texts import say, say_of
from viz.address.address import bound, put, said
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.titles import side_names
from viz.run.view import View
from viz.subjects.training import actions, cache, words
from viz.subjects.training.live_training import LiveTraining
from viz.subjects.training.pictures import show_lapse
from viz.subjects.training.plan import TASK, Plan
from viz.subjects.training.sections.lapse import choose_lapse_head, take_head
from viz.work.visit import session_id

_REFRESH = 2.0
"""The number of seconds between two looks at a running training."""
_LONGEST = (4, 6, 8)
_LIMITS = {
    "steps": (100, 10_000, 100),
    "warmup": (1, 4000, 100),
    "factor": (0.05, 10.0, 0.25),
    "seed": (0, 9999, 1),
}
"""For each number: the minimum, the maximum, and the step."""


def show_live(view: View) -> None:  # noqa: ARG001 - it trains its own model
    """Offer a training, and show the progress of the one of this session or of the link."""
    training = _find_training()
    runs = training is not None and not training.job.ended
    st.html(tokens.note(words.live_note()))
    plan = _choose_plan(fixed=runs)
    with st.container(horizontal=True, gap="small"):
        if training is None:
            actions.offer_start(plan)
        elif runs:
            stops = training.job.status == "stopping"
            stop = training.job.stop
            st.button(say("training.stop"), key="live_stop", on_click=stop, disabled=stops)
        else:
            actions.offer_start(plan, another=True)
            actions.offer_to_take_away(training)
    actions.show_answer()
    if training is not None:
        st.fragment(_watch, run_every=_REFRESH if runs else None)(training, refreshed=runs)


def _find_training() -> LiveTraining | None:
    """Find the training that the link names, or else the session's last one; put it in the link."""
    found, asked = cache.trainings(), said("training") or ""
    training = found.find(asked)
    if training is None and asked:
        put("training", None)
        st.html(tokens.notice(say("training.not_found"), say("training.not_found_said")))
    training = training or found.of(session_id())
    if training is None:
        return None
    training.job.join(session_id())
    put("training", training.id)
    return training


def _choose_plan(*, fixed: bool) -> Plan:
    """Let the reader choose the settings, except while they are in use."""
    usual = Plan()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        longest = choose_one(
            words.longest(), _LONGEST, key="live_longest", first=usual.longest, disabled=fixed
        )
        chosen = {
            name: st.number_input(
                say_of("training.number", name),
                least,
                most,
                step=step,
                key=bound(f"live_{name}", getattr(usual, name), within=(least, most)),
                disabled=fixed,
                width=130,
            )
            for name, (least, most, step) in _LIMITS.items()
        }
    return Plan(longest=longest, **chosen)


def _watch(training: LiveTraining, *, refreshed: bool) -> None:
    """Show the progress of a training; redraw it while it runs."""
    report = training.report()
    if refreshed and training.job.ended:
        st.rerun()  # the buttons are in another fragment
    told = words.progress_words(report, training.plan)
    st.progress(min(1.0, report.step / training.plan.steps), told)
    if report.status == "failed":
        st.html(tokens.notice(say("training.failed"), report.problem))
    if report.lapse is None:
        return
    kind, layer, head = choose_lapse_head(report.lapse, "live")
    show_lapse(
        report.lapse,
        kind,
        layer,
        head,
        languages=side_names(TASK),
        key="live",
        follow=True,
        on_choice=partial(take_head, "live"),
    )
