"""The parts of the page that show records: what heads are worth, and how they learned to copy."""

import streamlit as st

from sample_data.one_text.record import HeadTable
from texts import say
from viz.frame.chart import show_chart
from viz.frame.controls import palette
from viz.pictures import tokens
from viz.pictures.html_table import table
from viz.run.address import bound
from viz.run.view import View
from viz.subjects.induction import cache, words
from viz.subjects.induction.figures import lapse_curves
from viz.subjects.induction.head_search import Trick, head_name
from viz.subjects.induction.lapse import Lapse
from viz.subjects.induction.pictures import show_trick


def show_cuts(found: HeadTable) -> None:
    """Show the recorded table, the head whose cut costs most first."""
    st.html(tokens.note(words.dearest(found)))
    rows = [words.cut_row(found, cut) for cut in found.cuts]
    st.html(table(words.cut_columns(found), rows, numeric=range(1, 5), least_width=34))
    st.html(tokens.note(words.cuts_note(found)))


def show_lapse(view: View, lapse: Lapse, trick: Trick | None) -> None:
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
