"""How the pictures of points are shown and taken away, and what their colours mean."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st

from texts import say, say_of
from viz.frame.chart import show_chart
from viz.frame.controls import in_page_look, palette
from viz.frame.download import offer_file
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.record import Run
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.bars import variance_bars
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.groups import criteria, group
from viz.subjects.embeddings.points import Side
from viz.subjects.embeddings.projection import Projection, Settings

_VARIANCE_WIDTH = 420


def show_picture(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    name: str = "",
    in_space: bool = False,
    on_click: Callable[[], None] | None = None,
) -> None:
    """Show a figure as wide as there is room; with a name, plotly's buttons save it as a file.

    A plane is saved as SVG; space is drawn by WebGL, and saved as PNG.
    """
    show_chart(
        in_page_look(figure),
        key=key,
        alt=alt,
        theme=None,
        width="stretch",
        config={
            "displaylogo": False,
            "displayModeBar": "hover" if name else False,
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
            "toImageButtonOptions": {
                "format": "png" if in_space else "svg",
                "filename": name,
                "scale": 2 if in_space else 1,
            },
        },
        on_select=on_click or "ignore",
        selection_mode="points",
    )


def picture_name(checkpoint: str, what: str, settings: Settings) -> str:
    """Name the file of a projection."""
    return f"{checkpoint}-{what}-{words.method_name(settings).lower()}"


def offer_points(table: str, name: str, *, key: str) -> None:
    """Offer the points of a picture as a file."""
    offer_file(
        say("embeddings.points_csv"), table, file_name=f"{name}.csv", mime="text/csv", key=key
    )


def show_variance(settings: Settings, found: Projection) -> None:
    """Show how much of the variance a PCA's axes show; nothing for the other methods."""
    if found.explained is None:
        return
    told = words.variance_words(settings, found)
    st.html(tokens.note(told))
    with st.container(width=_VARIANCE_WIDTH):
        show_picture(
            variance_bars(found.explained, shown=settings.dimensions, palette=palette()),
            key="embeddings_variance",
            alt=told,
        )


def choose_marks(run: Run, side: Side, names: Sequence[str], ids: Sequence[int]) -> Marks:
    """Let it be chosen what the colours mean."""
    offered = criteria(run.info, side)
    criterion = choose_one(
        say("embeddings.colour"),
        offered,
        lambda criterion: say_of("embeddings.colour_by", criterion),
        key="embeddings_colour",
    )
    groups = group(run.info, side, names, ids, criterion)
    return Marks(names, ids, groups.of, groups.names, groups.ordered)
