"""Which heads changed, and the selected one in both runs."""

import streamlit as st

from viz.run.payload import is_whole, send_run, send_whole_head
from viz.run.record import AttentionKind
from viz.run.selection import Selection
from viz.run.telling_cells import strongest_key
from viz.run.view import View
from viz.subjects.compare.heads import KindChange, strongest_rows
from viz.subjects.compare.packing import pack_changes
from viz.subjects.compare.pictures import show_changes

_BEGAN = "compare_began"
"""The two runs whose head that changed most was put in view."""

Changes = dict[AttentionKind, KindChange]


def strongest_change(a: View, b: View, changes: Changes) -> dict[str, str | int] | None:
    """Return the row that changed most to be put in view, once for every two runs."""
    pair = (a.parcel.key, b.parcel.key)
    if st.session_state.get(_BEGAN) == pair:
        return None
    st.session_state[_BEGAN] = pair
    rows = strongest_rows(changes)
    if not rows or not rows[0].moved:
        return None
    kind, layer, head, place, *_ = rows[0]
    query, _ = changes[kind].rows[place]
    if query is None:
        return None
    return {
        "kind": kind,
        "layer": layer,
        "head": head,
        "query": query,
        "key": strongest_key(a.run, kind, layer, head, query),
    }


def show_heads(
    a: View, b: View, changes: Changes, selection: Selection, *, by_likeness: bool
) -> None:
    """List the heads by how far they moved, and draw the selected one in both runs."""
    send_run(b.parcel, place="compare_run")
    kind, layer, head = selection.kind, selection.layer, selection.head
    match = changes[kind].match
    other = match[layer][head] if layer < len(match) else None
    if not is_whole(a.parcel, kind):
        send_whole_head(a.run, a.parcel.key, kind, layer, head, place="compare_head_a")
    if other is not None and not is_whole(b.parcel, kind):
        send_whole_head(b.run, b.parcel.key, kind, layer, other, place="compare_head_b")
    with st.container(border=True, key="card_compare", gap="small"):
        show_changes(pack_changes(changes, (a.parcel.key, b.parcel.key), matched=by_likeness))
