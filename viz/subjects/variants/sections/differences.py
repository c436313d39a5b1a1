"""How the configs of the variants differ, in a table and on their maps."""

from collections.abc import Sequence

import streamlit as st

from model.config import TransformerConfig
from texts import say
from viz.pictures import tokens
from viz.run import session
from viz.run.address import bound
from viz.run.payload import send_run
from viz.run.view import View
from viz.subjects.map.picture import show_map
from viz.subjects.variants.differences import blocks_that_differ, differences
from viz.subjects.variants.tables import difference_table
from viz.subjects.variants.titles import PAPER

_MAPS_IN_A_ROW = 3


def show_differences(view: View, names: dict[str, str], views: Sequence[View]) -> None:
    """Show in what the variants differ, and where on the map that acts."""
    configs = {v.run.info.variant: v.run.info.config for v in views}
    paper = configs.get(PAPER)
    if paper is None:
        paper = session.read_info(names.get(PAPER, view.inputs.checkpoint)).config
    st.html(
        difference_table(differences(configs, paper), [*configs])
        + tokens.note(say("variants.coloured"))
    )
    if st.toggle(say("variants.show_maps"), key=bound("variants_maps", usual=True)):
        _show_maps(view, views, paper)


def _show_maps(view: View, views: Sequence[View], paper: TransformerConfig) -> None:
    """Draw the map of each variant; the page was sent the run in view, and no other."""
    columns = st.columns(min(len(views), _MAPS_IN_A_ROW))
    for number, each in enumerate(views):
        variant = each.run.info.variant
        with columns[number % _MAPS_IN_A_ROW]:
            st.html(tokens.heading(variant))
            if each.parcel.key != view.parcel.key:
                send_run(each.parcel, place=f"run_{variant}")
            show_map(
                each.run,
                each.parcel.key,
                size="small",
                lit=blocks_that_differ(each.run, paper),
                element_key=f"variants_map_{variant}",
            )
