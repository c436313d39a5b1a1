"""Attention beside other measures of what mattered for one token of a model of one text."""

from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from model.text_measures import TEXT_MEASURES, TextMeasure, measure_text
from texts import say
from viz.frame.fold import fold
from viz.pictures import tokens
from viz.pictures.made import show_made_for
from viz.run.link import current_selection
from viz.run.view import View, per_view
from viz.subjects.mattered.measures_pictures import answer, show_row
from viz.subjects.mattered.text_rows import (
    TextAgain,
    again,
    first_places,
    row_in_view,
    runs_again,
    spoken_ids,
)
from viz.subjects.mattered.wire_measures import WireMattered, WireMeasure
from viz.subjects.mattered.words import text_measures as words
from viz.subjects.mattered.words.measures import label_of

_MOST_NUMBERS = 2_500
"""Of one measure: where a run has more, only the row in view is sent."""

Seen = dict[TextMeasure, Float[np.ndarray, "row position"]]


def show_text_measures_fold(view: View) -> None:
    """Offer what mattered for the token in view, in every measure."""
    fold(say("mattered.measures_of_text"), partial(_show, view), key="mattered_measures")


def _show(view: View) -> None:
    run, selection = view.run, current_selection(view.run)
    row, head = row_in_view(run, selection), (selection.layer, selection.head)
    seen = _seen(view, head)
    found = None
    if runs_again(run, row):
        with st.spinner(say("mattered.running"), show_time=True):
            found = _again(view, row)
    with st.container(key="mattered_said", gap="xsmall"):
        word = run.info.tokenizers.target.token(spoken_ids(run)[row])
        st.html(tokens.heading(words.heading(word, writes=bool(run.steps))))
        firsts = first_places(seen, found, row)
        st.html(answer(words.verdict(word, _read(view), firsts)))
    show_row(_pack(view, row, head, seen, found))
    st.html(tokens.note(say("mattered.picture")))
    with st.container(key="mattered_checked"):
        if found is None:
            said = words.too_long(row + 1 if run.steps else len(run.source.ids))
            st.html(tokens.notice(say("mattered.too_long"), said))
        else:
            st.html(tokens.badges([words.completeness(found)]))
    made = {"run": view.parcel.key, ("step" if run.steps else "query"): row}
    show_made_for(made, "mattered_said", "mattered_checked", key="made_mattered_measures")


def _read(view: View) -> tuple[str, ...]:
    """Name the tokens that are read."""
    run = view.run
    return run.target_tokens[:-1] if run.steps else run.source.tokens


@per_view
def _seen(view: View, head: tuple[int, int]) -> Seen:
    found = measure_text(view.model, view.run.trace, head)
    return {name: values.numpy() for name, values in found.items()}


@per_view
def _again(view: View, row: int) -> TextAgain:
    return again(view.run, view.model, row)


def _pack(
    view: View, row: int, head: tuple[int, int], seen: Seen, found: TextAgain | None
) -> WireMattered:
    run = view.run
    return {
        "run": view.parcel.key,
        "source": _read(view),
        "written": run.info.tokenizers.target.tokens(spoken_ids(run)),
        "by": "step" if run.steps else "query",
        "gold": [],
        "headings": ("", ""),
        "measures": [
            _measure(name, head, _rows(view, name, row, seen, found))
            for name in TEXT_MEASURES
            if name in seen or found is not None
        ],
    }


def _rows(
    view: View, name: TextMeasure, row: int, seen: Seen, found: TextAgain | None
) -> list[list[float | None] | None]:
    width = len(_read(view))
    rows: list[list[float | None] | None] = [None] * width
    if name in seen:
        for each in range(width) if width**2 <= _MOST_NUMBERS else (row,):
            last = each + 1 if view.run.steps else width
            rows[each] = _plain(seen[name][each, :last], width)
    elif found is not None:
        rows[row] = _plain(found.values[name], width)
    return rows


def _plain(values: Float[np.ndarray, " read"], width: int) -> list[float | None]:
    """Give plain numbers: none of a token that the row does not read."""
    known: list[float | None] = [float(f"{v:.5g}") if np.isfinite(v) else None for v in values]
    return known + [None] * (width - len(known))


def _measure(
    name: TextMeasure, head: tuple[int, int], rows: list[list[float | None] | None]
) -> WireMeasure:
    explained = words.explained_of_text(name)
    return {
        "name": name,
        "group": explained.group,
        "label": label_of(name, head),
        "what": explained.what,
        "formula": explained.formula,
        "origin": explained.origin,
        "swap": "",
        "gold": "",
        "isBelow": False,
        "rows": rows,
    }
