"""The inputs in the sidebar, which all pages share. What is chosen stands in the URL."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from model.checkpoint import Checkpoint, CheckpointError, CheckpointInfo
from model.text import MAX_CHARACTERS, TextTooLongError
from model.tokenizer import Encoding
from sample_data.tasks import TASKS, task_languages
from viz.frame import words
from viz.pictures import tokens
from viz.pictures.enlarged import enlarge
from viz.pictures.theme import DARK, LIGHT, Palette, template
from viz.run import session
from viz.run.alignment import right_target
from viz.run.link import forget_selection, select
from viz.run.record import KINDS, Run, layer_count, max_tokens
from viz.run.selection import Selection

_TASK = "task"
"""Of the checkpoint that was run last."""
_TEXTS = "texts"
"""The latest source and target of each task."""

LONGEST_TYPED = 5 * MAX_CHARACTERS
"""What a field holds: a text that is too long to be run stays in it, to be shortened."""


class Side(NamedTuple):
    """One text that goes into a run."""

    name: str
    """source or target: the key of its field."""
    text: str
    encoding: Encoding | None
    """None of a text that is too long to be read."""


def palette() -> Palette:
    """Give the colours of the page as it is now."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def in_page_look(figure: go.Figure) -> go.Figure:
    """Give a figure the page's colours, and in presenter mode the page's larger type."""
    figure.update_layout(template=template(palette()))
    return enlarge(figure) if is_presenting() else figure


def show_figure(figure: go.Figure, *, key: str, alt: str) -> None:
    """Show a figure at its own size, in the page's colours."""
    st.plotly_chart(
        in_page_look(figure),
        key=key,
        alt=alt,
        theme=None,
        width="content",
        config={"displaylogo": False, "displayModeBar": False},
    )


def choose_checkpoint(names: Sequence[str]) -> str:
    """Let one checkpoint be chosen; another one starts at its best head."""
    asked = st.query_params.get("checkpoint")
    if asked and asked not in names:
        st.warning(words.no_such_checkpoint(tokens.quoted(asked)))
    return st.selectbox(
        words.CHECKPOINT,
        names,
        key="checkpoint",
        bind="query-params",
        on_change=_follow_checkpoint,
        args=(list(names),),
    )


def choose_source(info: CheckpointInfo) -> Side:
    """Let a sentence be typed, or an example be picked into the field."""
    st.session_state[_TASK] = info.task
    task = TASKS.get(info.task)
    source = st.text_input(
        words.field_label(task_languages(info.task)[0], "source"),
        default_source(info),
        max_chars=LONGEST_TYPED,
        key="source",
        bind="query-params",
        placeholder=words.SOURCE_PLACEHOLDER,
    )
    side = Side("source", source, _encode(info.tokenizers.encode_source, source))
    if side.encoding:
        st.html(tokens.note(words.token_count(len(side.encoding.ids), max_tokens(info.config))))
    if task:
        st.menu_button(
            words.EXAMPLES,
            (*task.examples, *task.beyond),
            key="example",
            on_click=_take_example,
            width="stretch",
        )
    return side


def choose_target(info: CheckpointInfo, source: Side) -> Side:
    """Let a target be given; an empty field leaves the writing to the model."""
    target = st.text_input(
        words.field_label(task_languages(info.task)[1], "target"),
        max_chars=LONGEST_TYPED,
        key="target",
        bind="query-params",
        placeholder=words.TARGET_PLACEHOLDER,
        help=words.TARGET_HELP,
    )
    right = right_target(info, source.text, source.encoding) if source.encoding else None
    with st.container(horizontal=True, gap="xsmall"):
        if right and target != right:
            put = set_text("target", right)
            st.button(words.USE_CORRECT_TARGET, key="give_gold", on_click=put)
        if target:
            st.button(words.LET_MODEL_WRITE, key="drop_target", on_click=set_text("target", ""))
    encode = partial(info.tokenizers.encode_target, source=source.encoding)
    return Side("target", target, _encode(encode, target))


def _encode(encode: Callable[[str], Encoding], text: str) -> Encoding | None:
    try:
        return encode(text)
    except TextTooLongError:
        return None


def default_source(info: CheckpointInfo) -> str:
    """Give the task's first example; for a text of one's own, its most frequent words."""
    if task := TASKS.get(info.task):
        return task.examples[0]
    vocabulary = info.tokenizers.source.vocabulary
    between = " " if info.tokenizers.source.kind == "word" else ""
    return between.join(sorted(vocabulary, key=vocabulary.__getitem__)[:5])


