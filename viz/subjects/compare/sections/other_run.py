"""The row in which the reader chooses the other run, and that run."""

from functools import partial

import streamlit as st

from model.checkpoints.errors import CheckpointError
from texts import say
from viz.frame.own_titles import own_titles
from viz.frame.pinned_run import pin, pinned, write_pin
from viz.frame.source_texts import LONGEST_TYPED
from viz.models.own_checkpoints import checkpoint_names, info_of
from viz.pictures import tokens
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.subjects.compare import words
from viz.subjects.compare.cache import suggested_sentence
from viz.subjects.compare.sections.url_state import ask, ask_widget, asked
from viz.subjects.compare.suggestions import other_model


def choose_other(view: View) -> Inputs | None:
    """Let the reader choose the other run in one row; return None if none is pinned yet."""
    kept = pinned()
    changed = bool(view.inputs.interventions)
    options = words.ways(changed=changed, pinned=kept is not None)
    way = asked("with", "pinned" if kept and kept != view.inputs else "")
    st.session_state["compare_with"] = way if way in options else next(iter(options))
    with st.container(key="compare_choose", horizontal=True, vertical_alignment="center"):
        st.html(tokens.heading(say("compare.another")), width="content")
        way = st.segmented_control(
            say("compare.another"),
            list(options),
            format_func=options.__getitem__,
            required=True,
            key="compare_with",
            on_change=ask_widget,
            args=("with", "compare_with"),
            label_visibility="collapsed",
        )
        return _inputs_of(view, way, kept)


def open_other(view: View, inputs: Inputs) -> View | None:
    """Run the other inputs; if that is not possible, say what is wrong."""
    try:
        other = view.beside(inputs)
    except (ValueError, CheckpointError) as error:
        st.html(tokens.notice(say("compare.cannot_run"), str(error)))
        return None
    if unknown := list(dict.fromkeys(word.text for word in other.run.source.unknown)):
        st.html(tokens.note(words.unknown_in_other(unknown)))
    return other


def run_names(a: Inputs, b: Inputs) -> tuple[str, str]:
    """State beside each run's sentences what distinguishes it from the other."""
    titles = own_titles(checkpoint_names())
    ours, theirs = (
        words.run_name(
            titles.get(one.checkpoint, one.checkpoint) if a.checkpoint != b.checkpoint else "",
            given=bool(one.target) if a.target != b.target else None,
            changed=bool(one.interventions) if a.interventions != b.interventions else None,
        )
        for one in (a, b)
    )
    return ours, theirs


def _inputs_of(view: View, way: str | None, kept: Inputs | None) -> Inputs | None:
    """Let the reader choose the rest, and return the inputs of the other run.

    Changes that name positions do not apply to other texts, nor do heads to another model.
    """
    same = tuple(change for change in view.inputs.interventions if not change.anchored)
    match way:
        case "changes":
            return view.inputs.unchanged
        case "model":
            return _choose_model(view)
        case "pinned":
            return _take_pinned(view, kept)
        case _:
            return view.inputs._replace(source=_type_sentence(view), target="", interventions=same)


def _type_sentence(view: View) -> str:
    """Let the reader type a sentence; an empty field shows the suggestion."""
    suggested = suggested_sentence(view)
    st.session_state["compare_other_source"] = asked("other_source", suggested)
    with st.container(key="compare_field", width="stretch"):
        typed = st.text_input(
            say("compare.other_sentence"),
            max_chars=LONGEST_TYPED,
            key="compare_other_source",
            on_change=ask_widget,
            args=("other_source", "compare_other_source"),
            label_visibility="collapsed",
        )
    return typed if typed.strip() else suggested


def _choose_model(view: View) -> Inputs:
    names = checkpoint_names()
    titles = own_titles(names)
    own = view.inputs.checkpoint
    tasks = {name: info.task for name in names if (info := info_of(name))}
    options = [name for name in tasks if name != own]
    options.sort(key=lambda name: tasks[name] != view.run.info.task)
    usual = other_model(own, view.run.info.task, tasks)
    chosen = asked("other_model", usual)
    st.session_state["compare_model"] = chosen if chosen in options else usual
    name = st.selectbox(
        say("compare.other_model"),
        options or [own],
        format_func=titles.__getitem__,
        key="compare_model",
        on_change=ask_widget,
        args=("other_model", "compare_model"),
        label_visibility="collapsed",
    )
    target = view.inputs.target if tasks[name] == view.run.info.task else ""
    return view.inputs.unchanged._replace(checkpoint=name, target=target)


def _take_pinned(view: View, kept: Inputs | None) -> Inputs | None:
    """Offer to pin the run in view, or to unpin the pinned one."""
    if kept is None or kept.checkpoint not in checkpoint_names():
        st.button(
            say("compare.pin"),
            key="compare_pin",
            on_click=_pin,
            args=(view.inputs,),
        )
        st.html(tokens.note(say("compare.no_pin")))
        return None
    if (text := write_pin(kept)) != asked("pinned"):
        ask("pinned", text or "")
    st.button(say("compare.unpin"), key="compare_unpin", on_click=partial(_pin, None))
    if kept == view.inputs:
        st.html(tokens.note(say("compare.pinned_in_view")))
        return None
    return kept._replace(device=view.inputs.device)


def _pin(inputs: Inputs | None) -> None:
    pin(inputs)
    ask("pinned", (write_pin(inputs) or "") if inputs else "")
