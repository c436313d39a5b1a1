"""The checkpoint in view, converted into another variant."""

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.variants.cache import convert_and_compare
from viz.subjects.variants.choices import conversion_title, conversions
from viz.subjects.variants.tables import conversion_report


def show_conversion(view: View) -> None:
    """Let a change be chosen, convert the weights, and compare the outputs."""
    info = view.run.info
    st.html(tokens.heading("", code=info.name) + tokens.note(say("variants.convert_note")))
    chosen = st.selectbox(
        say("variants.into_label"),
        [*conversions(info.config)],
        index=None,
        format_func=conversion_title,
        key="variants_convert",
        placeholder=say("variants.convert_placeholder"),
    )
    if chosen is not None:
        with st.spinner(say("variants.converting"), show_time=True):
            result = convert_and_compare(chosen, view)
        st.html(conversion_report(result))
