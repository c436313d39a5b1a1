"""The choice of a head on pages that have no picture of all heads."""

import streamlit as st

from texts import say_of
from viz.address.link import select
from viz.address.selection import Selection
from viz.run.axes import layer_count
from viz.run.record import Run


def choose_head(run: Run, selection: Selection, *, named: str = "choose") -> None:
    """Let the reader choose a head on pages that have no picture of all heads.

    Args:
        run: The run in view.
        selection: The selection in this run.
        named: Prefix of the fields' keys, for a page with two such choices.
    """
    layers = layer_count(run.info.config, selection.kind)
    choices = {
        "kind": run.anatomy.names,
        "layer": tuple(range(layers)),
        "head": tuple(range(run.info.config.n_heads)),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, options in choices.items():
            key = f"{named}_{name}"
            st.session_state[key] = getattr(selection, name)
            st.segmented_control(
                say_of("frame.choose", name),
                options,
                required=True,
                format_func=_kind_name if name == "kind" else str,
                key=key,
                on_change=_take_head,
                args=(name, key),
            )


def _kind_name(kind: str) -> str:
    return say_of("kind", kind)


def _take_head(name: str, key: str) -> None:
    if (chosen := st.session_state[key]) is not None:
        select({name: chosen})
