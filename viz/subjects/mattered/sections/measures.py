"""Attention beside other measures of what mattered for one token, and what adds to its logit."""

from functools import partial

import streamlit as st

from sample_data.agreement import Agreements
from viz.frame.fold import fold
from viz.pictures import tokens
from viz.pictures.made import show_made_for
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.mattered import measures_cache as cache
from viz.subjects.mattered import words_measures as words
from viz.subjects.mattered.lead_bars import lead_table
from viz.subjects.mattered.measures_pictures import show_row
from viz.subjects.mattered.row_measures import chosen_head, first_places, runs_again
from viz.subjects.mattered.row_packing import pack_measures
from viz.subjects.mattered.row_parts import rivals

_RIVAL = "mattered_rival"


def show_measures(view: View, selection: Selection) -> None:
    """Show what mattered for the token of the step in view, in every measure on the same words."""
    step, run = selection.step, view.run
    head, agreements = chosen_head(run, selection), cache.agreements(view.inputs.checkpoint)
    seen = cache.seen(view, head)
    again = cache.again(view, step) if runs_again(run) else None
    with st.container(border=True, key="card_mattered_measures", gap="small"):
        place = st.container(key="mattered_said", gap="xsmall")
        show_row(pack_measures(view, step, head, seen, again, agreements))
        if again is None:
            said = words.too_long(len(run.source.ids), len(run.steps))
            st.html(tokens.notice(words.TOO_LONG, said))
        else:
            with st.container(key="mattered_checked"):
                st.html(tokens.badges([words.completeness(again)]))
    firsts = first_places(seen, again, step)
    with place:
        written = run.target_tokens[step + 1]
        st.html(tokens.heading(words.heading(written)))
        st.html(tokens.note(words.verdict(written, run.source.tokens, firsts)))
    of_step = {"run": view.parcel.key, "step": step}
    show_made_for(of_step, "mattered_said", "mattered_checked", key="made_mattered")
    with st.container(gap="xsmall"):
        if agreements is not None:
            fold(words.WORTH_FOLD, partial(_show_worth, agreements), key="mattered_worth")
        fold(
            words.LEAD_FOLD,
            partial(_show_lead, view, step),
            key="mattered_lead",
            asked_by=(_RIVAL,),
        )


def _show_worth(agreements: Agreements) -> None:
    with st.container(gap="small"):
        for said in words.worth(agreements):
            st.html(tokens.note(said))


def _show_lead(view: View, step: int) -> None:
    names, others = view.run.info.tokenizers.target, rivals(view.run, step)
    if not others:
        st.html(tokens.note(words.NO_RIVAL))
        return
    with st.container(key="mattered_lead_made", gap="small"):
        chosen = st.segmented_control(
            words.rival_label(view.run.target_tokens[step + 1]),
            range(len(others)),
            default=0,
            required=True,
            key=_RIVAL,
            format_func=lambda place: tokens.markdown(names.token(others[place])),
            bind="query-params",
        )
        found = cache.lead(view, step, others[chosen])
        st.html(tokens.note(words.lead_answer(found)) + lead_table(found))
        st.html(tokens.badges([words.sum_check(found)]) + tokens.note(words.LEAD_NOTE))
    made = {"run": view.parcel.key, "step": step}
    show_made_for(made, "mattered_lead_made", key="made_mattered_lead")
