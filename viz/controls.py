"""Widgets and messages that all pages share. What is chosen stands in the URL."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st

from model.checkpoint import Checkpoint, CheckpointError, CheckpointInfo
from model.tokenizer import Encoding, UnknownWord
from sample_data.tasks import TASKS
from viz import session
from viz.components import tokens
from viz.figures.theme import DARK, LIGHT, Palette, template
from viz.run import KINDS, AttentionKind, Selection, layer_count, max_source_tokens

_MOST_REPLACED = 6
"""Unknown words that get buttons; all are marked."""
_EXAMPLES_SHOWN = 4
_DEVICE_NAMES = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}


def palette() -> Palette:
    """Give the colours of the page as it is now."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def show_figure(
    figure: go.Figure, *, key: str, alt: str, on_click: Callable[[], None] | None = None
) -> None:
    """Show a figure at its own size, in the page's colours."""
    figure.update_layout(template=template(palette()))
    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        theme=None,
        width="content",
        config={"displaylogo": False, "displayModeBar": False},
        on_select=on_click or "ignore",
        selection_mode="points",
    )


def choose_checkpoint(names: Sequence[str]) -> str:
    """Let one checkpoint be chosen; another one starts at its best head."""
    asked = st.query_params.get("checkpoint")
    if asked and asked not in names:
        st.warning(f"There is no checkpoint {_code(asked)}: this is another one.")
    return st.selectbox(
        "Checkpoint",
        names,
        key="checkpoint",
        bind="query-params",
        on_change=_follow_checkpoint,
        args=(list(names),),
    )


def choose_source(info: CheckpointInfo) -> tuple[str, Encoding]:
    """Let a sentence be typed, or an example be picked into the field; give it and its tokens."""
    task = TASKS.get(info.task)
    limit = max_source_tokens(info.config)
    source = st.text_input(
        f"{task.source_language} source" if task else "Source",
        default_source(info),
        key="source",
        bind="query-params",
        placeholder="Type and press Enter",
    )
    encoding = info.tokenizers.encode_source(source)
    st.html(tokens.note(f"{len(encoding.ids):,} of at most {limit} tokens"))
    if task:
        st.menu_button(
            "Examples",
            task.examples,
            key="example",
            on_click=_take_example,
            width="stretch",
        )
    return source, encoding


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
        "Runs on",
        found,
        default=found[0],
        required=True,
        format_func=_DEVICE_NAMES.__getitem__,
        key="device",
        bind="query-params",
    )


def choose_head(info: CheckpointInfo) -> Selection:
    """Let a head be chosen: the kind of attention, the layer, the head."""
    asked = st.query_params.get("kind")
    if asked and asked not in KINDS:
        st.warning(f"There is no {_code(asked)}: this is cross-attention.")
    kind: AttentionKind = st.radio(
        "Attention",
        KINDS,
        index=KINDS.index("cross-attention"),
        key="kind",
        bind="query-params",
    )
    layers, heads = range(layer_count(info.config, kind)), range(info.config.n_heads)
    best_layer, best_head = _best_head(info)
    layer = _choose_number("Layer", "layer", layers, default=min(best_layer, layers[-1]))
    return Selection(kind, layer, _choose_number("Head", "head", heads, default=best_head))


def open_head() -> None:
    """Follow a click on the picture of all heads: select that layer and head."""
    points = st.session_state["attention_heads"].selection.points
    if points:
        st.session_state["layer"], st.session_state["head"] = points[0]["customdata"]


def describe_model(checkpoint: Checkpoint, device: str) -> None:
    """Say what runs, how large it is, and on what."""
    config = checkpoint.info.config
    parameters = sum(parameter.numel() for parameter in checkpoint.model.parameters())
    st.html(
        tokens.note(
            f"{checkpoint.info.title}: {config.n_encoder_layers} + {config.n_decoder_layers} "
            f"layers, {config.n_heads} heads, {parameters:,} parameters, "
            f"on {_DEVICE_NAMES[device]}."
        )
    )


def report_no_checkpoint() -> None:
    """Say how to get a checkpoint."""
    folder = session.checkpoint_folder()
    st.html(tokens.notice("There is no trained model here yet", f"None was found in {folder}."))
    st.markdown("Train one, in a few minutes on a processor:")
    st.code(f"python -m model.train english-french --out {folder}", language="bash")
    st.markdown("Or put back the ones that belong to the repository:")
    st.code("git checkout -- sample_data/checkpoints", language="bash")


