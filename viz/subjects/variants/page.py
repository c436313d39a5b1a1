"""Variants: the same sentence through several models, how they differ, and what that does."""

import streamlit as st

from viz.pictures import tokens
from viz.run.link import follow_selection
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.variants.cache import checkpoints_by_variant
from viz.subjects.variants.sections.convert import show_conversion
from viz.subjects.variants.sections.demonstrations import show_demonstrations
from viz.subjects.variants.sections.differences import show_differences
from viz.subjects.variants.sections.heads import show_heads
from viz.subjects.variants.sections.other_task import offer_another_task
from viz.subjects.variants.sections.outputs import choose_variants, open_views, show_outputs
from viz.subjects.variants.words import labels

TITLE = "Variants"
URL = "variants"


@st.fragment
def render(view: View) -> None:
    """Show the variants of the view's task side by side, then what each difference does."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    names = checkpoints_by_variant(view.run.info.task)
    if len(names) > 1:
        _compare(view, names, selection)
        with st.container(border=True, key="card_variants_demonstrations", gap="small"):
            show_demonstrations(view, names)
    else:
        offer_another_task(view)
    with st.container(border=True, key="card_variants_convert", gap="small"):
        show_conversion(view)


def _compare(view: View, names: dict[str, str], selection: Selection) -> None:
    with st.container(border=True, key="card_variants_outputs", gap="small"):
        chosen = choose_variants(view, names)
        views = open_views(view, {variant: names[variant] for variant in chosen})
        if len(views) < 2:
            st.html(tokens.notice(*labels.TWO_NEEDED))
            return
        show_outputs(views)
    with st.container(border=True, key="card_variants_differences", gap="small"):
        show_differences(view, names, views)
    with st.container(border=True, key="card_variants_heads", gap="small"):
        show_heads(view, names, views, selection)
