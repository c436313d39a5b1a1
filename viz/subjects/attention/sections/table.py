"""A table of all heads, to sort and to download, whose rows open their heads."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from texts import named, say, say_of
from viz.address.link import select
from viz.frame import heads
from viz.frame.download import offer_file
from viz.frame.saving import provenance_of
from viz.heads.head_roles import in_one
from viz.heads.head_summary import ALL_METRICS, BEYOND_ONE
from viz.pictures import tokens
from viz.pictures.spreadsheet import csv_text
from viz.run.axes import AttentionKind
from viz.run.provenance import dated
from viz.run.view import View
from viz.subjects.attention import words

_OPENED = "head_table_opened"
"""The row that was last opened: it stays selected when another head is chosen."""
_PINNED = ("kind", "layer", "head")
_COLUMNS = (
    *_PINNED,
    "roles",
    "role_rows",
    "role_rate",
    "role_chance",
    "most_read",
    "most_read_position",
)
"""The columns that are not measures."""


def show_table(view: View) -> None:
    """Show the measures and the role of every head; a row opens its head."""
    summary = heads.summary(view)
    chosen = show_head_table(summary, key="head_table", said=dated(provenance_of(view)))
    if found := heads.roles(view):
        st.html(tokens.note(words.about_jobs(found)))
    elif view.inputs.interventions:
        st.html(tokens.note(say("attention.no_jobs_changed")))
    before = st.session_state.get(_OPENED)
    st.session_state[_OPENED] = chosen
    if chosen not in (None, before):
        kind, layer, head = chosen
        select({"kind": kind, "layer": layer, "head": head})
        st.rerun(scope="fragment")


def show_head_table(
    frame: pd.DataFrame, *, key: str, said: Mapping[str, object] | None = None
) -> tuple[AttentionKind, int, int] | None:
    """Show the table of `summarise_heads`; return kind, layer and head of the selected row.

    `said` names the origin of the table.
    """
    selected = _show_rows(frame, key=key)
    offer_file(
        say("attention.download_csv"),
        csv_text(_worded(frame), said),
        file_name="heads.csv",
        mime="text/csv",
        key=f"{key}_csv",
    )
    return selected


def _kind_name(kind: str) -> str:
    return say_of("kind", kind)


def _role_name(role: str) -> str:
    return say_of("job.words", role)


def _role_names(roles: Sequence[str]) -> str:
    return in_one(map(_role_name, roles)) if roles else ""


def _worded(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the kinds and roles of a table in words."""
    return frame.assign(kind=frame["kind"].map(_kind_name), roles=frame["roles"].map(_role_names))


def _show_rows(shown: pd.DataFrame, *, key: str) -> tuple[AttentionKind, int, int] | None:
    state = st.dataframe(
        _worded(shown),
        hide_index=True,
        column_order=(*_COLUMNS, *(name for name in ALL_METRICS if name in shown)),
        column_config=_columns(),
        key=f"{key}_rows",
        on_select="rerun",
        selection_mode="single-row",
    )
    selected = state["selection"]["rows"]
    if not selected:
        return None
    row = shown.iloc[selected[0]]
    return row["kind"], int(row["layer"]), int(row["head"])


def _columns() -> dict[str, Any]:
    config = st.column_config
    text, number = config.TextColumn, config.NumberColumn
    share = partial(number, format="percent")
    kinds = (text, number, number, text, number, share, share, text, number)
    return {
        name: column(
            say_of("attention.column", name),
            pinned=name in _PINNED,
        )
        for name, column in zip(_COLUMNS, kinds, strict=True)
    } | {name: _measure(name) for name in ALL_METRICS}


def _measure(name: str) -> Any:  # noqa: ANN401 - as Streamlit has it
    config = st.column_config
    title, about = say_of("metric.name", name), named("metric.about", name)
    if name in BEYOND_ONE:
        return config.NumberColumn(title, help=about, format="%.2f")
    return config.ProgressColumn(title, help=about, min_value=0, max_value=1, format="%.2f")
