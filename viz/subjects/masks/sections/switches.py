"""The switches of the masks, and the effect of each on the run in view."""

import streamlit as st

from texts import say, say_of
from viz.address.address import bound
from viz.address.link import select
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import HIDES, LabRun, Switch, Switches, telling_cell
from viz.subjects.masks.report import result
from viz.subjects.masks.sections.batch import put_in_view, sentence_in_view


def choose_switches(view: View, texts: tuple[str, ...], own: Switches) -> Switches:
    """Let the reader switch each mask; at first they are set as in the variant."""
    st.html(tokens.heading(say("masks.in_force")))
    on = {
        name: st.toggle(
            label,
            key=bound(name, own.named()[name]),
            on_change=_go_where_it_shows,
            args=(view, texts, own),
        )
        for name, label in _labels(view).items()
    }
    switches = Switches(**(own.named() | on))
    if switches != own:
        st.button(say("masks.own_masks"), key="own_masks", on_click=_reset, args=(own,))
    return switches


def _labels(view: View) -> dict[Switch, str]:
    """Name the switches that act on an attention of the model."""
    kinds = view.run.anatomy.names
    return {n: say_of("masks.switch", n) for n, (kind, _) in HIDES.items() if kind in kinds}


def show_results(baseline: LabRun, changed: LabRun, sentence: int) -> None:
    """State beside the switches which keys they reveal, and the effect on the output."""
    said = words.switch_results(baseline, changed, compare(baseline, changed), sentence)
    st.html(result(said or [say("masks.unchanged")]))


def _go_where_it_shows(view: View, texts: tuple[str, ...], own: Switches) -> None:
    """Select the head on which the switched mask shows most in the sentence in view.

    If it shows nowhere there, as padding does in the longest sentence, select another sentence.
    """
    on = {each: bool(st.session_state[each]) for each in _labels(view)}
    before = cache.mask_run(view, texts, own)
    now = cache.mask_run(view, texts, Switches(**(own.named() | on)))
    if found := telling_cell(before, now, sentence_in_view()) or telling_cell(before, now):
        select({"kind": found.kind, "layer": found.layer, "head": found.head})
        put_in_view(found.sentence)


def _reset(own: Switches) -> None:
    for name, is_on in own.named().items():
        st.session_state[name] = is_on