def choose_device() -> str:
    """Let a device be chosen where there is a choice."""
    found = session.devices()
    if len(found) == 1:
        return found[0]
    return st.segmented_control(
        words.DEVICE,
        found,
        default=found[0],
        required=True,
        format_func=words.DEVICES.__getitem__,
        key="device",
        bind="query-params",
    )


def choose_head(run: Run, selection: Selection) -> None:
    """Let the selected head be chosen on pages that have no picture of all heads."""
    layers = layer_count(run.info.config, selection.kind)
    choices = {
        "kind": KINDS,
        "layer": tuple(range(layers)),
        "head": tuple(range(run.info.config.n_heads)),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, options in choices.items():
            key = f"choose_{name}"
            st.session_state[key] = getattr(selection, name)
            st.segmented_control(
                name.capitalize(),
                options,
                required=True,
                key=key,
                on_change=_take_head,
                args=(name,),
            )


def _take_head(name: str) -> None:
    select({name: st.session_state[f"choose_{name}"]})


def choose_presenter() -> None:
    """Offer larger type and fewer controls, for a room of people, and the list of keys."""
    with st.container(horizontal=True, key="frame_controls", vertical_alignment="center"):
        st.toggle(words.PRESENTER, key="presenter", bind="query-params")
        if st.button(words.KEYS_BUTTON, key="keys", help=words.KEYS_HELP):
            _show_keys()


def is_presenting() -> bool:
    """Tell whether presenter mode is on, before its switch is drawn: a link may ask for it."""
    asked = st.query_params.get("presenter") == "true"
    return bool(st.session_state.get("presenter", asked))


def leave_presenter() -> None:
    """Offer the way back from presenter mode, which hides the sidebar and its switch."""
    st.button(words.LEAVE_PRESENTER, key="leave_presenter", on_click=_stop_presenting)


def set_text(name: str, text: str) -> Callable[[], None]:
    """Make a callback that puts a text into a field."""

    def put() -> None:
        st.session_state[name] = text

    return put


def describe_model(checkpoint: Checkpoint, device: str) -> None:
    """Say what runs, how large it is, and on what."""
    config = checkpoint.info.config
    parameters = sum(parameter.numel() for parameter in checkpoint.model.parameters())
    facts = words.model_facts(
        checkpoint.info.title,
        layers=(config.n_encoder_layers, config.n_decoder_layers),
        heads=config.n_heads,
        parameters=parameters,
        device=device,
    )
    st.html(tokens.note(facts))
    scores = checkpoint.info.scores
    if scores.get("sentences") and "exact_match" in scores:
        kinds = [(kind["name"], kind["exact_match"]) for kind in scores.get("constructions", ())]
        weakest = min(kinds, key=lambda kind: kind[1], default=None)
        said = words.model_scores(scores["exact_match"], scores["sentences"], weakest)
        st.html(tokens.note(said))


@st.dialog(words.KEYS_TITLE)
def _show_keys() -> None:
    st.html(tokens.key_list(words.KEYS))


def _follow_checkpoint(names: list[str]) -> None:
    """Start a newly chosen checkpoint at its best head, and another task at its latest texts.

    A task that was not here before gets its own example for another's; what someone typed stays.
    """
    forget_selection()
    try:
        info = session.read_info(st.session_state.get("checkpoint", names[0]))
    except CheckpointError:
        return
    latest: dict[str, tuple[str, str]] = st.session_state.setdefault(_TEXTS, {})
    before = st.session_state.get(_TASK)
    if before and "source" in st.session_state:
        latest[before] = (st.session_state["source"], st.session_state.get("target", ""))
    if info.task in latest and info.task != before:
        st.session_state["source"], st.session_state["target"] = latest[info.task]
        return
    others = [task for task in TASKS.values() if task.name != info.task]
    examples = {example for task in others for example in (*task.examples, *task.beyond)}
    if st.session_state.get("source") in examples:
        st.session_state["source"] = default_source(info)
        st.session_state["target"] = ""


def _stop_presenting() -> None:
    st.session_state["presenter"] = False


def _take_example() -> None:
    st.session_state["source"] = st.session_state["example"]
    st.session_state["target"] = ""
