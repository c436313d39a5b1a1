"""The parts of the page on training about the learning rate, and about deep stacks."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.training import cache
from viz.subjects.training.depth import DepthRecord, DepthRun, first_to_last
from viz.subjects.training.figures.depth import Line, depth_losses, layer_gradients
from viz.subjects.training.figures.training import schedule_curves
from viz.subjects.training.schedules import SCHEDULES, Setting, rates, shown_steps

_PAPER = {"d_model": 512, "warmup": 4000, "factor": 1.0, "steps": 100_000}
"""Section 5.3; the base model's training of section 5.2."""
_WIDE = 860
_TALL = 380


def show_schedules(view: View) -> None:
    """Show the Noam schedule of some setting against others with the same peak."""
    own = _own_schedule(view)
    st.html(tokens.heading("The learning rate, step by step"))
    st.latex(
        r"\mathrm{rate}(step) = factor \cdot d_{model}^{-0.5} \cdot "
        r"\min(step^{-0.5},\ step \cdot warmup^{-1.5})"
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        limits: dict[str, tuple[str, Any, Any, Any]] = {
            "d_model": ("d_model", 1, 16_384, 32),
            "warmup": ("Warm-up", 1, 100_000, 100),
            "factor": ("Factor", 0.01, 100.0, 0.1),
            "steps": ("Steps", 2, 1_000_000, 1000),
        }
        chosen = {
            name: st.number_input(
                words,
                least,
                most,
                own[name],
                step,
                key=f"schedule_{name}",
                bind="query-params",
                width=128,
            )
            for name, (words, least, most, step) in limits.items()
        }
        for words, values in (("As this model", own), ("As the paper", _PAPER)):
            key = f"schedule_{words.split()[-1]}"
            st.button(words, key=key, on_click=_set_schedule, args=(values,))
    names = st.pills(
        "Against",
        list(SCHEDULES)[1:],
        selection_mode="multi",
        default=list(SCHEDULES)[1:],
        key="schedule_others",
        bind="query-params",
    )
    setting = Setting(**chosen)
    steps = shown_steps(setting)
    drawn = {name: rates(name, steps, setting) for name in ("Noam", *names)}
    show_figure(
        schedule_curves(steps, drawn, peak=setting.peak, width=_WIDE, palette=palette()),
        key="schedule_curves",
        alt="learning rate by step under each schedule",
    )
    first = SCHEDULES["Inverse square root, no warm-up"](1, setting)
    st.html(
        tokens.note(
            f"Noam rises for {setting.warmup:,} steps to {setting.peak:.3g} = factor / "
            "√(d_model · warm-up), then falls with the inverse square root of the step. "
            f"Without a warm-up the same fall begins at {first:.3g}, "
            f"{first / setting.peak:.0f} times that peak, when Adam has hardly seen a gradient."
        )
    )


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


def show_depth() -> None:
    """Show recorded trainings of deep stacks: their losses, and what reaches each layer."""
    record = cache.depth_record()
    st.html(
        tokens.heading("Why a deep stack with the norm after the residual hardly trains")
        + tokens.note(
            f"Recorded, not computed now: {record.task}, d_model {record.d_model}, {record.steps} "
            f"steps each, by {record.command}. A name says the norm's place, and in how many steps "
            "the learning rate rises to which peak. Norms of the gradient are of all parameters of "
            "a layer together, on the batch of that step."
        )
    )
    names = [run.name for run in record.runs]
    chosen = st.pills(
        "Trainings",
        names,
        selection_mode="multi",
        default=names,
        key="depth_runs",
        bind="query-params",
    )
    runs = [run for run in record.runs if run.name in chosen]
    if not runs:
        st.html(tokens.note("Choose a training to see it."))
        return
    st.html(tokens.heading("Loss"))
    show_figure(
        depth_losses(
            [Line(run.name, run.norm_placement == "pre", run.losses) for run in runs],
            every=record.loss_every,
            unigram=record.unigram_loss,
            width=_WIDE,
            height=_TALL,
            palette=palette(),
        ),
        key="depth_losses",
        alt="loss by step of each training",
    )
    steps = sorted(set.intersection(*(set(run.gradients) for run in runs)))
    st.html(tokens.heading("What of the gradient reaches each layer"))
    step = st.segmented_control(
        "At step", steps, default=steps[0], required=True, key="depth_step", bind="query-params"
    )
    stacks = {
        stack: [
            Line(run.name, run.norm_placement == "pre", run.gradients[step][stack]) for run in runs
        ]
        for stack in ("encoder", "decoder")
    }
    show_figure(
        layer_gradients(stacks, width=_WIDE, height=_TALL, palette=palette()),
        key="depth_gradients",
        alt="norm of the gradient of each layer",
    )
    st.html("".join(tokens.note(words) for words in _depth_words(record, runs, step)))


def _depth_words(record: DepthRecord, runs: list[DepthRun], step: int) -> list[str]:
    """Say what the recorded numbers show, from the deepest of each placement in view."""
    words = []
    for placement in ("post", "pre"):
        same = [run for run in runs if run.norm_placement == placement]
        if not same:
            continue
        run = max(same, key=lambda run: (run.layers, run.warmup))
        part = first_to_last(run, "decoder", step)
        words.append(
            f"{run.name}: at step {step} the lowest decoder layer gets {part:.2g} times the "
            f"gradient of the highest; the loss ends at {run.losses[-1]:.2f}, where frequencies "
            f"alone give {record.unigram_loss:.2f}."
        )
    if {run.norm_placement for run in runs} == {"post", "pre"}:
        words.append(
            "After the residual, each norm rescales the whole sum, the way straight through "
            "included, so what flows back shrinks layer by layer. Before it, the residual is a "
            "way down that nothing rescales. The encoder fares better at first, as every layer of "
            "the decoder reads its memory."
        )
    return words
