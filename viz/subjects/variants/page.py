"""Variants: what each difference does, and the same sentence through several models."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from texts import say
from viz.frame.changes import say_unchanged
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.run.address import page_part
from viz.run.link import follow_selection
from viz.run.requirements import all_of, in_five_ways, running_again
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.variants.cache import checkpoints_by_variant
from viz.subjects.variants.sections.demonstrations import show_demonstrations
from viz.subjects.variants.sections.differences import show_differences
from viz.subjects.variants.sections.heads import show_heads
from viz.subjects.variants.sections.introduction import (
    offer_another_task,
    show_answer,
    view_of_richest_task,
)
from viz.subjects.variants.sections.outputs import choose_variants, open_views, show_outputs

URL = "variants"
NEEDS = all_of(in_five_ways, running_again)


@page_part
def render(view: View) -> None:
    """Show what one difference does, then the variants of the view's task side by side."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    say_unchanged(view)
    names = checkpoints_by_variant(view.run.info.task)
    if len(names) > 1:
        show_answer(view, names)
        _demonstrate(view, names)
        _compare(view, names, selection)
    else:
        _borrow(view)


def _borrow(view: View) -> None:
    """Show what the differences do to another task, where the one in view has a single variant."""
    opening = st.container()
    found = view_of_richest_task(view)
    with opening:
        show_answer(*(found or (view, {})))
    if found:
        _demonstrate(*found)
    offer_another_task(view)


def _demonstrate(view: View, names: dict[str, str]) -> None:
    with st.container(border=True, key="card_variants_demonstrations", gap="small"):
        show_demonstrations(view, names)


def _compare(view: View, names: dict[str, str], selection: Selection) -> None:
    chosen = choose_variants(view, names)
    if len(chosen) < 2:
        st.html(tokens.notice(say("variants.two_needed"), say("variants.two_needed_help")))
        return

    def with_views(show: Callable[[Sequence[View]], None]) -> None:
        views = open_views(view, {variant: names[variant] for variant in chosen})
        if len(views) > 1:
            show(views)

    with st.container(gap="xsmall"):
        fold(
            say("variants.outputs_fold"),
            partial(with_views, show_outputs),
            key="variants_outputs",
            asked_by=("variants",),
        )
        fold(
            say("variants.differences_fold"),
            partial(with_views, partial(show_differences, view, names)),
            key="variants_differences",
            asked_by=("variants_maps",),
        )
        fold(
            say("variants.heads_fold"),
            partial(with_views, partial(show_heads, view, names, selection)),
            key="variants_heads",
            asked_by=("variants_head", "variants_same_target"),
        )
