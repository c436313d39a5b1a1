"""The Two heads page: how a model copies earlier words, and what it loses without either head."""

from functools import partial

import streamlit as st

from sample_data.one_text.record import HeadTable
from sample_data.one_text.tasks import TEXT_TASKS
from texts import say
from viz.address.address import bound, page_part
from viz.address.link import follow_selection
from viz.frame.chart import show_chart
from viz.frame.expander import fold
from viz.frame.figure import palette
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.pictures.html_table import table as html_table
from viz.run.requirements import going_on
from viz.run.view import View
from viz.subjects.induction import actions, cache, words
from viz.subjects.induction.figures import lapse_curves
from viz.subjects.induction.head_search import Trick, head_name, same_heads
from viz.subjects.induction.lapse import Lapse
from viz.subjects.induction.pictures import show_trick

URL = "induction"
NEEDS = going_on
MODEL = "induction-two-heads"
"""The model that the page brings along if it can show nothing of the model in view."""


@page_part
def render(view: View) -> None:
    """Show the repetitions in the text, and the two heads that use them."""
    follow_selection(view.run, view.parcel.key, URL)
    before = view.beside(view.inputs.unchanged)
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
        fold(say("induction.random_fold"), partial(_show_random, view), key="induction_random")
        if table := cache.recorded(view):
            fold(say("induction.cuts_fold"), partial(_show_cuts, table), key="induction_cuts")
        if lapse := cache.lapse_of(view.run.info.task):
            fold(
                say("induction.lapse_fold"),
                partial(_show_lapse, before, lapse, trick),
                key="induction_lapse",
            )


def _show(view: View, trick: Trick) -> None:
    now = cache.trick_in(view)
    cut = actions.heads_cut(view)
    if cut:
        said = words.after_cut(trick, now, [head_name(*head) for head in cut])
    else:
        said = words.answer(trick)
    st.html(tokens.question(say("induction.question"), explained(said)))
    shown = same_heads(now, trick) if now else trick
    show_trick(shown, view.parcel.key, key="trick")
    st.html(tokens.note(words.rule()))
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
                on_click=actions.switch_head,
                args=(view, *place),
            )


def _show_random(view: View) -> None:
    """Show the scores of heads on repeated random words."""
    found = cache.random_scores_of(view)
    if found is None:
        st.html(tokens.note(say("induction.random_no_room")))
        return
    st.html(tokens.note(words.random_answer(found)))
    rows = [words.random_row(head) for head in found.told]
    st.html(html_table(words.random_columns(), rows, numeric=(1, 2)))
    st.html(tokens.note(words.random_note(found)))


def _show_cuts(found: HeadTable) -> None:
    """Show the recorded table, the head with the costliest cut first."""
    st.html(tokens.note(words.dearest(found)))
    rows = [words.cut_row(cut) for cut in found.cuts]
    st.html(html_table(words.cut_columns(), rows, numeric=(1,)))
    st.html(tokens.note(words.cuts_note(found)))


def _show_lapse(view: View, lapse: Lapse, trick: Trick | None) -> None:
    """Show curves over the steps, and the text in view at one of them."""
    st.html(tokens.note(words.lapse_answer(lapse)))
    steps = [moment.step for moment in lapse.moments]
    _, change = lapse.change()
    step = st.select_slider(
        say("induction.step"), steps, key=bound("induction_step", change.step, steps)
    )
    moment = lapse.moments[steps.index(step)]
    last = lapse.moments[-1]
    copier = max(last.looks, key=last.looks.__getitem__)
    before = max(last.previous, key=last.previous.__getitem__)
    show_chart(
        lapse_curves(
            steps,
            {
                say("induction.curve_right"): [m.right for m in lapse.moments],
                say("induction.curve_followed", head=head_name(*copier)): [
                    m.looks[copier] for m in lapse.moments
                ],
                say("induction.curve_before", head=head_name(*before)): [
                    m.previous[before] for m in lapse.moments
                ],
            },
            control=(say("induction.curve_control"), lapse.control),
            at=moment.step,
            palette=palette(),
        ),
        key="induction_curves",
        config={"displayModeBar": False},
    )
    if trick is None:
        st.html(tokens.note(say("induction.nothing_repeats")))
        return
    then = cache.trick_at(view, moment, copier)
    show_trick(then, f"{view.parcel.key} {moment.step}", key="trick_then")
