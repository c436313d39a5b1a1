"""What each difference does: one demonstration at a time, measured when it is asked for."""

from collections.abc import Sequence

import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.variants.cache import demonstrate
from viz.subjects.variants.demonstrations import DEMONSTRATIONS
from viz.subjects.variants.depth import DEEP_LAYERS
from viz.subjects.variants.figures import curves
from viz.subjects.variants.report import Lines
from viz.subjects.variants.tables import demonstration_table, verdict
from viz.subjects.variants.titles import titled
from viz.subjects.variants.words import labels


def show_demonstrations(view: View, names: dict[str, str]) -> None:
    """Let a demonstration be chosen, measure it, and show what it says."""
    st.html(tokens.heading(say("variants.demonstrations")))
    key = choose_one(
        say("variants.demonstration_label"),
        [*DEMONSTRATIONS],
        lambda name: say_of("variants.demonstration", name),
        key="variants_demonstration",
        is_named=False,
    )
    st.html(tokens.note(say_of("variants.explanation", key, layers=DEEP_LAYERS)))
    if missing := [name for name in DEMONSTRATIONS[key].variants if name not in names]:
        st.html(tokens.notice(*labels.needs([*map(titled, missing)])))
        return
    _show(key, view)


def _show(key: str, view: View) -> None:
    with st.spinner(say("variants.measuring"), show_time=True):
        found = demonstrate(key, view)
    st.html(verdict(found.verdict) + tokens.joined(map(demonstration_table, found.tables)))
    _draw(key, found.lines)


def _draw(key: str, drawn: Sequence[Lines]) -> None:
    with st.container(horizontal=True, gap="medium"):
        for number, lines in enumerate(drawn):
            with st.container(width="content", gap="xsmall"):
                st.html(tokens.note(lines.title))
                show_figure(
                    curves(lines, palette=palette()),
                    key=f"variants_{key}_{number}",
                    alt=lines.title,
                )
