"""One head's weights under the masks."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from texts import say, say_of
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.axes import AttentionKind
from viz.subjects.masks import words
from viz.subjects.masks.lab import LabRun

Titles = Callable[[AttentionKind], tuple[str, str]]
"""The meaning in words of the rows and the columns of a kind of attention."""


def show_head(
    shown: LabRun,
    before: LabRun,
    after: LabRun,
    place: tuple[AttentionKind, int, int, int],
    titles: Titles,
) -> None:
    """Draw the weights of one head, and beside them how a switch changes them.

    Args:
        shown: The run whose weights are drawn.
        before: The run under the model's own masks.
        after: The run with a mask switched.
        place: Kind, layer, head and sentence.
        titles: The titles of rows and columns.
    """
    kind, layer, head, sentence = place
    begun = say_of("masks.kind_begun", kind)
    st.html(tokens.heading(say("masks.head_title", kind=begun, layer=layer, head=head)))
    axes = _axes(shown, kind, sentence, titles)
    weights, leaking = shown.weights(*place), after.leaking_cells(*place)
    hidden = ~shown.masks[kind].combined[sentence].cpu().numpy()
    panels = (
        Panel(
            title=say("masks.weights_now"),
            values=weights,
            scale="weights",
            masked=hidden & (weights == 0),
            marks=shown.leaking_cells(*place),
            **axes,
        ),
        Panel(
            title=words.change_title(shown, after),
            note=say("masks.leaking", count=len(leaking)) if leaking else say("masks.no_leak"),
            values=after.weights(*place) - before.weights(*place),
            scale="signed",
            **axes,
        ),
    )
    show_panels(panels, key="masks_head", width=240, height=300, cell=20)


def _axes(run: LabRun, kind: AttentionKind, sentence: int, titles: Titles) -> dict[str, Any]:
    rows, columns = run.batch.labels(kind, sentence)
    row_title, column_title = titles(kind)
    return {
        "group": f"{kind} {sentence}",
        "row_tokens": rows,
        "column_tokens": columns,
        "row_title": row_title,
        "column_title": column_title,
    }
