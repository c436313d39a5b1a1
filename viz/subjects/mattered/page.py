"""The What mattered page: parts cut one by one, and the parts that carry a difference."""

import streamlit as st

from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.run.requirements import all_of, predicting, running_again
from viz.run.view import View
from viz.subjects.mattered.actions import names_nothing
from viz.subjects.mattered.sections.cuts import show_all_cuts, show_answer
from viz.subjects.mattered.sections.measures import show_lead_fold, show_measures_fold
from viz.subjects.mattered.sections.patching import show_two_sentences
from viz.subjects.mattered.sections.text_patching import show_two_texts

URL = "mattered"
NEEDS = all_of(predicting, running_again)


@page_part
def render(view: View) -> None:
    """Show which part the sentence needed, and which parts carry the difference to another one."""
    is_new = names_nothing()
    selection = follow_selection(view.run, view.parcel.key, URL)
    show_answer(view)
    show_all_cuts(view, selection, is_new=is_new)
    with st.container(border=True, key="card_patching", gap="small"):
        if view.run.anatomy.translates:
            show_two_sentences(view)
        else:
            show_two_texts(view)
    with st.container(gap="xsmall"):
        show_measures_fold(view)
        show_lead_fold(view)
