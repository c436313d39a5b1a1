"""Two texts of which the model says different things, or many such pairs: what carries it."""

from functools import partial

import streamlit as st

from texts import say
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.pictures import show_patching
from viz.subjects.mattered.sections.patching import FOLD, OTHER, begun, type_other
from viz.subjects.mattered.text_packing import answers, pack_texts
from viz.subjects.mattered.text_pairs import LONGEST
from viz.subjects.mattered.words import patching as words

_PAIRS = "text_pairs"


def show_texts_fold(view: View) -> None:
    """Offer to follow the difference between two texts, or the mean of many such pairs."""
    fold(say("mattered.patching"), partial(_show, view), key=FOLD, asked_by=(OTHER, _PAIRS))


def _show(view: View) -> None:
    if view.inputs.interventions:
        st.html(tokens.note(say("mattered.without_changes")))
    view = cache.without_changes(view)
    other = type_other(view, say("mattered.other_text"), cache.text_suggestion)
    many = st.text_area(
        say("mattered.pairs"),
        key=bound(_PAIRS, "", longest=LONGEST),
        height="content",
        max_chars=LONGEST,
    )
    if not many.strip() and not other.strip():
        st.html(tokens.notice(say("mattered.cannot_patch"), say("mattered.type_other")))
        return
    try:
        with st.spinner(say("mattered.patching_now"), show_time=True):
            contests, found = cache.text_patching(view, other, many)
    except ValueError as error:
        st.html(tokens.notice(say("mattered.cannot_patch"), f"{begun(str(error))}."))
        return
    info = view.run.info
    apart = found.clean_difference, found.corrupt_difference
    st.html(
        tokens.note(
            words.mean_lead(len(contests), apart)
            if many.strip()
            else words.lead(*answers(info, contests[0]), apart)
        )
    )
    show_patching(pack_texts(info, contests, found))