def report_broken(error: CheckpointError) -> None:
    """Say what is wrong with a checkpoint."""
    st.html(tokens.notice("This checkpoint cannot be used", f"{error}\nOthers can be chosen."))


def check_source(info: CheckpointInfo, source: str, encoding: Encoding) -> bool:
    """Tell whether a text can be run; say what is wrong or unknown, and what would work."""
    limit = max_source_tokens(info.config)
    if not any(span is not None for span in encoding.spans):
        st.html(tokens.notice("Type a sentence", "Press Enter to run the model, or start from:"))
        _offer_examples(info)
        return False
    if len(encoding.ids) > limit:
        st.html(
            tokens.notice(
                "This text is too long to be seen",
                f"It has {len(encoding.ids):,} tokens with </s>; at most {limit} are run. "
                "Shorten it in the field, where it still stands, or start from:",
            )
        )
        _offer_examples(info)
        return False
    if encoding.unknown:
        _offer_known_words(info, source, encoding)
    return True


def _choose_number(label: str, key: str, numbers: range, *, default: int) -> int:
    """Offer numbers; one that a link names and that is not there becomes the nearest."""
    asked = st.query_params.get(key)
    if asked is not None and asked not in map(str, numbers):
        nearest = default
        if asked.removeprefix("-").isdecimal():
            nearest = max(numbers[0], min(int(asked[:9]), numbers[-1]))
        st.session_state[key] = nearest
        st.warning(
            f"The link asks for {key} {_code(asked)}; this model has "
            f"{numbers[0]} to {numbers[-1]}. Showing {key} {nearest}."
        )
    return st.segmented_control(
        label, numbers, default=default, required=True, key=key, bind="query-params"
    )


def _best_head(info: CheckpointInfo) -> tuple[int, int]:
    """Layer and head of cross-attention that a checkpoint starts with."""
    config = info.config
    match info.scores.get("best_head"):
        case {"layer": int(layer), "head": int(head)} if (
            0 <= layer < config.n_decoder_layers and 0 <= head < config.n_heads
        ):
            return layer, head
    return config.n_decoder_layers - 1, 0


def _follow_checkpoint(names: list[str]) -> None:
    """Start a newly chosen checkpoint at its best head; change another task's example for its own.

    What someone typed stays.
    """
    try:
        info = session.read_info(st.session_state.get("checkpoint", names[0]))
    except CheckpointError:
        return
    st.session_state["layer"], st.session_state["head"] = _best_head(info)
    others = [task for task in TASKS.values() if task.name != info.task]
    if any(st.session_state.get("source") in task.examples for task in others):
        st.session_state["source"] = default_source(info)


def _take_example() -> None:
    st.session_state["source"] = st.session_state["example"]


def _set_source(text: str) -> None:
    st.session_state["source"] = text


def _offer_examples(info: CheckpointInfo) -> None:
    task = TASKS.get(info.task)
    examples = task.examples if task else (default_source(info),)
    with st.container(horizontal=True, gap="xsmall"):
        for index, example in enumerate(examples[:_EXAMPLES_SHOWN]):
            st.button(_plain(example), key=f"offer_{index}", on_click=_set_source, args=(example,))


def _offer_known_words(info: CheckpointInfo, source: str, encoding: Encoding) -> None:
    count = len(encoding.unknown)
    words = "1 word is" if count == 1 else f"{count} words are"
    with st.container(border=True, key="card_unknown", gap="xsmall"):
        st.html(tokens.heading(f"{words} unknown to this model, which reads <unk> there"))
        st.html(tokens.marked_text(source, encoding.unknown))
        replaceable = [word for word in encoding.unknown if word.nearest]
        for index, word in enumerate(replaceable[:_MOST_REPLACED]):
            _offer_nearest(source, index, word)
        if len(replaceable) < count:
            others = "the others" if replaceable else "it" if count == 1 else "them"
            known = len(info.tokenizers.source.vocabulary)
            st.html(tokens.note(f"Of the {known:,} tokens that it knows, none is near {others}."))


def _offer_nearest(source: str, index: int, word: UnknownWord) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.html(tokens.replacement(word.text), width="content")
        for known in word.nearest:
            st.button(
                _plain(known),
                key=f"replace_{index}_{known}",
                on_click=_set_source,
                args=(source[: word.start] + known + source[word.end :],),
            )


def _plain(text: str) -> str:
    """Keep a label's characters from being read as Markdown."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:" else c for c in text)


def _code(text: str) -> str:
    return _plain(text if len(text) <= 40 else f"{text[:39]}…")
