"""A slider for the divisor of the scores: it changes the row at once, then the whole run."""

import math
from functools import partial

import numpy as np
import streamlit as st

from texts import say
from viz.address import history
from viz.address.dials import divided_scores, scores_divided
from viz.address.selection import Selection, row_in_view
from viz.pictures import tokens
from viz.pictures.freshness import show_made_for
from viz.pictures.glossary import explained
from viz.run.axes import axis_tokens
from viz.run.view import View
from viz.subjects.attention.cache import measured_scaling
from viz.subjects.attention.pictures import DIVISOR, show_divisor
from viz.subjects.attention.wire import WireScaling


def show_scaling(view: View, selection: Selection) -> None:
    """Offer a slider for the divisor of the scores, and say why it is sqrt(d_k)."""
    why = say("attention.why_divided", d_k=view.run.info.config.d_k)
    st.html(tokens.note(explained(why)))
    with st.container(key="divided_row"):
        show_divisor(_packed(view, selection), on_turn=partial(_turn, view))
    made_for = row_in_view(view.parcel.key, selection)
    show_made_for(made_for, "divided_row", key="made_divided_row")


def _packed(view: View, selection: Selection) -> WireScaling:
    found = measured_scaling(view, selection)
    queries, keys = axis_tokens(view.run, selection.kind)
    there = np.flatnonzero(found.allowed)
    usual = math.sqrt(view.run.info.config.d_k)
    made = divided_scores(view.inputs.interventions)
    return {
        "reader": queries[selection.query],
        "tokens": [keys[place] for place in there],
        "products": found.products[there].tolist(),
        "divisors": found.divisors.tolist(),
        "saturated": found.saturated.tolist(),
        "entropy": found.entropy.tolist(),
        "gradient": found.gradient.tolist(),
        "rows": found.rows,
        "variance": found.variance,
        "d_k": view.run.info.config.d_k,
        "usual": usual,
        "divisor": usual / made[0].amount if made else usual,
    }


def _turn(view: View) -> None:
    """Run the model with the divisor at which the slider was left."""
    by: float = st.session_state[DIVISOR]["turn"]
    config = view.run.info.config
    if not 1 <= by <= config.d_k:
        return
    is_usual = math.isclose(by, math.sqrt(config.d_k), rel_tol=1e-6)
    new = () if is_usual else scores_divided(config, by)
    history.exchange(divided_scores(view.inputs.interventions), new, view.inputs)
