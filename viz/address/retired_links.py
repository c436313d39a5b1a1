"""Links of older versions: the page reports parameters and models that no longer exist."""

from collections.abc import Callable, Collection, Mapping

import streamlit as st

from texts import say_of
from viz.address.address import open_link, said
from viz.pictures import tokens

_TOLD = "gone_told"
"""The page that reported each missing part, because the page may drop the parameter itself."""

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
"""Returns, by parameter of a link, whether its value still exists."""

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
"""Retired models, and the present model of the same variant."""


def open_successor(names: Collection[str]) -> None:
    """Replace a retired model in the link by its successor, if present; `show_gone` reports it."""
    asked = said("checkpoint") or ""
    if asked not in names and (here := _SUCCESSORS.get(asked)) in names:
        open_link({"checkpoint": here})
        st.session_state.setdefault(_TOLD, {})["checkpoint"] = st.context.url


def show_gone() -> None:
    """Report on a page that the link which opened it asks for something that no longer exists."""
    page, told = st.context.url, st.session_state.setdefault(_TOLD, {})
    asked = {name: said(name) for name in _STILL_THERE}
    if any(at is not None and not _STILL_THERE[name](at) for name, at in asked.items()):
        told["link"] = page
    for what, at in told.items():
        if at == page:
            st.html(tokens.note(say_of("gone", what)))
