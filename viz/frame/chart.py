"""Plotly figures on a page, each with a button that saves it."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from texts import say
from viz.pictures.component import picture

_saver = picture("chart", "frame/browser/chart.js")


def show_chart(figure: go.Figure, *, key: str, **options: Any) -> None:  # noqa: ANN401 - Streamlit's own
    """Show a figure with Streamlit's options; its numbers use the separators of the language."""
    figure.update_layout(separators=say("language.decimal") + say("language.thousands"))
    st.plotly_chart(figure, key=key, **options)
    _saver(key=f"save_{key}", data={"of": key})
