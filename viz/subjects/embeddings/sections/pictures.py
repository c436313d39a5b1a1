"""Shows the pictures of points."""

from collections.abc import Callable

import plotly.graph_objects as go

from viz.frame.chart import show_chart
from viz.frame.figure import in_page_look


def show_picture(
    figure: go.Figure, *, key: str, alt: str, on_click: Callable[[], None] | None = None
) -> None:
    """Show a figure at the full width."""
    show_chart(
        in_page_look(figure),
        key=key,
        alt=alt,
        theme=None,
        width="stretch",
        config={"displayModeBar": False},
        on_select=on_click or "ignore",
        selection_mode="points",
    )
