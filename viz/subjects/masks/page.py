"""Masks: what each one hides, and what happens where one is off or fills in the wrong value."""

from dataclasses import replace
from functools import partial

import streamlit as st

from texts import say
from viz.frame.changes import say_unchanged
from viz.frame.controls import choose_head
from viz.frame.dials import show_dials
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.address import page_part
from viz.run.link import follow_selection, go_to
from viz.run.payload import titles_of
from viz.run.record import AttentionKind
from viz.run.requirements import running_again
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import LabRun, Switches, telling_head
from viz.subjects.masks.report import changes_table, leaks_table, reason
from viz.subjects.masks.sections.batch import choose_sentence, choose_texts, show_batch
from viz.subjects.masks.sections.maps import Titles, show_effect, show_head, show_masks
from viz.subjects.masks.sections.switches import choose_switches, show_results

URL = "masks"
NEEDS = running_again

_WITHOUT_MASK = "future"
"""The demonstration on the page of variants, as links name it."""


@page_part
def render(view: View) -> None:
    """Show a padded batch, its masks, and what changes when one of them is switched."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    say_unchanged(view)
    opening = st.container()
    with st.container(border=True, key="card_masks", gap="small"):
        left, right = st.columns([0.33, 0.67], gap="medium")
        with right:
            panels = st.container()
            below = st.container(horizontal=True, gap="small", vertical_alignment="center")
    with below:
        chooser = st.container(
            horizontal=True, width="content", gap="small", vertical_alignment="center"
        )
        texts = choose_texts(view)
    own = Switches.of(view.run.info.config)
    try:
        baseline = cache.mask_run(view.inputs, texts, own)
    except ValueError as error:
        st.html(tokens.notice(say("masks.cannot_run"), str(error)))
        return
    with chooser:
        sentence = choose_sentence(baseline.batch)
    other = cache.mask_run(view.inputs, texts, _otherwise(own, baseline))
    with opening:
        _answer(view, baseline, other, sentence)
    with left, st.container(key="masks_switches"):
        switches = choose_switches(view, texts, own)
        changed = cache.mask_run(view.inputs, texts, switches)
        changes = compare(baseline, changed)
        show_results(baseline, changed, changes, sentence)
    with panels:
        kind, layer, head = _head_in_view(selection, baseline, changed, other, sentence)
        show_head(baseline, changed, (kind, layer, head, sentence), _titles(view))
    _show_more(view, baseline, changed, selection, sentence)


def _otherwise(own: Switches, run: LabRun) -> Switches:
    """Switch what the page is about: the causal mask, or the padding mask where there is none."""
    if "decoder self-attention" in run.kinds:
        return replace(own, causal=not own.causal)
    return replace(own, encoder_padding=not own.encoder_padding)


def _answer(view: View, baseline: LabRun, other: LabRun, sentence: int) -> None:
    losses = words.mean_losses(compare(baseline, other))
    said = words.answer(baseline, other, losses, sentence)
    st.html(tokens.question(say("masks.question"), explained(said)))
    anatomy = view.run.anatomy
    if not baseline.switches.causal or not anatomy.writes:
        return
    if not anatomy.translates:
        st.html(reason(say("masks.why_of_one_text")))
    else:
        why, link = st.columns([0.72, 0.28], gap="medium", vertical_alignment="center")
        why.html(reason(say("masks.why")))
        link.button(say("masks.see_without"), key="masks_why", on_click=_show_without_mask)


def _show_without_mask() -> None:
    """Go to where a decoder without the mask is measured.

    A field that this session has already takes no value from a link.
    """
    asked = {"variants_demonstration": _WITHOUT_MASK}
    if asked.keys() & st.session_state.keys():
        st.session_state.update(asked)
        asked = {}
    go_to("variants", asked)


def _head_in_view(
    selection: Selection, baseline: LabRun, changed: LabRun, other: LabRun, sentence: int
) -> tuple[AttentionKind, int, int]:
    """Return the selected head where it is of the kind that was switched, else the most telling.

    Where nothing is switched, that is the one in which the causal mask would show most.
    """
    compared = changed if changed.switches != baseline.switches else other
    found = telling_head(baseline, compared, sentence)
    if found is None or found[0] == selection.kind:
        return selection.kind, selection.layer, selection.head
    kind, (layer, head, _) = found
    return kind, layer, head


def _titles(view: View) -> Titles:
    language = view.parcel.languages[1] if view.run.anatomy.translates else ""

    def titles(kind: AttentionKind) -> tuple[str, str]:
        rows, columns = titles_of(view.run, kind)
        return rows, words.key_title(kind, columns, language)

    return titles


def _show_more(
    view: View, baseline: LabRun, changed: LabRun, selection: Selection, sentence: int
) -> None:
    anatomy, titles = view.run.anatomy, _titles(view)

    def show_steps() -> None:
        choose_head(view.run, selection)
        show_effect(baseline, changed, selection, sentence, titles)

    with st.container(gap="xsmall"):
        fold(
            say("masks.batch_fold"),
            partial(show_batch, changed.batch, sentence, translates=anatomy.translates),
            key="masks_batch",
            asked_by=("batch",),
        )
        fold(
            say("masks.each_mask_fold"),
            partial(show_masks, changed, sentence, titles),
            key="masks_each",
        )
        fold(say("masks.steps_fold"), show_steps, key="masks_steps")
        if anatomy.writes:
            fold(say("masks.dials_fold"), partial(show_dials, view, ("causal",)), key="masks_dials")
        fold(
            say("masks.numbers_fold"),
            partial(_show_numbers, baseline, changed),
            key="masks_numbers",
        )


def _show_numbers(baseline: LabRun, run: LabRun) -> None:
    """Show how much weight goes to what must not be read, and what that changes in the output."""
    st.html(
        tokens.heading(say("masks.leaks"))
        + leaks_table(run)
        + tokens.note(words.fill_sentence(run))
    )
    if changes := compare(baseline, run):
        st.html(tokens.heading(say("masks.changes")) + changes_table(changes, run.batch))
