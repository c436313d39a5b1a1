"""What a link asks for that is no longer there: the page says so."""

from collections.abc import Callable, Collection, Mapping

import streamlit as st

from texts import say_of
from viz.address.address import open_link, said
from viz.pictures import tokens

_TOLD = "gone_told"
"""By what is gone, the page on which it was said: the page may drop the parameter that asked."""

_STILL_THERE: Mapping[str, Callable[[str], bool]] = {
    "variants_demonstration": lambda _: False,
    "variants": lambda _: False,
    "more_touch_how": lambda asked: asked == "false",
    "variants_maps": lambda _: False,
    "exam": lambda _: False,
    "corpus_other": lambda _: False,
    "more_variants_convert": lambda _: False,
    "fill": lambda _: False,
    "more_masks_empty": lambda _: False,
    "more_masks_dials": lambda asked: asked == "false",
    "more_masks_each": lambda asked: asked == "false",
    "more_masks_steps": lambda asked: asked == "false",
    "more_decoding_cache": lambda asked: asked == "false",
    "embeddings_method": lambda _: False,
    "embeddings_dimensions": lambda _: False,
    "embeddings_colour": lambda _: False,
    "embeddings_section": lambda _: False,
    "combined": lambda _: False,
    "node": lambda _: False,
    "part_training": lambda asked: asked in ("lapse", "live"),
    "positions_closer": lambda asked: asked in ("waves", "shift"),
    "positions_formula": lambda asked: asked == "own",
    "positions_change": lambda asked: asked != "rescaled",
    "positions_d_model": lambda _: False,
    "positions_base": lambda _: False,
    "positions_learned": lambda _: False,
    "more_corpus_spread": lambda asked: asked == "false",
    "more_mattered_edges": lambda asked: asked == "false",
    "pair_by": lambda asked: asked == "tokens",
    "pairs": lambda _: False,
    "by_number": lambda _: False,
    "shows": lambda asked: asked == "head",
    "order": lambda asked: asked == "place",
    "compare_view": lambda asked: asked == "beside",
    "compare_order": lambda _: False,
    "more_corpus_same": lambda asked: asked == "false",
    "more_embeddings_likeness": lambda asked: asked == "false",
    "more_corpus_words": lambda asked: asked == "false",
    "more_mattered_many": lambda asked: asked == "false",
    "with": lambda asked: asked != "target",
}
"""By parameter of a link, whether what it asks for is there."""

_SUCCESSORS = {
    "english-french-paper-0": "everyday-paper-0",
    "english-french-paper-3": "everyday-paper-0",
    "english-french-addnorm": "everyday-addnorm",
    "english-french-temperature": "everyday-temperature",
    "english-french-prenorm": "everyday-prenorm",
    "english-french-headlist": "everyday-headlist",
    "english-french-tied": "everyday-tied",
    "english-french-learned": "everyday-learned",
    "everyday-paper-1": "everyday-paper-0",
}
"""Models that are gone, and the one of the same variant that is there."""


def open_successor(names: Collection[str]) -> None:
    """Open, for a model that is gone, the one in its place if that is here; `show_gone` says so."""
    asked = said("checkpoint") or ""
    if asked not in names and (here := _SUCCESSORS.get(asked)) in names:
        open_link({"checkpoint": here})
        st.session_state.setdefault(_TOLD, {})["checkpoint"] = st.context.url


def show_gone() -> None:
    """State on a page that the link which opened it asks for something in vain."""
    page, told = st.context.url, st.session_state.setdefault(_TOLD, {})
    asked = {name: said(name) for name in _STILL_THERE}
    if any(at is not None and not _STILL_THERE[name](at) for name, at in asked.items()):
        told["link"] = page
    for what, at in told.items():
        if at == page:
            st.html(tokens.note(say_of("gone", what)))
