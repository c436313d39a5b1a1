"""The bar above every page: the texts of the run, its output, and help to write the texts."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.text.normalised import UnreadableTextError
from model.text.tokenizer import Encoding
from sample_data.one_text.tasks import any_task
from sample_data.tasks import task_languages
from texts import say
from viz.address.address import bound
from viz.frame import output, words
from viz.frame.controls import TASK
from viz.frame.source_texts import LONGEST_TYPED, default_source
from viz.frame.typing_hints import (
    help_typing,
    help_typing_pieces,
    knows_words,
    show_known_words,
)
from viz.pictures import tokens
from viz.run.alignment import right_target
from viz.run.inputs import Inputs
from viz.run.record import encode_given, encode_typed, max_tokens
from viz.run.view import View

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

_SHOWN = "sentence_shown"
"""The inputs whose output is in the bar."""


class Side(NamedTuple):
    """One input text of a run."""

    name: str
    """"source" or "target": the key of its field."""
    text: str
    encoding: Encoding | None
    """None if the text cannot be read, most often because it is too long."""
    error: UnreadableTextError | None = None
    """The reason why it cannot be read, if a tokenizer tried."""


class Bar(NamedTuple):
    """The bar of a page: its texts, and the places for its output and its notices."""

    source: Side
    target: Side
    output: DeltaGenerator
    notices: DeltaGenerator
    """Place below the fields, for errors and unknown words with suggestions."""


def show_bar(info: "CheckpointInfo") -> Bar:
    """Show the fields, and keep places for the output."""
    st.session_state[TASK] = info.task
    with st.container(key="sentence_bar"):
        with st.container(key="bar_in", gap=None):
            source = _source(info)
            if knows_words(info):
                help_typing(source.text, source.encoding)
            else:
                help_typing_pieces()
        with st.container(key="bar_tools", horizontal=True, vertical_alignment="center"):
            folded = _tools(info, source)
        with st.container(key="bar_out", gap=None):
            place = st.empty()
        target = folded or _given_target(info, source)
        notices = st.container(key="bar_notices", gap="xsmall")
    return Bar(source, target, place, notices)


def show_length(bar: Bar, info: "CheckpointInfo") -> None:
    """Show the length of the source and the limit, in tokens."""
    if bar.source.encoding:
        count = say(
            "frame.token_count", count=len(bar.source.encoding.ids), most=max_tokens(info.config)
        )
        st.html(tokens.note(count))


def say_reading(bar: Bar, inputs: Inputs) -> None:
    """Show that the model is running, if the inputs are not those in view."""
    if st.session_state.get(_SHOWN) != inputs:
        bar.output.html(output.reading())


def show_output(bar: Bar, view: View) -> None:
    """Show the output: large, or small if the model had to guess unknown words."""
    st.session_state[_SHOWN] = view.inputs
    bar.output.html(output.written(view.run))


def show_nothing(bar: Bar) -> None:
    """Clear the output."""
    st.session_state.pop(_SHOWN, None)
    bar.output.empty()


def _source(info: "CheckpointInfo") -> Side:
    source = st.text_input(
        _source_label(info),
        max_chars=LONGEST_TYPED,
        key=bound("source", default_source(info), longest=LONGEST_TYPED),
        placeholder=say("frame.source_placeholder"),
        label_visibility="collapsed",
    )
    return Side("source", source, *_encode(partial(encode_typed, info), source))


def _tools(info: "CheckpointInfo", source: Side) -> Side | None:
    """Offer examples, the known words, and a field for a target, which is folded while empty."""
    task = any_task(info.task)
    if task:
        st.menu_button(
            say("frame.examples"),
            (*task.examples, *task.beyond),
            key="example",
            on_click=_take_example,
            type="tertiary",
        )
    if knows_words(info):
        show_known_words(info)
    if not info.config.has_decoder:
        return Side("target", "", None)
    if st.session_state[bound("target", "", longest=LONGEST_TYPED)]:
        return None
    goes_on = not info.config.has_encoder
    give = say("frame.give_continuation") if goes_on else say("frame.give_target")
    with st.popover(give, type="tertiary", key="give_target"):
        target = _target(info, source)
        told = say("frame.target_help")
        st.html(tokens.note(told))
        _offer_right(info, source, target)
    return target


def _source_label(info: "CheckpointInfo") -> str:
    config = info.config
    if config.has_cross_attention:
        return words.field_label(task_languages(info.task)[0], "source")
    return say("frame.prompt") if config.has_decoder else say("frame.text")


def _given_target(info: "CheckpointInfo", source: Side) -> Side:
    place = st.container(key="bar_target", horizontal=True, vertical_alignment="bottom")
    with place:
        target = _target(info, source)
        st.button(say("frame.let_model_write"), key="drop_target", on_click=set_text("target", ""))
        _offer_right(info, source, target)
    return target


def _target(info: "CheckpointInfo", source: Side) -> Side:
    target = st.text_input(
        words.field_label(task_languages(info.task)[1], "target")
        if info.config.has_encoder
        else say("frame.continuation"),
        max_chars=LONGEST_TYPED,
        key=bound("target", "", longest=LONGEST_TYPED),
        placeholder=say("frame.target_placeholder"),
    )
    read = source.encoding
    if not read:
        return Side("target", target, None)
    return Side("target", target, *_encode(lambda text: encode_given(info, text, read), target))


def _offer_right(info: "CheckpointInfo", source: Side, target: Side) -> None:
    if source.encoding is None or not info.config.has_encoder:
        return
    right = right_target(info, source.text, source.encoding)
    if right and target.text != right:
        put = set_text("target", right)
        st.button(say("frame.use_correct_target"), key="give_gold", on_click=put)


def _encode(
    encode: Callable[[str], Encoding], text: str
) -> tuple[Encoding | None, UnreadableTextError | None]:
    try:
        return encode(text), None
    except UnreadableTextError as error:
        return None, error


def set_text(name: str, text: str) -> Callable[[], None]:
    """Return a callback that sets the text of a field."""

    def put() -> None:
        st.session_state[name] = text

    return put


def start_again(source: str) -> None:
    """Set the source, and let the model write."""
    st.session_state["source"] = source
    st.session_state["target"] = ""


def _take_example() -> None:
    start_again(st.session_state["example"])
