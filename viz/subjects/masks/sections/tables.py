"""What leaks, what changes, and what becomes of a row without keys: the tables of the page."""

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import LabRun
from viz.subjects.masks.report import changes_table, empty_source_table, leaks_table


def show_numbers(baseline: LabRun, run: LabRun) -> None:
    """Show how much weight goes to what must not be read, and what that changes in the output."""
    st.html(
        tokens.heading(say("masks.leaks"))
        + leaks_table(run)
        + tokens.note(words.fill_sentence(run))
    )
    if changes := compare(baseline, run):
        st.html(tokens.heading(say("masks.changes")) + changes_table(changes, run.batch))


def show_empty_source(view: View) -> None:
    """Try a source of only padding, in this variant or in all of its task."""
    st.html(tokens.note(say("masks.empty_note")))
    every = st.toggle(say("masks.every_variant"), key=bound("every_variant", usual=False))
    try:
        with st.spinner(say("masks.running_variants"), show_time=True):
            results = cache.empty_sources(view.inputs, every=every)
    except ValueError as error:
        st.html(tokens.notice(say("masks.not_tried"), str(error)))
        return
    verdicts = [
        say("masks.verdict_named", name=name, verdict=result.verdict)
        for name, result in results
        if result.own
    ]
    st.html(empty_source_table(results) + tokens.joined(map(tokens.note, verdicts)))
