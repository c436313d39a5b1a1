"""The Map page: the whole model with the run's numbers, and any tensor of the run in full."""

from functools import partial

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection, selected_tensor
from viz.frame.dials import show_dials, show_sublayers
from viz.frame.expander import fold, is_known, is_open, open_fold
from viz.pictures import tokens
from viz.pictures.freshness import show_made_for
from viz.pictures.glossary import explained
from viz.run.axes import attention_name
from viz.run.tensors import run_tensor_names
from viz.run.view import View
from viz.subjects.map import words
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import show_map
from viz.subjects.map.sections.tensor import choose_tensor, known_tensor, offer_files, show_tensor
from viz.subjects.map.tensor import tensor_view

URL = "map"

_TENSOR = "map_tensor"
_SEEN = "map_tensor_seen"
"""The tensor that was last in view; another one opens the fold that shows it."""


@page_part
def render(view: View) -> None:
    """Show the map, and the tensor of the block that was clicked."""
    run = view.run
    selection = follow_selection(run, view.parcel.key, URL)
    names = run_tensor_names(run)
    asked = selected_tensor()
    name = known_tensor(asked or attention_name(selection.kind, selection.layer), names)
    if asked and asked != st.session_state.get(_SEEN) and not _is_linked_closed():
        open_fold(_TENSOR)
    st.session_state[_SEEN] = asked
    said = words.answer(run.info.config, source=len(run.source.tokens), target=len(run.steps))
    made_for: dict[str, str | int] = {"run": view.parcel.key}
    with st.container(key="map_said"):
        st.html(tokens.question(say("map.question"), explained(said)))
    show_made_for(made_for, "map_said", key="made_map_said")

    def show_card() -> None:
        with st.container(key="card_tensor", gap="small"):
            choose_tensor(names, name)
            shown = tensor_view(run, name)
            if shown is not None:
                blocks = describe(run).blocks
                said = next((block.sentence for block in blocks if name in block.holds), "")
                show_tensor(shown, said)
                offer_files(view, shown)
        show_made_for(made_for, "card_tensor", key="made_card_tensor")

    with st.container(key="map_page"):
        with st.container(border=True, key="card_map", gap="xsmall"):
            show_map(view, size="large", tensor=name, element_key="map_large")
        with st.container(key="folds_map"):
            fold(say("map.tensor_fold"), show_card, key=_TENSOR)
            if not run.anatomy.is_recorded:
                fold(say("frame.dials"), partial(show_dials, view), key="map_dials")
                fold(say("frame.sublayers"), partial(show_sublayers, view), key="map_sublayers")


def _is_linked_closed() -> bool:
    """Return whether a link that names a tensor says that its fold is closed."""
    return _SEEN not in st.session_state and is_known(_TENSOR) and not is_open(_TENSOR)
