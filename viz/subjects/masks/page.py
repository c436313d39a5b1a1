"""The Masks page: what each mask hides, and what happens without it."""

from dataclasses import replace
from functools import partial

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection, go_to
from viz.address.selection import Selection
from viz.frame.expander import fold
from viz.frame.unchanged import say_unchanged
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.axes import AttentionKind
from viz.run.requirements import running_again
from viz.run.titles import titles_of
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.lab import LabRun, Switches, TellingCell, has_future, telling_cell
from viz.subjects.masks.report import reason
from viz.subjects.masks.sections.batch import choose_sentence, choose_texts, show_batch
from viz.subjects.masks.sections.maps import show_head
from viz.subjects.masks.sections.switches import choose_switches, show_results

URL = "masks"
NEEDS = running_again


@page_part
def render(view: View) -> None:
    """Show one head with its mask, and what changes when a mask is switched."""
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
        baseline = cache.mask_run(view, texts, own)
    except ValueError as error:
        st.html(tokens.notice(say("masks.cannot_run"), str(error)))
        return
    with chooser:
        sentence = choose_sentence(baseline.batch)
    other = cache.mask_run(view, texts, _otherwise(own, baseline))
    cell = telling_cell(baseline, other, sentence)
    with opening:
        said = words.answer(baseline, other, cell)
        st.html(tokens.question(say("masks.question"), explained(said)))
    with left, st.container(key="masks_switches"):
        switches = choose_switches(view, texts, own)
        changed = cache.mask_run(view, texts, switches)
        show_results(baseline, changed, sentence)
    after = changed if switches != own else other
    with panels:
        if after is changed:
            cell = telling_cell(baseline, changed, sentence)
        place = (*_head_in_view(selection, cell), sentence)
        show_head(changed, baseline, after, place, partial(_titles, view))
    _show_why(view, own)
    fold(
        say("masks.batch_fold"),
        partial(show_batch, changed.batch, sentence),
        key="masks_batch",
        asked_by=("batch",),
    )


def _otherwise(own: Switches, run: LabRun) -> Switches:
    """Switch the mask that the page is about: the causal mask, or else the padding mask."""
    if "decoder self-attention" in run.kinds:
        return replace(own, causal=not own.causal)
    return replace(own, encoder_padding=not own.encoder_padding)


def _show_why(view: View, own: Switches) -> None:
    anatomy = view.run.anatomy
    if not own.causal or not anatomy.writes:
        return
    with st.container(
        horizontal=True, gap="medium", vertical_alignment="center", key="masks_reason"
    ):
        st.html(reason(say("masks.why")))
        if anatomy.translates:
            st.button(
                say("masks.see_without"),
                key="masks_why",
                on_click=go_to,
                args=("variants", {"more_variants_ahead": "true"}),
            )


def _head_in_view(selection: Selection, cell: TellingCell | None) -> tuple[AttentionKind, int, int]:
    """Return the selected head if the switch acts on its kind, else the most telling one."""
    if cell is None or cell.kind == selection.kind:
        return selection.kind, selection.layer, selection.head
    return cell.kind, cell.layer, cell.head


def _titles(view: View, kind: AttentionKind) -> tuple[str, str]:
    rows, columns = titles_of(view.run, kind)
    return rows, say("masks.keys") if has_future(kind) else columns
