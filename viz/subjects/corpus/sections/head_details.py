"""What else is known of a head: its spread, its words, its likes; and every head with its job."""

import streamlit as st

from texts import say, say_of
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place, roles_of
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.address import written
from viz.subjects.corpus import cache, words
from viz.subjects.corpus.figures.bars import spread_bars
from viz.subjects.corpus.report import (
    costs_table,
    roles_table,
    same_table,
    words_read_table,
    words_that_read_table,
)

_MOST_ALIKE = 7
_SPREAD = ("entropy", "distance", "gold", "diagonality")


def show_spread(place: Place, head: HeadName) -> None:
    """Show how the numbers of a head are spread over the sentences."""
    st.html(tokens.note(say("corpus.spread_note")))
    for metric in _SPREAD:
        found = cache.spread_of(place, head, metric)
        if found is None:
            continue
        title = say_of("metric.name", metric)
        st.html(tokens.note(words.spread_words(found)))
        figure = spread_bars(
            found.edges,
            found.counts,
            middle=found.quantiles[0.5],
            title=title,
            sentences_title=say("corpus.sentences"),
            palette=palette(),
        )
        show_figure(figure, key=f"corpus_spread_{metric}", alt=title, width="stretch")


def show_words(place: Place, head: HeadName) -> None:
    """Show which words a head reads, and for which words."""
    st.html(tokens.note(say("corpus.words_note")))
    st.html(words_read_table(cache.words_read(place, head)))
    st.html(words_that_read_table(cache.words_that_read(place, head)))


def show_all(place: Place, head: HeadName) -> None:
    """Show every head and its job, and where it is known what the model loses without it."""
    st.html(tokens.note(say("corpus.all_heads_note")))
    heads = cache.summary(place).heads
    kept = written()
    st.html(roles_table(heads, roles_of(place), kept, head))
    if found := cache.costs_of(place):
        st.html(tokens.note(words.cost_words(found, head)))
        st.html(costs_table(found, kept, head))


def show_same(place: Place, head: HeadName) -> None:
    """Show the heads of the model that read the same."""
    st.html(tokens.note(say("corpus.same_note")))
    pairs = cache.same_heads(place, head, _MOST_ALIKE)
    st.html(same_table(pairs, written()))
