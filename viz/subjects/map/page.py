"""The map: the whole model with what flows through it, and any tensor of the run in full."""

import streamlit as st

from viz.pictures import tokens
from viz.run.link import follow_selection, selected_tensor
from viz.run.view import View
from viz.subjects.map import words
from viz.subjects.map.picture import show_map
from viz.subjects.map.sections.tensor import choose_tensor, known_tensor, offer_files, show_tensor
from viz.subjects.map.tensor import run_tensor_names, tensor_view

TITLE = words.TITLE
URL = "map"

_FIRST = "encoder.output"


@st.fragment
def render(view: View) -> None:
    """Show the map, and beside it the tensor of the block that was clicked."""
    run = view.run
    follow_selection(run, view.parcel.key, URL)
    names = run_tensor_names(run)
    name = known_tensor(selected_tensor() or _FIRST, names)
    with st.container(key="map_page"):
        with st.container(border=True, key="card_map", gap="xsmall"):
            st.html(tokens.heading(words.HEADING))
            show_map(run, view.parcel.key, size="large", tensor=name, element_key="map_large")
        with st.container(border=True, key="card_tensor", gap="small"):
            choose_tensor(names, name)
            shown = tensor_view(run, name)
            if shown is not None:
                show_tensor(shown)
                offer_files(run, shown)
