"""The switches of the masks, and what each does to the run in view."""

from functools import partial

import streamlit as st

from texts import say
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.link import select
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.lab import FILLS, HIDES, LabRun, Switch, Switches, fill_key, telling_head
from viz.subjects.masks.report import result
from viz.subjects.masks.sections.batch import put_in_view, sentence_in_view

_FILL = "fill"


def choose_switches(view: View, texts: tuple[str, ...], own: Switches) -> Switches:
    """Let each mask be switched; as the variant has it to begin with."""
    st.html(tokens.heading(say("masks.in_force")))
    fills = {fill_key(fill): fill for fill in (*FILLS, own.fill)}
    on = {
        name: st.toggle(
            label,
            key=bound(name, own.named()[name]),
            on_change=_go_where_it_shows,
            args=(view, texts, fills, own),
        )
        for name, label in _labels(view).items()
    }
    fill = choose_one(
        say("masks.fill"),
        list(fills),
        key=_FILL,
        first=fill_key(own.fill),
        on_change=partial(_go_where_it_shows, view, texts, fills, own),
    )
    st.button(say("masks.own_masks"), key="own_masks", on_click=_reset, args=(own,))
    return Switches(**(own.named() | on), fill=fills[fill])


def _labels(view: View) -> dict[Switch, str]:
    """Name the switches that act on an attention of the model."""
    kinds = view.run.anatomy.names
    return {n: words.switch_label(n, kinds) for n, (kind, _) in HIDES.items() if kind in kinds}


def show_results(
    baseline: LabRun, changed: LabRun, changes: tuple[SentenceChange, ...], sentence: int
) -> None:
    """State beside the switches what they let through, and what that does to the output."""
    st.html(result(words.switch_results(baseline, changed, changes, sentence)))


def _go_where_it_shows(
    view: View, texts: tuple[str, ...], fills: dict[str, float], own: Switches
) -> None:
    """Put the head in view where what was switched shows most in the sentence in view.

    Where it shows nothing there, as padding in the longest one, the sentence where it does.
    """
    on = {each: bool(st.session_state[each]) for each in _labels(view)}
    fill = fills.get(st.session_state[_FILL], own.fill)
    switches = Switches(**(own.named() | on), fill=fill)
    before = cache.mask_run(view.inputs, texts, own)
    now = cache.mask_run(view.inputs, texts, switches)
    found = telling_head(before, now, sentence_in_view()) or telling_head(before, now)
    if found:
        kind, (layer, head, sentence) = found
        select({"kind": kind, "layer": layer, "head": head})
        put_in_view(sentence)


def _reset(own: Switches) -> None:
    for name, is_on in own.named().items():
        st.session_state[name] = is_on
    st.session_state[_FILL] = fill_key(own.fill)
