"""The Corpus page: what a head does over many sentences, with links to the sentences."""

from functools import partial

import streamlit as st

from texts import say
from viz.address.address import page_part, written
from viz.address.link import current_selection, follow_selection
from viz.corpus.tables import AtlasError, HeadName
from viz.frame import atlases
from viz.frame.expander import fold
from viz.frame.head_choice import choose_head
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.view import View
from viz.subjects.corpus import cache, words
from viz.subjects.corpus.report import costs_table, roles_table
from viz.subjects.corpus.sections.instructions import show_making
from viz.subjects.corpus.sections.reading import show_classes, show_distances
from viz.subjects.corpus.sections.sentences import show_found, show_sentences
from viz.subjects.corpus.sections.unavailable import show_missing

URL = "corpus"


@page_part
def render(view: View) -> None:
    """Show what the selected head does over many sentences, and show some of them."""
    follow_selection(view.run, view.parcel.key, URL)
    found = atlases.find(view.inputs.checkpoint)
    if found.place is None:
        show_missing(found, view.inputs.checkpoint)
        return
    try:
        _show(view, found.place)
    except AtlasError as error:  # damaged in a part that opening it did not read
        show_missing(atlases.Found(None, "broken", str(error)), view.inputs.checkpoint)


def _show(view: View, place: atlases.Place) -> None:
    selection = current_selection(view.run)
    head = HeadName(selection.kind, selection.layer, selection.head)
    _answer(place, head)
    if view.inputs.interventions:
        st.html(tokens.note(say("corpus.changes")))
    with st.container(border=True, key="card_corpus_reading", gap="small"):
        left, right = st.columns(2, gap="medium")
        with left:
            show_distances(place, head)
        with right:
            show_found(place, head)
    choose_head(view.run, selection)
    cuts = cache.summary(place).cuts
    every_head = say("corpus.all_heads_costs") if cuts else say("corpus.all_heads")
    folds = {
        "all_heads": (every_head, _show_all),
        "classes": (say("corpus.classes"), show_classes),
        "sentences": (say("corpus.examples"), show_sentences),
    }
    with st.container(gap="xsmall"):
        for name, (heading, show) in folds.items():
            fold(heading, partial(show, place, head), key=f"corpus_{name}")
        fold(say("corpus.make"), partial(show_making, view.inputs.checkpoint), key="corpus_make")


def _answer(place: atlases.Place, head: HeadName) -> None:
    summary = cache.summary(place)
    said = explained(atlases.roles_of(place).said(*head))
    st.html(tokens.question(say("corpus.question"), said))
    if summary.held_out:
        st.html(tokens.note(words.unseen(summary.sentences, summary.held_out)))


def _show_all(place: atlases.Place, head: HeadName) -> None:
    """Show every head, its job and, if it was measured, the loss of the model without it."""
    st.html(tokens.note(say("corpus.all_heads_note")))
    heads = cache.summary(place).heads
    kept = written()
    st.html(roles_table(heads, atlases.roles_of(place), kept, head))
    if found := cache.costs_of(place):
        st.html(tokens.note(explained(words.cost_words(found, head))))
        st.html(costs_table(found, kept, head))
