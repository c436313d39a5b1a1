"""How the pictures of points are shown, and what their colours mean."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from texts import say, say_of
from viz.frame.chart import show_chart
from viz.frame.controls import in_page_look
from viz.frame.link_choices import choose_one
from viz.run.record import Run
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.groups import criteria, group
from viz.subjects.embeddings.points import Side


def show_picture(
    figure: go.Figure, *, key: str, alt: str, on_click: Callable[[], None] | None = None
) -> None:
    """Show a figure as wide as there is room."""
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


def choose_marks(run: Run, side: Side, names: Sequence[str], ids: Sequence[int]) -> Marks:
    """Let it be chosen what the colours mean, where there is a choice."""
    offered = criteria(run.info)
    criterion = offered[0]
    if len(offered) > 1:
        criterion = choose_one(
            say("embeddings.colour"),
            offered,
            lambda criterion: say_of("embeddings.colour_by", criterion),
            key="embeddings_colour",
        )
    groups = group(run.info, side, names, ids, criterion)
    return Marks(names, ids, groups.of, groups.names)
