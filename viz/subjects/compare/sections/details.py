"""What stands behind headings: states, outputs, and which words and heads are compared."""

from functools import partial

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.pictures.panels import Panel, show_panels
from viz.run.record import axis_tokens
from viz.run.view import View
from viz.subjects.compare import words
from viz.subjects.compare.cache import likelihoods_of, stages_of, steps_of
from viz.subjects.compare.comparability import Shared
from viz.subjects.compare.packing import pack_pairs
from viz.subjects.compare.pairing import (
    WAYS,
    ByHand,
    Pairing,
    Way,
    read_by_hand,
    write_by_hand,
)
from viz.subjects.compare.pictures import pairs_key, show_pairs
from viz.subjects.compare.report import likely_table, match_table, stage_bars, steps_table
from viz.subjects.compare.sections.heads import Changes
from viz.subjects.compare.sections.url_state import ask, ask_widget, asked
from viz.subjects.compare.stages import StageChange, first_to_differ

_PAIRED = "compare_paired"
"""The two runs that pairs were made for."""


def show_folds(
    a: View, b: View, paired: tuple[Pairing, Way, ByHand], changes: Changes, shared: Shared
) -> None:
    """Offer what else there is to compare of two runs."""
    pairing, way, by_hand = paired
    with st.container(gap="xsmall"):
        if shared.states:
            show = partial(_show_stages, a, b, way, by_hand)
            fold(say("compare.stages"), show, key="compare_stages")
        if shared.outputs:
            show = partial(_show_steps, a, b, way, by_hand)
            fold(say("compare.steps"), show, key="compare_steps")
        show = partial(_show_pairs, a, b, pairing, way)
        fold(say("compare.pairs"), show, key="compare_pairs", asked_by=("pair_by", "pairs"))
        if not shared.states:
            show = partial(_show_match, changes)
            fold(say("compare.match"), show, key="compare_match", asked_by=("by_number",))


def matches_by_likeness(shared: Shared) -> bool:
    """Return whether heads are paired by where they look: for two models, unless asked not to."""
    return not shared.states and asked("by_number") != "true"


def way_to_pair(a: View, b: View) -> tuple[Way, ByHand]:
    """Return how tokens are paired: as the link or the session says, else by the words.

    Pairs made by hand are places in two texts: they go with them.
    """
    two = (a.parcel.key, b.parcel.key)
    if st.session_state.setdefault(_PAIRED, two) != two:
        st.session_state[_PAIRED] = two
        ask("pairs", "")
    wanted = asked("pair_by")
    way: Way = "tokens"
    for known in WAYS:
        way = known if known == wanted else way
    return way, read_by_hand(asked("pairs"))


def _show_stages(a: View, b: View, way: Way, by_hand: ByHand) -> None:
    stages = stages_of(a, b, way, by_hand)
    first = first_to_differ(stages)
    st.html(tokens.note(words.say_first(first, _words_where(a, b, first))))
    st.html(stage_bars(stages))
    sides = [stack.name for stack in a.run.anatomy.stacks]
    panels = [_stage_panel(a, b, stages, side) for side in sides]
    show_panels(panels, key="compare_stage_maps", width=420, height=260, cell=30)
    two = a.run.anatomy.translates
    st.html(tokens.note(say("compare.stages_note" if two else "compare.stages_note_of_text")))


def _words_where(a: View, b: View, stage: StageChange | None) -> list[str]:
    """Name the positions at which a stage differs."""
    if stage is None:
        return []
    named = _position_names(a, b, stage)
    changed = zip(stage.by_position, stage.rows, named, strict=True)
    return [name for value, pair, name in changed if None in pair or value > 0]


def _position_names(a: View, b: View, stage: StageChange) -> list[str]:
    encoder = stage.side == "encoder"
    kind = "encoder self-attention" if encoder else "decoder self-attention"
    texts = [axis_tokens(r, kind)[0] for r in (a.run, b.run)]
    return [words.pair_label(pair, texts[0], texts[1]) for pair in stage.rows]


def _stage_panel(a: View, b: View, stages: tuple[StageChange, ...], side: str) -> Panel:
    shown = [stage for stage in stages if stage.side == side]
    values = np.stack([stage.by_position for stage in shown])
    return Panel(
        title=say_of("compare.spread", side),
        values=values,
        scale="signed",
        group=f"compare {side}",
        axes=("stage", f"{side} position"),
        row_tokens=[words.stage_label(stage.name) for stage in shown],
        column_tokens=_position_names(a, b, shown[0]),
        masked=np.isnan(values),
    )


def _show_steps(a: View, b: View, way: Way, by_hand: ByHand) -> None:
    st.html(steps_table(steps_of(a, b, way, by_hand), a.run, b.run))
    two = a.run.anatomy.translates
    st.html(
        tokens.note(explained(say("compare.steps_note" if two else "compare.steps_note_of_text")))
    )
    st.html(tokens.heading(say("compare.likely")))
    found = likelihoods_of(a, b)
    st.html(likely_table(found, (a.run.text, b.run.text)))
    own, other = found[0].a, found[1].a
    if own is not None and other is not None:
        st.html(tokens.note(words.likelier(own, other)))
    st.html(tokens.note(say("compare.likely_note" if two else "compare.likely_note_of_text")))


def _show_pairs(a: View, b: View, pairing: Pairing, way: Way) -> None:
    st.session_state["compare_pair_by"] = way
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.segmented_control(
            say("compare.way"),
            WAYS,
            format_func=lambda way: say_of("compare.way", way),
            required=True,
            key="compare_pair_by",
            on_change=ask_widget,
            args=("pair_by", "compare_pair_by"),
            label_visibility="collapsed",
        )
        if asked("pairs"):
            st.button(
                say("compare.forget_pairs"), key="compare_forget", on_click=ask, args=("pairs", "")
            )
    no_gold = way == "gold" and (a.parcel.gold is None or b.parcel.gold is None)
    said = say("compare.no_gold") if no_gold else say_of("compare.way_said", way)
    st.html(tokens.note(f"{said} {say('compare.by_hand')}"))
    for side in a.run.anatomy.sides:
        title = say_of("compare.side", side if a.run.anatomy.translates else "text")
        data = pack_pairs(pairing, side, title, a.run, b.run)
        st.html(tokens.heading(title))
        show_pairs(data, on_pair=partial(_take_pair, pairs_key(data)))


def _take_pair(key: str) -> None:
    """Pair two tokens, or take them apart, as someone clicked."""
    match st.session_state[key]["pair"]:
        case {"side": ("source" | "target") as side, "a": (int() | float()) as i, "b": j}:
            chosen = read_by_hand(f"{side[0]}{int(i)}-{int(j)}")
            known = read_by_hand(asked("pairs"))
            again = tuple(p for p in known if p not in chosen)
            ask("pairs", write_by_hand(again + chosen if again == known else again))


def _show_match(changes: Changes) -> None:
    by_number = asked("by_number") == "true"
    st.session_state["compare_by_likeness"] = not by_number
    st.toggle(say("compare.by_likeness"), key="compare_by_likeness", on_change=_take_likeness)
    st.html(tokens.note(say("compare.by_number_note" if by_number else "compare.match_note")))
    match: words.Matches = {kind: change.match for kind, change in changes.items()}
    st.html(match_table(words.matched_said(match)))


def _take_likeness() -> None:
    ask("by_number", "" if st.session_state["compare_by_likeness"] else "true")
