"""The division of the scores, to be turned: the row in view at once, and then the whole run."""

import math
from functools import partial

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.pictures import tokens
from viz.pictures.html_table import table
from viz.pictures.numbers import number_text
from viz.run import history
from viz.run.dials import divided_scores, scores_divided
from viz.run.record import axis_tokens
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention.cache import (
    measured_scaling,
    random_spreads,
    variance_of_products,
)
from viz.subjects.attention.pictures import DIVISOR, show_divisor
from viz.subjects.attention.wire import WireScaling


def show_scaling(view: View, selection: Selection) -> None:
    """Let the divisor of the scores be turned, and say why it is sqrt(d_k)."""
    d_k = view.run.info.config.d_k
    st.html(tokens.note(_why_divided(variance_of_products(view), d_k)))
    show_divisor(_packed(view, selection), on_turn=partial(_turn, view))
    st.html(tokens.heading(say("attention.spreads")) + tokens.note(say("attention.spreads_note")))
    header = [say_of("attention.spread", n) for n in ("width", "variance", "gradient", "divided")]
    rows = [
        [str(s.width), *map(number_text, (s.variance, s.gradient, s.divided))]
        for s in random_spreads()
    ]
    st.html(table(header, rows, numeric=(1, 2, 3)))


def _why_divided(variance: float, d_k: int) -> str:
    return say("attention.why_divided", variance=number_text(variance), d_k=d_k)


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
        "usual": usual,
        "divisor": usual / made[0].amount if made else usual,
    }


def _turn(view: View) -> None:
    """Run the model with the divisor at which the slider was left."""
    by = float(st.session_state[DIVISOR]["turn"])
    config = view.run.info.config
    if not 1 <= by <= config.d_k:
        return
    is_usual = math.isclose(by, math.sqrt(config.d_k), rel_tol=1e-6)
    new = () if is_usual else scores_divided(config, by)
    history.exchange(divided_scores(view.inputs.interventions), new, view.inputs)
