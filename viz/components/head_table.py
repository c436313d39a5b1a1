"""The table of all heads: filtered, downloaded, and a row selected to open its head."""

import zlib
from collections import Counter
from typing import Any

import pandas as pd
import streamlit as st

from viz.head_summary import METRICS, NO_ROLE, ROLE_RULES
from viz.run import AttentionKind
from viz.spreadsheet import csv_text

_FIRST_COLUMNS = ("kind", "layer", "head", "role", "most_read", "most_read_position")


def show_head_table(frame: pd.DataFrame, *, key: str) -> tuple[AttentionKind, int, int] | None:
    """Show what `summarise_heads` gives; return kind, layer and head of the selected row."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = _choose("Kinds", frame["kind"].tolist(), key=f"{key}_kinds")
        roles = _choose("Roles", frame["role"].tolist(), key=f"{key}_roles")
    shown = pd.DataFrame(frame.loc[frame["kind"].isin(kinds) & frame["role"].isin(roles)])
    selected = _show_rows(shown, key=key)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Download as CSV",
            csv_text(shown),
            file_name="heads.csv",
            mime="text/csv",
            key=f"{key}_csv",
            on_click="ignore",
        )
        with st.popover("How roles are given"):
            st.markdown(_rules())
    return selected


def _choose(label: str, values: list[str], *, key: str) -> list[str]:
    """Offer what there is, with how many heads have it; all of it where nothing is chosen."""
    counts = Counter(values)
    chosen = st.pills(
        label,
        list(counts),
        selection_mode="multi",
        format_func=lambda value: f"{value} ({counts[value]})",
        key=key,
    )
    return chosen or list(counts)


def _show_rows(shown: pd.DataFrame, *, key: str) -> tuple[AttentionKind, int, int] | None:
    if shown.empty:
        st.caption("No head is of such a kind and such a role.")
        return None
    # A selection is a row's number: other rows are another table, so that it does not stay behind.
    rows = zlib.crc32(",".join(map(str, shown.index)).encode())
    state = st.dataframe(
        shown,
        hide_index=True,
        column_order=(*_FIRST_COLUMNS, *METRICS),
        column_config=_columns(),
        key=f"{key}_rows_{rows}",
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
    return {
        "kind": config.TextColumn("Kind", help="Which attention: who reads whom.", pinned=True),
        "layer": config.NumberColumn("Layer", help="Counted from 0.", pinned=True),
        "head": config.NumberColumn("Head", help="Counted from 0.", pinned=True),
        "role": config.TextColumn("Role", help="What the numbers suggest; the rules stand below."),
        "most_read": config.TextColumn(
            "Most read", help="The token with the most weight over all rows."
        ),
        "most_read_position": config.NumberColumn(
            "at", help="The position of the token most read, counted from 0."
        ),
    } | {
        name: config.ProgressColumn(
            metric.title, help=metric.meaning, min_value=0, max_value=1, format="%.2f"
        )
        if metric.is_share
        else config.NumberColumn(metric.title, help=metric.meaning, format="%.2f")
        for name, metric in METRICS.items()
    }


def _rules() -> str:
    rules = "\n".join(f"1. **{rule.role}**: {rule.text}" for rule in ROLE_RULES)
    return (
        f"The first rule that holds gives the role.\n\n{rules}\n\nWhere none holds: **{NO_ROLE}**."
    )
