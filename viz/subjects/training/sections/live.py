"""The part of the page on training that trains a small model while one watches."""

from functools import partial

import streamlit as st

from viz.pictures import tokens
from viz.run.link import forget_selection
from viz.run.shelf import KeptFolderFullError, keep, kept_names, pack
from viz.subjects.training import cache
from viz.subjects.training.lapse import show_lapse
from viz.subjects.training.live import LiveTraining, Report
from viz.subjects.training.plan import MOST_STEPS, PAIRS, SHORTEST, SIZES, TASK, Plan, shown_pair
from viz.subjects.training.sections.lapse import choose_lapse_head, take_head, task_languages
from viz.subjects.training.trainings import TrainingRefusedError

_REFRESH = 2.0
"""Seconds between two looks at a training that runs; the picture plays what came in between."""
_SAID = "live_said"
"""What the last button answered: it is shown once."""
_KEPT = "live_kept"
"""Name of the checkpoint that was kept last."""
_LONGEST = (4, 6, 8)
_WORDS = {
    "starting": "Starting a process for it",
    "training": "Training",
    "stopping": "Stopping after this step",
    "stopped": "Stopped",
    "finished": "Done",
    "failed": "It failed",
}


def show_live() -> None:
    """Offer a training, and show the one of this session as it goes."""
    training = cache.trainings().of(cache.session_id())
    st.html(
        tokens.heading("Train a model, here and now")
        + tokens.note(
            f"It learns to reverse digits: {SIZES['n_encoder_layers']} + "
            f"{SIZES['n_decoder_layers']} layers, d_model {SIZES['d_model']}, {SIZES['n_heads']} "
            f"heads, some {PAIRS:,} pairs. On one free core it takes about half a minute. It "
            "trains in a process of its own that lets the pages go first."
        )
    )
    plan = _choose_plan(fixed=training is not None and training.alive)
    _show_buttons(training, plan)
    if said := st.session_state.pop(_SAID, None):
        st.html(tokens.notice(*said))
    if training is not None:
        every = _REFRESH if training.alive else None
        st.fragment(_watch, run_every=every)(training, refreshed=training.alive)


def _choose_plan(*, fixed: bool) -> Plan:
    """Let the settings be chosen, except while they are in use."""
    usual = Plan()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        longest = st.segmented_control(
            f"{SHORTEST} digits to",
            _LONGEST,
            default=usual.longest,
            required=True,
            key="live_longest",
            bind="query-params",
            disabled=fixed,
        )
        numbers = {
            "steps": ("Steps", 100, 10_000, 100),
            "warmup": ("Warm-up", 1, 4000, 100),
            "factor": ("Factor", 0.05, 10.0, 0.25),
            "seed": ("Seed", 0, 9999, 1),
        }
        chosen = {
            name: st.number_input(
                words,
                least,
                most,
                getattr(usual, name),
                step,
                key=f"live_{name}",
                bind="query-params",
                disabled=fixed,
                width=130,
            )
            for name, (words, least, most, step) in numbers.items()
        }
    return Plan(longest=longest, **chosen)


def _show_buttons(training: LiveTraining | None, plan: Plan) -> None:
    status = training.report().status if training else None
    with st.container(horizontal=True, gap="small"):
        if training is None or status == "failed":
            st.button("Train", key="live_start", type="primary", on_click=_start, args=(plan,))
        elif training.alive:
            st.button(
                "Stop", key="live_stop", on_click=training.stop, disabled=status == "stopping"
            )
        else:
            more = 0
            if status == "finished":
                more = min(plan.steps, MOST_STEPS - training.plan.steps)
            words = f"Go on for {more:,} more steps" if more else "Go on"
            at_its_end = status == "finished" and not more
            st.button(
                words,
                key="live_go_on",
                type="primary",
                on_click=_go_on,
                args=(more,),
                disabled=at_its_end,
            )
            st.button("Train anew", key="live_anew", on_click=_start, args=(plan,))
            _show_take_away(training)


def _show_take_away(training: LiveTraining) -> None:
    """Offer the model as it is now: to keep, to open, to download."""
    if st.button("Keep it as a checkpoint", key="live_keep", on_click=_keep, args=(training,)):
        st.rerun()  # the list in the sidebar has one more
    st.download_button(
        "Download",
        pack(training.checkpoint),
        file_name=f"{training.plan.name}.zip",
        mime="application/zip",
        key="live_download",
        on_click="ignore",
    )
    kept = st.session_state.get(_KEPT)
    if kept in kept_names() and st.button(
        f"Open {kept}", key="live_open", on_click=_open, args=(kept, training.plan)
    ):
        st.rerun()  # the inputs are in the sidebar


def _watch(training: LiveTraining, *, refreshed: bool) -> None:
    """Show how far a training is; draws itself again while it runs."""
    report = training.report()
    if refreshed and not training.alive and report.status in ("stopped", "finished", "failed"):
        st.rerun()  # the buttons are another part of the page
    st.progress(min(1.0, report.step / training.plan.steps), _progress_words(report, training))
    if report.status == "failed":
        st.html(tokens.notice("The training ended with an error", report.problem))
    if report.lapse is None:
        return
    kind, layer, head = choose_lapse_head(report.lapse, "live")
    show_lapse(
        report.lapse,
        kind,
        layer,
        head,
        languages=task_languages(TASK),
        key="live",
        follow=True,
        on_choice=partial(take_head, "live"),
    )


def _progress_words(report: Report, training: LiveTraining) -> str:
    parts = [f"{_WORDS[report.status]}: step {report.step:,} of {training.plan.steps:,}"]
    if report.seconds:
        parts.append(f"{report.seconds:.0f} s")
    if report.lapse and report.lapse.losses:
        parts.append(f"loss {report.lapse.losses[-1]:.2f}")
    if report.lapse:
        exact = report.lapse.snapshots[-1].scores.exact_match
        parts.append(f"{100 * exact:.0f} % of held-out commands right")
    return " · ".join(parts)


def _start(plan: Plan) -> None:
    session = cache.session_id()
    try:
        cache.trainings().start(session, plan, partial(cache.is_present, session))
    except TrainingRefusedError as refused:
        st.session_state[_SAID] = ("Not now", str(refused))


def _go_on(more: int) -> None:
    try:
        cache.trainings().go_on(cache.session_id(), more)
    except TrainingRefusedError as refused:
        st.session_state[_SAID] = ("Not now", str(refused))


def _keep(training: LiveTraining) -> None:
    try:
        name = keep(training.checkpoint)
    except (KeptFolderFullError, OSError) as error:
        st.session_state[_SAID] = ("It was not kept", str(error))
    else:
        st.session_state[_KEPT] = name
        st.session_state[_SAID] = ("Kept", f"{name} is now among the checkpoints in the sidebar.")


def _open(name: str, plan: Plan) -> None:
    """Choose a kept checkpoint in the sidebar, with a command that it has words for."""
    forget_selection()
    st.session_state["checkpoint"] = name
    st.session_state["source"] = shown_pair(plan).source
    st.session_state["target"] = ""
