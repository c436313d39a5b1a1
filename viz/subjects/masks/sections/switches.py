"""The switches of the masks, and what each does to the run in view."""

import streamlit as st

from viz.pictures import tokens
from viz.run.link import select
from viz.run.view import View
from viz.subjects.masks import cache, words
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import (
    FILLS,
    HIDES,
    LabRun,
    Switch,
    Switches,
    fill_key,
    strongest_leak,
)
from viz.subjects.masks.sections.batch import SENTENCE

_FILL = "fill"


def choose_switches(view: View, texts: tuple[str, ...], own: Switches) -> Switches:
    """Let each mask be switched; as the variant has it to begin with."""
    st.html(tokens.heading(words.IN_FORCE))
    fills = {fill_key(fill): fill for fill in (*FILLS, own.fill)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        on = {
            name: st.toggle(
                label,
                own.named()[name],
                key=name,
                bind="query-params",
                on_change=_go_to_leak,
                args=(view, texts, fills, name),
            )
            for name, label in words.SWITCHES.items()
        }
        fill = st.segmented_control(
            words.FILL,
            list(fills),
            default=fill_key(own.fill),
            required=True,
            key=_FILL,
            bind="query-params",
            on_change=_go_to_leak,
            args=(view, texts, fills, None),
        )
        st.button(words.OWN_MASKS, key="own_masks", on_click=_reset, args=(own,))
    return Switches(**on, fill=fills[fill])


def show_results(baseline: LabRun, changed: LabRun) -> None:
    """Say beside the switches what they let through, and what that does to the output."""
    said = words.switch_results(baseline, changed, compare(baseline, changed))
    st.html(tokens.joined(map(tokens.note, said)))


def _go_to_leak(
    view: View, texts: tuple[str, ...], fills: dict[str, float], name: Switch | None
) -> None:
    """Put the head and the sentence in view that leak most through what was switched."""
    on = {each: bool(st.session_state[each]) for each in HIDES}
    run = cache.mask_run(view.inputs, texts, Switches(**on, fill=fills[st.session_state[_FILL]]))
    if found := strongest_leak(run, name):
        kind, (layer, head, sentence) = found
        select({"kind": kind, "layer": layer, "head": head})
        st.session_state[SENTENCE] = sentence


def _reset(own: Switches) -> None:
    for name, is_on in own.named().items():
        st.session_state[name] = is_on
    st.session_state[_FILL] = fill_key(own.fill)
