"""What each difference does: one demonstration at a time, measured when it is asked for."""

from collections.abc import Sequence

import streamlit as st

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.variants.cache import demonstrate
from viz.subjects.variants.demonstrations import DEMONSTRATIONS
from viz.subjects.variants.figures import curves
from viz.subjects.variants.report import Lines
from viz.subjects.variants.tables import demonstration_table, verdict
from viz.subjects.variants.titles import titled
from viz.subjects.variants.words import labels


def show_demonstrations(view: View, names: dict[str, str]) -> None:
    """Let a demonstration be chosen, measure it, and show what it says."""
    st.html(tokens.heading(labels.DEMONSTRATIONS))
    titles = {entry.title: key for key, entry in DEMONSTRATIONS.items()}
    chosen = st.segmented_control(
        "Demonstration",
        [*titles],
        default=next(iter(titles)),
        required=True,
        key="variants_demonstration",
        bind="query-params",
        label_visibility="collapsed",
    )
    key = titles[chosen]
    st.html(tokens.note(DEMONSTRATIONS[key].explanation))
    if missing := [name for name in DEMONSTRATIONS[key].variants if name not in names]:
        st.html(tokens.notice(*labels.needs([*map(titled, missing)])))
        return
    _show(key, view)


def _show(key: str, view: View) -> None:
    try:
        with st.spinner(labels.MEASURING, show_time=True):
            found = demonstrate(key, view)
    except ValueError as error:
        st.html(tokens.notice(labels.CANNOT_RUN, str(error)))
        return
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
