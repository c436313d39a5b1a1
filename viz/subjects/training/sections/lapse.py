"""The sections of the Training page that play snapshots, and the choice of their head."""

from functools import partial
from pathlib import Path
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.checkpoints.checkpoint_files import read_info
from model.checkpoints.errors import CheckpointError
from texts import say, say_of
from viz.address.address import bound, put, said
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.axes import KINDS, AttentionKind
from viz.run.titles import side_names
from viz.run.view import View
from viz.subjects.training import cache, words
from viz.subjects.training.pictures import chosen_head, rested_at, show_lapse
from viz.subjects.training.time_lapse import TimeLapse, step_of

_SERIES, _EXAMPLE = "lapse_series", "lapse_example"
_PLACE = "snapshot"
"""The parameter that names the step in view in the URL."""


def show_answer(task: str) -> None:
    """Answer how heads learn, by the sentence and the training in view."""
    asked, answer = say("training.question"), say("training.answer_open")
    paths = _paths(task)
    try:
        if paths and (examples := cache.lapse_examples(paths)):
            chosen = st.session_state.get(_EXAMPLE) or said(_EXAMPLE)
            source = chosen if chosen in examples else examples[0]
            asked = words.question(source)
            answer = words.answer(cache.time_lapse(paths, source), cache.task_of(paths))
    except CheckpointError:
        pass  # the time-lapse itself reports the error
    st.html(tokens.question(asked, explained(answer)))


def lapse_heading(task: str) -> str:
    """Return the heading of the time-lapse, with its task if the model in view has another one."""
    paths = _paths(task)
    return words.lapse_heading(cache.task_of(paths) if paths else "")


def _paths(task: str) -> tuple[Path, ...]:
    """Return the snapshots of the series in view, or of the default one."""
    found = cache.series()
    chosen = st.session_state.get(_SERIES) or said(_SERIES)
    return found.get(chosen or "", found.get(_first_series(task), ()))


def _first_series(task: str) -> str:
    """Name the default series; "" if there is none.

    It is that of the task in view if there is one. A link that says more of a time-lapse but does
    not name it is from the time of a single one, and means the first.
    """
    found = cache.series()
    first = next(iter(found), "")
    if any(map(said, (_PLACE, _EXAMPLE, "lapse_head"))):
        return first
    return next((name for name in found if cache.task_of(found[name]) == task), first)


def show_time_lapse(view: View) -> None:
    """Play a training that left snapshots, on one of its task's examples."""
    found = cache.series()
    if not found:
        st.html(tokens.notice(say("training.no_snapshots"), say("training.no_snapshots_said")))
        return
    names = list(found)
    name = _first_series(view.run.info.task)
    row = st.container(
        horizontal=True, gap="medium", vertical_alignment="bottom", key="lapse_choices"
    )
    if len(names) > 1:
        name = row.selectbox(
            say("training.series"),
            names,
            key=bound(_SERIES, name, names),
            label_visibility="collapsed",
            width=190,
        )
    try:
        _show_series(found[name], view.run.info.task, row)
    except CheckpointError as error:
        st.html(tokens.notice(say("training.unusable_snapshots"), str(error)))


def _show_series(paths: tuple[Path, ...], chosen_task: str, row: DeltaGenerator) -> None:
    """Play a series; its choices are in a row that the caller has begun."""
    info = read_info(paths[-1])
    examples = cache.lapse_examples(paths)
    if not examples:
        why = say("training.no_example_said", task=info.task)
        st.html(tokens.notice(say("training.no_example"), why))
        return
    with row:
        source = st.selectbox(
            say("training.example"),
            examples,
            key=bound(_EXAMPLE, examples[0], examples),
            label_visibility="collapsed",
            width=320,
        )
        lapse = cache.time_lapse(paths, source)
        kind, layer, head = choose_lapse_head(lapse, "lapse", first=_best_head(lapse))
    asked = said(_PLACE) or ""
    show_lapse(
        lapse,
        kind,
        layer,
        head,
        languages=side_names(info.task),
        key="lapse",
        at=int(asked) if asked.isdecimal() and len(asked) < 9 else None,
        on_choice=partial(take_head, "lapse"),
        on_stop=partial(_remember_place, "lapse"),
    )
    note = words.lapse_note(info, step_of(paths[-1]), len(paths))
    if info.task != chosen_task:
        note = f"{note} {words.other_task(chosen_task)}"
    st.html(tokens.note(note))


def choose_lapse_head(
    lapse: TimeLapse, prefix: str, *, first: tuple[int, int] = (0, 0)
) -> tuple[AttentionKind, int, int]:
    """Let the reader choose kind, layer and head, beginning with `first`."""
    last = lapse.snapshots[-1]
    chosen: list[int] = []
    with st.container(horizontal=True, gap="medium", width="content"):
        chosen_kind = choose_one(
            say("training.kinds"),
            KINDS,
            lambda kind: say_of("training.kind", kind),
            key=f"{prefix}_kind",
            first="cross-attention",
        )
        kind = cast("AttentionKind", chosen_kind)
        layers, heads = last.weights[kind].shape[:2]
        for name, label, size, default in (
            ("layer", say("training.layer"), layers, first[0]),
            ("head", say("training.head"), heads, first[1]),
        ):
            if size == 1:
                chosen.append(0)
                continue
            chosen.append(choose_one(label, range(size), key=f"{prefix}_{name}", first=default))
    return kind, chosen[0], chosen[1]


def take_head(prefix: str) -> None:
    """Choose the clicked head of a picture."""
    for name, number in zip(("layer", "head"), chosen_head(prefix), strict=True):
        if f"{prefix}_{name}" in st.session_state:
            st.session_state[f"{prefix}_{name}"] = number


def _best_head(lapse: TimeLapse) -> tuple[int, int]:
    """Find the head that aligns best at the end."""
    scores = lapse.snapshots[-1].scores.heads
    return max(scores, key=scores.__getitem__, default=(0, 0))


def _remember_place(prefix: str) -> None:
    put(_PLACE, str(rested_at(prefix)))
