"""What the page says where something cannot be run, and what would work instead."""

import streamlit as st

from model.checkpoint import CheckpointError, CheckpointInfo
from model.tokenizer import UnknownWord
from sample_data.tasks import TASKS
from viz.frame.controls import Side, default_source, set_text
from viz.pictures import tokens
from viz.run import session
from viz.run.record import max_tokens

_MOST_REPLACED = 6
"""Unknown words that get buttons; all are marked."""
_EXAMPLES_SHOWN = 4


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


def check_texts(info: CheckpointInfo, source: Side, target: Side) -> bool:
    """Tell whether the texts can be run; say what is wrong or unknown, and what would work."""
    limit = max_tokens(info.config)
    if not _has_words(source):
        st.html(tokens.notice("Type a sentence", "Press Enter to run the model, or start from:"))
        _offer_examples(info)
        return False
    for side in (source, target):
        if len(side.encoding.ids) > limit:
            st.html(
                tokens.notice(
                    f"This {side.name} is too long to be run",
                    f"It has {len(side.encoding.ids):,} tokens, special ones included; at most "
                    f"{limit} are run. Shorten it in the field, where it still stands, or start "
                    "from:",
                )
            )
            _offer_examples(info)
            return False
    for side in (source, target):
        if side.encoding.unknown:
            _offer_known_words(info, side)
    return True


def given_target(target: Side) -> str:
    """Give the target to force: nothing where its field holds nothing that can be seen."""
    return target.text if _has_words(target) else ""


def _has_words(side: Side) -> bool:
    return any(span is not None for span in side.encoding.spans)


def _offer_examples(info: CheckpointInfo) -> None:
    task = TASKS.get(info.task)
    examples = task.examples if task else (default_source(info),)
    with st.container(horizontal=True, gap="xsmall"):
        for index, example in enumerate(examples[:_EXAMPLES_SHOWN]):
            st.button(
                tokens.markdown(example),
                key=f"offer_{index}",
                on_click=_start_again,
                args=(example,),
            )


def _start_again(source: str) -> None:
    st.session_state["source"] = source
    st.session_state["target"] = ""


def _offer_known_words(info: CheckpointInfo, side: Side) -> None:
    unknown = side.encoding.unknown
    count = len(unknown)
    words = f"1 {side.name} word is" if count == 1 else f"{count} {side.name} words are"
    with st.container(border=True, key=f"card_unknown_{side.name}", gap="xsmall"):
        st.html(tokens.heading(f"{words} unknown to this model, which reads <unk> there"))
        st.html(tokens.marked_text(side.text, unknown))
        replaceable = [word for word in unknown if word.nearest]
        for index, word in enumerate(replaceable[:_MOST_REPLACED]):
            _offer_nearest(side, index, word)
        if len(replaceable) < count:
            others = "the others" if replaceable else "it" if count == 1 else "them"
            tokenizers = info.tokenizers
            tokenizer = tokenizers.source if side.name == "source" else tokenizers.target
            known = len(tokenizer.vocabulary)
            st.html(tokens.note(f"Of the {known:,} tokens that it knows, none is near {others}."))


def _offer_nearest(side: Side, index: int, word: UnknownWord) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.html(tokens.replacement(word.text), width="content")
        for known in word.nearest:
            st.button(
                tokens.markdown(known),
                key=f"replace_{side.name}_{index}_{known}",
                on_click=set_text(
                    side.name, side.text[: word.start] + known + side.text[word.end :]
                ),
            )
