"""Two heads: how a model copies what stood before, and what is lost without either head."""

from functools import partial

import streamlit as st

from sample_data.one_text.tasks import TEXT_TASKS
from texts import say
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run import session
from viz.run.address import page_part
from viz.run.link import follow_selection
from viz.run.requirements import going_on
from viz.run.view import View
from viz.subjects.induction import actions, cache, words
from viz.subjects.induction.head_search import Trick, head_name, same_heads
from viz.subjects.induction.pictures import show_trick
from viz.subjects.induction.sections.live_training import show_live
from viz.subjects.induction.sections.recorded import show_cuts, show_lapse

URL = "induction"
NEEDS = going_on


@page_part
def render(view: View) -> None:
    """Show where the text repeats itself, and which two heads make use of it."""
    follow_selection(view.run, view.parcel.key, URL)
    before = session.open_view(view.inputs.unchanged)
    trick = cache.trick_in(before)
    if trick is None:
        example = TEXT_TASKS["induction"].examples[0]
        st.html(tokens.question(say("induction.question")))
        st.html(
            tokens.notice(say("induction.nothing_repeats"), say("induction.try", example=example))
        )
    else:
        _show(view, trick)
    with st.container(gap="xsmall"):
        if table := cache.recorded(view.inputs.checkpoint):
            fold(say("induction.cuts_fold"), partial(show_cuts, table), key="induction_cuts")
        if lapse := cache.lapse_of(view.run.info.task):
            fold(
                say("induction.lapse_fold"),
                partial(show_lapse, before, lapse, trick),
                key="induction_lapse",
            )
            fold(say("induction.live_fold"), show_live, key="induction_live")


def _show(view: View, trick: Trick) -> None:
    now = cache.trick_in(view)
    cut = actions.heads_cut(view)
    if cut:
        said = words.after_cut(trick, now, [head_name(*head) for head in cut])
    else:
        said = words.answer(trick, view.run.info.config)
    st.html(tokens.question(say("induction.question"), explained(said)))
    shown = same_heads(now, trick) if now else trick
    show_trick(shown, view.parcel.key, key="trick")
    if view.run.anatomy.is_recorded:
        return
    with st.container(horizontal=True, gap="small", key="trick_cuts"):
        for reading in (trick.before, trick.copier):
            if reading is None:
                continue
            place = (reading.layer, reading.head)
            st.button(
                words.cut_label(*place, is_cut=place in cut),
                key=f"trick_cut_{reading.layer}_{reading.head}",
                help=say("induction.cut_help"),
                on_click=actions.switch_head,
                args=(view, *place),
            )
