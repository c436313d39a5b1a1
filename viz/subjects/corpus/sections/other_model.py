"""Heads that do the same: in this model, and in another that read the same sentences."""

import streamlit as st

from texts import say
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place
from viz.frame.titles import checkpoint_titles
from viz.pictures import tokens
from viz.run import session
from viz.run.address import written
from viz.subjects.corpus import cache, words
from viz.subjects.corpus.report import differences_table, same_table
from viz.subjects.corpus.sections.making import show_command

_MOST_ALIKE = 7
_COMPARED = ("gold", "entropy", "distance", "diagonality", "previous", "same", "next")


def show_same(place: Place, head: HeadName) -> None:
    """Show the heads that read the same: of this model, then of another on the same sentences."""
    st.html(tokens.note(say("corpus.same_note")))
    pairs = cache.same_heads(place, head, _MOST_ALIKE)
    st.html(same_table(pairs, written()))
    st.html(tokens.heading(say("corpus.same_other")))
    _show_other(place, head)


def _show_other(place: Place, head: HeadName) -> None:
    """Compare a head with the one of another model that does its work."""
    others = cache.others(place)
    if not others:
        st.html(tokens.note(say("corpus.compare_none")))
        show_command(_without_atlas(place.checkpoint))
        return
    titles = checkpoint_titles(session.checkpoint_names())
    name = st.selectbox(
        say("corpus.compare_choose"),
        list(others),
        format_func=lambda name: titles[name],
        key="corpus_other",
    )
    pair = cache.matched_heads(place, others[name]).get(head)
    if pair is None:
        st.html(tokens.note(say("corpus.compare_nothing")))
        return
    matched = words.head_name(pair.second)
    said = say("corpus.compare_match", head=matched, **words.range_texts(pair.agreement))
    st.html(tokens.note(said))
    found = [
        cache.difference(place, others[name], (head, pair.second), metric) for metric in _COMPARED
    ]
    st.html(differences_table([each for each in found if each]))
    st.html(tokens.note(say("corpus.compare_note")))


def _without_atlas(checkpoint: str) -> str:
    """Name another model of the same task; this one where there is none."""
    task = session.read_info(checkpoint).task
    names = [name for name in session.checkpoint_names() if name != checkpoint]
    return next((name for name in names if session.read_info(name).task == task), checkpoint)
