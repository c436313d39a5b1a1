"""The checkpoint in view, converted into another variant."""

import streamlit as st

from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.variants.cache import convert_and_compare
from viz.subjects.variants.choices import conversions
from viz.subjects.variants.tables import conversion_report
from viz.subjects.variants.words import labels


def show_conversion(view: View) -> None:
    """Let a change be chosen, convert the weights, and compare the outputs."""
    info = view.run.info
    st.html(tokens.heading("", code=info.name) + tokens.note(labels.CONVERT_NOTE))
    chosen = st.selectbox(
        "Into",
        [*conversions(info.config)],
        index=None,
        key="variants_convert",
        placeholder=labels.CONVERT_PLACEHOLDER,
    )
    if chosen is not None:
        with st.spinner(labels.CONVERTING, show_time=True):
            result = convert_and_compare(chosen, view)
        st.html(conversion_report(result))
