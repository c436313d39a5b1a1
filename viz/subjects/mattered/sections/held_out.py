"""The model over many sentences: what is needed again and again."""

from functools import partial

import streamlit as st

from texts import say
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.packing import pack_atlas
from viz.subjects.mattered.pictures import show_cuts
from viz.subjects.mattered.report import pairs_table
from viz.subjects.mattered.sections.replacement import HOWS, choose_how
from viz.subjects.mattered.words import held_out as words

_KEY = "mattered_many"
_HOW = "many_how"


def show_held_out(view: View) -> None:
    """Offer what was measured over held-out sentences."""
    fold(say("mattered.held_out"), partial(_show, view), key=_KEY)


def _show(view: View) -> None:
    if not cache.has_average(view):
        st.html(tokens.note(say("mattered.no_sentences")))
        return
    if view.inputs.interventions:
        st.html(tokens.note(say("mattered.without_changes")))
    atlas = cache.recorded_atlas(view.inputs.checkpoint)
    if atlas is None:
        st.html(tokens.note(say("mattered.no_atlas")))
        return
    how = choose_how(HOWS, key=_HOW)
    cuts = [cut for cut in atlas.cuts if cut.how == how]
    st.html(tokens.note(words.summary(atlas, cuts)))
    if harm := words.hurting(atlas, cuts):
        st.html(tokens.note(harm))
    show_cuts(pack_atlas(atlas, cuts, f"{view.inputs.checkpoint} {how}"), key="many_cuts")
    st.html(tokens.note(say("mattered.many_note")))
    st.html(tokens.heading(say("mattered.backup")))
    st.html(tokens.note(words.backup(atlas)))
    st.html(pairs_table(atlas))
    st.html(tokens.note(words.how_measured(atlas)))
