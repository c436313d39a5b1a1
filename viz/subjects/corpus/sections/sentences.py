"""Sentences to look at: examples from the strongest to the weakest, each a link into the app."""

from typing import get_args

import streamlit as st

from texts import LANGUAGES, language, say, say_of
from viz.corpus.examples import By, Which
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.subjects.corpus import cache
from viz.subjects.corpus.report import example_list, short_list

_BY: tuple[By, ...] = get_args(By)
_WHICH: tuple[Which, ...] = get_args(Which)


def show_three(place: Place, head: HeadName) -> None:
    """Show one example from either end, and one from the middle."""
    st.html(tokens.heading(say("corpus.three")))
    bands = cache.examples_of(place, head, "weight", each=1).bands[::2]
    shown = [example for band in bands for example in band.examples]
    st.html(short_list(shown, head, checkpoint=place.checkpoint, language=_asked_language()))


def show_sentences(place: Place, head: HeadName) -> None:
    """Show examples by quantile."""
    st.html(tokens.note(say("corpus.examples_note")))
    with st.container(horizontal=True, gap="medium"):
        by = choose_one(
            say("corpus.by"), _BY, lambda name: say_of("corpus_by", name), key="corpus_by"
        )
        which: Which = "all"
        if head.kind == "cross-attention":
            which = choose_one(
                say("corpus.which"),
                _WHICH,
                lambda name: say_of("corpus_which", name),
                key="corpus_which",
            )
    found = cache.examples_of(place, head, by, which=which)
    if not found.bands:
        st.html(tokens.note(say("corpus.no_rows")))
        return
    st.html(example_list(found, head, by, checkpoint=place.checkpoint, language=_asked_language()))


def _asked_language() -> str:
    return "" if language() == LANGUAGES[0] else language()
