"""Attention beside other measures of attribution for one token, and contributions to its logit."""

from contextlib import nullcontext
from functools import partial

import streamlit as st
from markupsafe import Markup

from texts import say
from viz.address.link import current_selection
from viz.frame.expander import fold
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.pictures.freshness import show_made_for
from viz.run.view import View
from viz.subjects.mattered import measures_cache as cache
from viz.subjects.mattered.lead_bars import lead_table
from viz.subjects.mattered.row_measures import (
    LONGEST,
    first_places,
    looks_elsewhere,
    row_in_view,
    runs_again,
    spoken_ids,
    takes_long,
    tokens_read,
)
from viz.subjects.mattered.row_packing import pack_measures
from viz.subjects.mattered.row_parts import can_be_split, rivals
from viz.subjects.mattered.words import lead as lead_words
from viz.subjects.mattered.words import measures as words

_RIVAL = "mattered_rival"
_measures = picture("mattered_measures", "subjects/mattered/browser/measures.js")


def show_measures_fold(view: View) -> None:
    """Offer the attribution of the selected row's token by every measure."""
    translates = view.run.anatomy.translates
    heading = say("mattered.measures" if translates else "mattered.measures_of_text")
    fold(heading, partial(show_measures, view), key="mattered_measures")


def show_lead_fold(view: View) -> None:
    """Offer the contributions to the logit of the selected step's token, if it is a sum."""
    if not can_be_split(view.run.info.config):
        return
    fold(say("mattered.lead"), partial(show_lead, view), key="mattered_lead", asked_by=(_RIVAL,))


def show_measures(view: View) -> None:
    """Show the attribution of the selected row's token by every measure on the same words."""
    run = view.run
    row = row_in_view(run, current_selection(run))
    agreements = cache.agreements(view)
    seen = cache.seen(view)
    waiting = (
        st.spinner(say("mattered.running"), show_time=True) if takes_long(run) else nullcontext()
    )
    with waiting:
        again = cache.again(view, row) if runs_again(run, row) else None
    with st.container(key="mattered_said", gap="xsmall"):
        spoken = run.info.tokenizers.target.token(spoken_ids(run)[row])
        st.html(tokens.heading(words.heading(spoken, run.info.config)))
        firsts = first_places(seen, again, row)
        elsewhere = looks_elsewhere(firsts, again)
        said = words.verdict(spoken, tokens_read(run), firsts, elsewhere=elsewhere)
        st.html(_answer(said))
    data = pack_measures(view, row, seen, again, agreements)
    _measures(key="mattered_measures", data=data)
    st.html(tokens.note(say("mattered.picture")))
    with st.container(key="mattered_checked"):
        if again is None:
            st.html(tokens.note(say("mattered.too_long", most=LONGEST)))
        else:
            st.html(tokens.badges([words.completeness(again)]))
    made = {"run": view.parcel.key, ("step" if run.steps else "query"): row}
    show_made_for(made, "mattered_said", "mattered_checked", key="made_mattered_measures")


def show_lead(view: View) -> None:
    """Show the contribution of each part of the decoder to the lead of the token."""
    step = current_selection(view.run).step
    names, others = view.run.info.tokenizers.target, rivals(view.run, step)
    if not others:
        st.html(tokens.note(say("mattered.no_rival")))
        return

    with st.container(key="mattered_lead_made", gap="small"):
        chosen = choose_one(
            lead_words.rival_label(view.run.target_tokens[step + 1]),
            range(len(others)),
            lambda place: tokens.markdown(names.token(others[place])),
            key=_RIVAL,
        )
        found = cache.lead(view, step, others[chosen])
        st.html(_answer(lead_words.lead_answer(found)) + lead_table(found))
        st.html(
            tokens.badges([lead_words.sum_check(found)]) + tokens.note(say("mattered.lead_note"))
        )
    made = {"run": view.parcel.key, "step": step}
    show_made_for(made, "mattered_lead_made", key="made_mattered_lead")


def _answer(text: str) -> Markup:
    """Describe the finding of a section, in letters that are legible from afar."""
    html = Markup('<p class="loupe-answer measures-answer" dir="auto">{}</p>')
    return html.format(tokens.escape(text))
