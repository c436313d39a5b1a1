"""Messages for texts and models that cannot be run, with suggestions of what would work."""

import re
from collections.abc import Sequence

import streamlit as st

from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import CheckpointInfo
from model.foreign.errors import FolderError
from model.foreign.imports.words import BeyondModelError
from model.text.encoding import Encoding
from model.text.normalised import MAX_CHARACTERS
from model.text.unknown import UnknownWord
from sample_data.tasks import TASKS
from texts import say, say_of
from viz.frame import words
from viz.frame.bar import Side, set_text, start_again
from viz.frame.controls import switch_to
from viz.frame.source_texts import default_source
from viz.frame.titles import checkpoint_titles
from viz.models import listing, opening, places
from viz.pictures import tokens
from viz.run.copied_words import marks_of, words_to_tell
from viz.run.record import max_tokens

_MOST_REPLACED = 6
"""Most unknown words that get buttons; all are marked."""
_EXAMPLES_SHOWN = 4
_WELL_KNOWN = {
    "title": re.compile(r"\s*attention is all you need\b", re.IGNORECASE),
    "trophy": re.compile(r"\s*the trophy\b.{,80}\bbecause it\b", re.IGNORECASE),
}
"""Patterns of well-known sentences, by the key of their text."""


def report_no_checkpoint() -> None:
    """Show how to get a checkpoint."""
    folder = places.checkpoint_folder()
    st.html(tokens.notice(say("frame.no_checkpoint"), say("frame.none_found", folder=folder)))
    st.markdown(say("frame.train_one"))
    st.code(f"python -m sample_data.train everyday --out {folder}", language="bash")
    st.markdown(say("frame.restore_shipped"))
    st.code("git checkout -- sample_data/checkpoints", language="bash")


def report_broken(error: CheckpointError) -> None:
    """Show why a checkpoint cannot be opened."""
    is_folder = isinstance(error, FolderError)
    heading = say("frame.refused_model") if is_folder else say("frame.broken_checkpoint")
    st.html(tokens.notice(heading, say("frame.broken", error=error)))


def report_full() -> None:
    """Explain that the GPU is out of memory, and what would fit."""
    st.html(tokens.notice(say("frame.full"), say("frame.full_help")))


def report_page_lacking(title: str, why: str, instead: str | None) -> None:
    """Explain why a page cannot show the model in view, and offer a model that it can show."""
    st.html(tokens.question(say("frame.page_lacking", title=title), why))
    if instead:
        label = checkpoint_titles(listing.listed_names())[instead]
        st.button(
            say("frame.open_instead", title=tokens.markdown(label)),
            key="open_instead",
            type="primary",
            on_click=switch_to,
            args=(instead,),
        )


def check_texts(name: str, source: Side, target: Side) -> bool:
    """Return whether the texts can be run; show errors and unknown words, with suggestions."""
    info = opening.read_info(name)
    for side in (source, target):
        if _cannot_be_read(side):
            st.html(tokens.notice(say_of("frame.unreadable", side.name), _why_unreadable(side)))
            return False
        if length := _what_is_too_long(info, side):
            st.html(tokens.notice(say_of("frame.too_long", side.name), length))
            _offer_examples(info)
            return False
    if not _has_words(source):
        st.html(tokens.notice(say("frame.nothing_typed"), say("frame.how_to_begin")))
        _offer_examples(info)
        return False
    for side in (source, target):
        if side.encoding and side.encoding.unknown:
            told = side is source and not given_target(target)
            _offer_known_words(info, side, side.encoding, told=told)
    if well_known := _well_known(info, source.text):
        st.html(tokens.note(say_of("frame.beyond", well_known)))
    if source.encoding and (carried := words_to_tell(source.encoding)):
        st.html(tokens.note(words.carried_over(carried)))
    return True


def _well_known(info: CheckpointInfo, text: str) -> str | None:
    """Name a sentence that many people try, although it is beyond the training of the model."""
    if info.task != next(iter(TASKS)):
        return None
    return next((name for name, pattern in _WELL_KNOWN.items() if pattern.match(text)), None)


def _cannot_be_read(side: Side) -> bool:
    return side.encoding is None and 0 < len(side.text) <= MAX_CHARACTERS


def _why_unreadable(side: Side) -> str:
    error = side.error
    if isinstance(error, BeyondModelError):
        return say("frame.token_beyond", token=error.token, id=error.id, last=error.last)
    return say("frame.tokenizer_failed")


def _what_is_too_long(info: CheckpointInfo, side: Side) -> str | None:
    if not side.text:
        return None
    if side.encoding is None:
        return say("frame.characters", most=MAX_CHARACTERS)
    count, limit = len(side.encoding.ids), max_tokens(info.config)
    return say("frame.too_many_tokens", count=count, most=limit) if count > limit else None


def given_target(target: Side) -> str:
    """Return the target to force; empty if its field has no visible word."""
    return target.text if _has_words(target) else ""


def _has_words(side: Side) -> bool:
    spans = side.encoding.spans if side.encoding else ()
    return any(span is not None for span in spans)


def _offer_examples(info: CheckpointInfo, said: str = "") -> None:
    task = TASKS.get(info.task)
    examples = task.examples if task else (default_source(info),)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        if said:
            st.html(tokens.note(said), width="content")
        for index, example in enumerate(examples[:_EXAMPLES_SHOWN]):
            st.button(
                tokens.markdown(example),
                key=f"offer_{index}",
                on_click=start_again,
                args=(example,),
            )


def _offer_known_words(  # noqa: D417 - the other names explain themselves
    info: CheckpointInfo,
    side: Side,
    encoding: Encoding,
    *,
    told: bool,
) -> None:
    """Offer known words in place of unknown ones that look like them.

    Args:
        told: Whether the output names the unknown words and the field marks them already.
    """
    unknown = encoding.unknown
    with st.container(key=f"unknown_{side.name}", gap="xsmall"):
        if not told:
            st.html(tokens.note(say_of("frame.unknown", side.name, count=len(unknown))))
            st.html(tokens.marked_text(side.text, unknown, marks_of(encoding)))
        replaceable = [(word, word.nearest) for word in unknown if word.nearest]
        with st.container(horizontal=True, gap="medium"):
            for index, (word, known) in enumerate(replaceable[:_MOST_REPLACED]):
                _offer_instead(side, index, word, known)
        if side.name == "source" and not replaceable:
            if info.tokenizers.stand_ins:
                st.html(tokens.note(say("frame.carries")))
            _offer_examples(info, say("frame.try"))


def _offer_instead(side: Side, index: int, word: UnknownWord, offered: Sequence[str]) -> None:
    place = st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", width="content"
    )
    with place:
        st.html(tokens.replacement(word.text), width="content")
        for known in offered:
            written = known[:1].upper() + known[1:] if word.text[:1].isupper() else known
            st.button(
                tokens.markdown(written),
                key=f"replace_{side.name}_{index}_{known}",
                on_click=set_text(
                    side.name, side.text[: word.start] + written + side.text[word.end :]
                ),
            )
