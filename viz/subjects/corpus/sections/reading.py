"""Two pictures of what a head reads: at which distance, and which parts of speech."""

import numpy as np
import streamlit as st

from texts import say
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place
from viz.frame.figure import palette, show_figure
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.subjects.corpus import cache, words
from viz.subjects.corpus.figures.bars import distance_bars


def show_distances(place: Place, head: HeadName) -> None:
    """Show the distance at which a head reads."""
    is_cross = head.kind == "cross-attention"
    heading = say("corpus.how_far_cross") if is_cross else say("corpus.how_far")
    st.html(tokens.heading(heading))
    note = say("corpus.distance_note_cross") if is_cross else say("corpus.distance_note")
    counts = cache.distances(place, head)
    figure = distance_bars(
        counts,
        causal=head.kind == "decoder self-attention" and max(counts, default=0) <= 0,
        palette=palette(),
    )
    show_figure(figure, key="corpus_distance", alt=heading, width="stretch")
    st.html(tokens.note(note))


def show_classes(place: Place, head: HeadName) -> None:
    """Show which parts of speech read which."""
    found = cache.classes(place, head)
    if set(found.rows) <= {"other", "special"}:
        st.html(tokens.note(say("corpus.no_classes")))
        return
    writes = cache.summary(place).translates and head.kind != "encoder self-attention"
    totals = found.counts.sum(axis=1, keepdims=True)
    rows_title = say("corpus.classes_rows_writes") if writes else say("corpus.classes_rows")
    panel = Panel(
        title="",
        values=found.counts / np.maximum(totals, 1),
        scale="weights",
        axes=("corpus_row", "corpus_column"),
        row_tokens=[words.class_name(name) for name in found.rows],
        column_tokens=[words.class_name(name) for name in found.columns],
        row_title=rows_title,
        column_title=say("corpus.classes_columns"),
    )
    show_panels([panel], key="corpus_classes", width=440, height=290, cell=18)
    st.html(tokens.note(say("corpus.classes_note")))
