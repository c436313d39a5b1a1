"""The effect of positions on a run: the same sentence, run again with changed positions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st
from markupsafe import Markup

from texts import say, say_of
from viz.address.address import bound
from viz.address.selection import Selection
from viz.frame.head_choice import choose_head
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import error_text, number_text
from viz.pictures.panels import Panel, show_panels
from viz.pictures.tokens import escape
from viz.run.axes import attention_name, attention_trace, axis_tokens
from viz.run.record import Run
from viz.run.titles import axis_titles
from viz.run.view import View
from viz.subjects.positions.cache import changed_run, order_gaps
from viz.subjects.positions.reruns import (
    CHANGES,
    WHERE,
    Change,
    Rerun,
    Where,
    hidden_gap,
)
from viz.subjects.positions.words.kinds import say_hidden

_SAME = 1e-4
"""The rounding error of float32 between two ways to the same hidden states."""
_LONG = 96
"""The number of tokens from which a rerun starts on request, as it may decode without a cache."""


@dataclass(frozen=True)
class _Axes:
    """The common parts of the maps of one head."""

    group: str
    row_tokens: tuple[str, ...]
    column_tokens: tuple[str, ...]
    row_title: str
    column_title: str


@dataclass(frozen=True)
class Asked:
    """The rerun in view."""

    change: Change
    where: Where


def choose_rerun(run: Run) -> Asked | None:
    """Let the reader choose a change; None if the run is long and has not been requested."""
    asked = Asked(*_choose_change(run))
    if max(len(run.source.ids), len(run.steps)) > _LONG and not st.toggle(
        say("positions.run_long"), key=bound("positions_run_long", usual=False)
    ):
        return None
    return asked


def run_again(view: View, asked: Asked) -> Rerun:
    """Run the sentence again with its positions changed."""
    with st.spinner(say("positions.running"), show_time=True):
        return changed_run(view, asked.change, asked.where)


def show_written(asked: Asked, changed: Rerun) -> None:
    """Compare the written texts; the continuation of a prompt is cut off in either case."""
    is_whole = changed.finished or not changed.forced.anatomy.translates
    text = changed.text if is_whole else f"{changed.text} …"
    lost = _missing(changed.text_before, text)
    st.html(
        written(
            [
                (say("positions.as_it_is"), changed.text_before, ()),
                (say_of("positions.writes", asked.change), text, lost),
            ]
        )
    )


def written(rows: Sequence[tuple[str, str, Sequence[str]]]) -> Markup:
    """Show the texts of two runs one below the other: a name, a text, and the words to mark."""
    shown = Markup().join(
        Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(escape(name), _marked(text, marked))
        for name, text, marked in rows
    )
    return Markup('<dl class="positions-written">{}</dl>').format(shown)


def _marked(text: str, marked: Sequence[str]) -> Markup:
    """Mark the words of a text that another text lacks."""
    if not text:
        return escape(say("positions.no_words"))
    others = list(marked)
    parts = [
        Markup("<mark>{}</mark>").format(escape(word)) if word in others else escape(word)
        for word in text.split()
    ]
    return Markup(" ").join(parts)


def show_hidden(run: Run, changed: Rerun) -> None:
    """State how far the hidden states changed, for a model that predicts no tokens."""
    st.html(tokens.note(say_hidden(hidden_gap(run, changed))))


def _missing(before: str, after: str) -> tuple[str, ...]:
    """List the words of one text that another one lacks."""
    had = set(before.split())
    return tuple(word for word in after.split() if word not in had)


def _choose_change(run: Run) -> tuple[Change, Where]:
    where: Where = WHERE[0]
    with st.container(horizontal=True, gap="medium"):
        change: Change = choose_one(
            say("positions.change"),
            CHANGES,
            lambda name: say_of("positions.change_to", name),
            key="positions_change",
        )
        if run.anatomy.translates:
            where = choose_one(
                say("positions.where"),
                WHERE,
                lambda name: say_of("positions.where_of", name),
                key="positions_where",
            )
    return change, where


def show_weights(view: View, changed: Rerun, selection: Selection) -> None:
    """Draw one head without the change, with it, and the difference."""
    choose_head(view.run, selection)
    kind, layer, head = selection.kind, selection.layer, selection.head
    attention = attention_trace(view.run, kind, layer)
    before = attention.weights[0, head].numpy()
    after = changed.weights(kind, layer, head)
    hidden = ~attention.mask[0].expand(before.shape).numpy()
    axes = asdict(
        _Axes(kind, *axis_tokens(view.run, kind), *axis_titles(kind, view.parcel.languages))
    )
    weights = {"scale": "weights", **axes}
    st.html(
        tokens.heading(say("positions.attention"), code=f"{attention_name(kind, layer)}[{head}]")
    )
    show_panels(
        (
            _panel("before", values=before, masked=hidden & (before == 0), **weights),
            _panel("after", values=after, masked=hidden & (after == 0), **weights),
            _panel("difference", values=after - before, scale="signed", **axes),
        ),
        key="positions_weights",
        width=270,
        height=330,
        selects=True,
    )


def _panel(which: str, **shown: Any) -> Panel:  # noqa: ANN401 - what a panel has
    return Panel(title=say_of("positions.panel", which), **shown)


def show_order(view: View) -> None:
    """Show whether the encoder knows the order of its tokens, with and without positions."""
    with_positions, without = order_gaps(view)
    st.html(
        tokens.note(say("positions.order_note"))
        + tokens.badges(
            [
                (without < _SAME, say("positions.order_without"), error_text(without)),
                (with_positions >= _SAME, say("positions.order_with"), number_text(with_positions)),
            ]
        )
    )
