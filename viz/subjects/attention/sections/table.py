"""Every head in numbers: a table to filter and to download, whose rows open their heads."""

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from sample_data.tasks import TASKS
from texts import say, say_of
from viz.frame import heads
from viz.frame.download import offer_file
from viz.frame.saving import provenance_of
from viz.pictures.spreadsheet import csv_text
from viz.run import history
from viz.run.head_roles import in_one
from viz.run.head_summary import ALL_METRICS, BEYOND_ONE
from viz.run.link import select
from viz.run.provenance import dated
from viz.run.record import AttentionKind
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.switches import How, switched

_OPENED = "head_table_opened"
"""The row of the table that was opened last: it stays selected when another head is chosen."""
_PINNED = ("kind", "layer", "head")
_COLUMNS = (
    *_PINNED,
    "roles",
    "role_rate",
    "role_chance",
    "most_read",
    "most_read_position",
)
"""Those that are not measures."""


def show_table(view: View) -> None:
    """Show what every head does, in numbers and in a word; a row opens its head."""
    summary = heads.summary(view)
    chosen = show_head_table(
        summary,
        key="head_table",
        how=words.roles(heads.roles(view), view.run.anatomy),
        said=dated(provenance_of(view)),
    )
    before = st.session_state.get(_OPENED)
    st.session_state[_OPENED] = chosen
    if chosen not in (None, before):
        kind, layer, head = chosen
        select({"kind": kind, "layer": layer, "head": head})
        st.rerun(scope="fragment")
    if chosen is not None:
        _offer_switches(view, chosen)


def _offer_switches(view: View, place: tuple[AttentionKind, int, int]) -> None:
    """Let the head of a row be switched off, or replaced by its average, and on again."""
    made = view.inputs.interventions
    ways: tuple[How, ...] = ("zero", "mean") if view.run.info.task in TASKS else ("zero",)
    with st.container(horizontal=True, gap="small"):
        for how in ways:
            old, new = switched(made, place, how)
            st.button(
                words.switch_head(place, how, is_off=not new),
                key=f"switch_{how}",
                on_click=history.exchange,
                args=(old, new, view.inputs),
            )


def show_head_table(
    frame: pd.DataFrame, *, key: str, how: str, said: Mapping[str, object] | None = None
) -> tuple[AttentionKind, int, int] | None:
    """Show what `summarise_heads` gives; return kind, layer and head of the selected row.

    `how` says where the roles come from, `said` where the whole table does.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = list(frame["kind"].unique())
        if len(kinds) > 1:
            named, of_heads = say("attention.kinds"), frame["kind"].tolist()
            kinds = _choose(named, of_heads, _kind_name, key=f"{key}_kinds")
        named, of_heads = say("attention.roles"), [r for each in frame["roles"] for r in each]
        roles = _choose(named, of_heads, _role_name, key=f"{key}_roles")
    does_one = ~frame["roles"].map(set(roles).isdisjoint)
    shown = pd.DataFrame(frame.loc[frame["kind"].isin(kinds) & does_one])
    selected = _show_rows(shown, key=key)
    with st.container(horizontal=True, gap="small"):
        offer_file(
            say("attention.download_csv"),
            csv_text(_worded(shown), said),
            file_name="heads.csv",
            mime="text/csv",
            key=f"{key}_csv",
        )
        with st.popover(say("attention.how_roles")):
            st.markdown(how)
    return selected


def _choose(label: str, values: list[str], name_of: Callable[[str], str], *, key: str) -> list[str]:
    """Offer what there is, with how many heads have it; all of it where nothing is chosen."""
    counts = Counter(values)
    chosen = st.pills(
        label,
        list(counts),
        selection_mode="multi",
        format_func=lambda value: say(
            "attention.counted", name=name_of(value), count=counts[value]
        ),
        key=key,
    )
    return chosen or list(counts)


def _kind_name(kind: str) -> str:
    return say_of("kind", kind)


def _role_name(role: str) -> str:
    return say_of("job.words", role)


def _role_names(roles: Sequence[str]) -> str:
    return in_one(map(_role_name, roles))


def _worded(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the kinds and roles of a table in words."""
    return frame.assign(kind=frame["kind"].map(_kind_name), roles=frame["roles"].map(_role_names))


def _show_rows(shown: pd.DataFrame, *, key: str) -> tuple[AttentionKind, int, int] | None:
    if shown.empty:
        st.caption(say("attention.no_such_head"))
        return None
    # A selection is a row's number: other rows are another table, so that it does not stay behind.
    rows = zlib.crc32(",".join(map(str, shown.index)).encode())
    state = st.dataframe(
        _worded(shown),
        hide_index=True,
        column_order=(*_COLUMNS, *(name for name in ALL_METRICS if name in shown)),
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
    text, number = config.TextColumn, config.NumberColumn
    share = partial(number, format="percent")
    kinds = (text, number, number, text, share, share, text, number)
    return {
        name: column(
            say_of("attention.column", name),
            help=say_of("attention.column_about", name),
            pinned=name in _PINNED,
        )
        for name, column in zip(_COLUMNS, kinds, strict=True)
    } | {name: _measure(name) for name in ALL_METRICS}


def _measure(name: str) -> Any:  # noqa: ANN401 - as Streamlit has it
    config = st.column_config
    title, about = say_of("metric.name", name), say_of("metric.about", name)
    if name in BEYOND_ONE:
        return config.NumberColumn(title, help=about, format="%.2f")
    return config.ProgressColumn(title, help=about, min_value=0, max_value=1, format="%.2f")
