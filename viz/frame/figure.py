"""Shows figures in the colours of the page, with larger type in presenter mode."""

from typing import Literal

import plotly.graph_objects as go
import streamlit as st

from viz.frame.chart import show_chart
from viz.frame.presenting import is_presenting
from viz.pictures.figure_template import template
from viz.pictures.presenter_figures import enlarge
from viz.pictures.theme import DARK, LIGHT, Palette


def palette() -> Palette:
    """Return the present colours of the page."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def in_page_look(figure: go.Figure) -> go.Figure:
    """Give a figure the colours of the page, and larger type in presenter mode."""
    figure.update_layout(template=template(palette()))
    return enlarge(figure) if is_presenting() else figure


def show_figure(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    width: Literal["content", "stretch"] = "content",
) -> None:
    """Show a figure in the colours of the page: at its own size, or as wide as its container."""
    show_chart(
        in_page_look(figure),
        key=key,
        alt=alt,
        theme=None,
        width=width,
        config={"displaylogo": False, "displayModeBar": False},
    )
