"""Masks: what each one hides, and what happens where one is off or fills in the wrong value."""

import streamlit as st

from viz.frame.controls import choose_head
from viz.pictures import tokens
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.lab import Switches
from viz.subjects.masks.sections.batch import choose_sentence, choose_texts
from viz.subjects.masks.sections.maps import show_effect, show_masks
from viz.subjects.masks.sections.switches import choose_switches, show_results
from viz.subjects.masks.sections.tables import show_changes, show_empty_source, show_leaks

TITLE = words.TITLE
URL = "masks"


@st.fragment
def render(view: View) -> None:
    """Show a padded batch, its masks, and what changes when one of them is switched."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    with st.container(border=True, key="card_batch", gap="small"):
        texts = choose_texts(view)
        try:
            batch = cache.mask_batch(view.inputs.checkpoint, texts, view.inputs.device)
        except ValueError as error:
            st.html(tokens.notice(words.CANNOT_RUN, str(error)))
            return
        sentence = choose_sentence(batch)
    with st.container(border=True, key="card_switches", gap="small"):
        own = Switches.of(view.run.info.config)
        switches = choose_switches(view, texts, own)
        baseline = cache.mask_run(view.inputs, texts, own)
        changed = cache.mask_run(view.inputs, texts, switches)
        show_results(baseline, changed)
    with st.container(border=True, key="card_masks", gap="small"):
        show_masks(changed, sentence, view.parcel.languages)
    with st.container(border=True, key="card_effect", gap="small"):
        choose_head(view.run, selection)
        show_effect(baseline, changed, selection, sentence, view.parcel.languages)
    with st.container(border=True, key="card_leaks", gap="small"):
        show_leaks(changed)
    with st.container(border=True, key="card_changes", gap="small"):
        show_changes(baseline, changed)
    with st.container(border=True, key="card_empty", gap="small"):
        show_empty_source(view)
