"""Which heads changed, and the selected one in both runs."""

import streamlit as st

from viz.address.selection import Selection
from viz.run.axes import AttentionKind
from viz.run.sending import is_whole, send_run, send_whole_head
from viz.run.view import View
from viz.subjects.compare.heads import KindChange
from viz.subjects.compare.packing import pack_changes
from viz.subjects.compare.pictures import show_changes

Changes = dict[AttentionKind, KindChange]


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
