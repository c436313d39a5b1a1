"""The Variants page: the same sentence through the paper's model and five write-ups of it."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from sample_data.tasks import TASKS
from texts import say, say_of
from viz.address.address import page_part
from viz.address.link import follow_selection, forget_selection
from viz.address.selection import aligned_selection
from viz.frame.expander import fold
from viz.frame.figure import palette, show_figure
from viz.frame.unchanged import say_unchanged
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.pictures.panels import Panel, show_panels
from viz.run.axes import AttentionKind, attention_trace, axis_tokens
from viz.run.inputs import Inputs
from viz.run.requirements import all_of, running_again, translating
from viz.run.titles import axis_titles
from viz.run.view import View
from viz.subjects.variants import words
from viz.subjects.variants.cache import checkpoints_by_variant, deep_gradients
from viz.subjects.variants.figures import curves
from viz.subjects.variants.reading_ahead import OPEN, PAPER, reading_ahead
from viz.subjects.variants.report import choices_table, measured_line, written_list

URL = "variants"
NEEDS = all_of(translating, running_again)


@page_part
def render(view: View) -> None:
    """Show the text of each variant of the view's task, and the differences."""
    follow_selection(view.run, view.parcel.key, URL)
    say_unchanged(view)
    task, source = view.run.info.task, view.inputs.source
    names, first = checkpoints_by_variant(task), next(iter(TASKS))
    richest = checkpoints_by_variant(first) if len(names) < 2 else {}
    if is_offered := len(richest) > 1:
        task, names, source = first, richest, TASKS[first].examples[0]
    views = _open_views(view, task, names, source)
    written = {variant: each.run.text for variant, each in views.items()}
    said = words.answer(written) if len(written) > 1 else say("variants.only_one")
    st.html(tokens.question(say("variants.question"), explained(said)))
    if is_offered:
        _offer(task, source, next(iter(names.values())))
    if PAPER not in views:
        return
    with st.container(border=True, key="card_variants", gap="small"):
        scores = {variant: each.run.info.scores for variant, each in views.items()}
        st.html(written_list(written, scores))
        both = {name: scores[name] for name in (PAPER, OPEN) if name in views}
        if len(both) > 1 and (told := words.loss_and_right(both)):
            st.html(measured_line(told))
    with st.container(gap="xsmall"):
        taught = partial(_open_views, view, task, names, source, written[PAPER])
        fold(say("variants.heads_fold"), lambda: _show_heads(taught()), key="variants_heads")
        if OPEN in views:
            fold(say("variants.ahead_fold"), lambda: _show_ahead(taught()), key="variants_ahead")
        fold(say("variants.depth_fold"), _show_depth, key="variants_depth")
        fold(say("variants.choices_fold"), lambda: _show_choices(views), key="variants_differences")


def _open_views(
    view: View, task: str, names: Mapping[str, str], source: str, target: str = ""
) -> dict[str, View]:
    """Run each checkpoint of a task on a sentence, or on a target given to all of them.

    The checkpoint in view is not replaced by another of its variant.
    """
    own = view.run.info
    found: dict[str, View] = {}
    for variant, name in names.items():
        is_here = own.variant == variant and own.task == task
        checkpoint = view.inputs.checkpoint if is_here else name
        try:
            found[variant] = view.beside(Inputs(checkpoint, source, target, view.inputs.device))
        except ValueError:
            continue
    return found


def _offer(task: str, source: str, checkpoint: str) -> None:
    """Say which task replaces one that has a single variant, and offer it."""
    title = TASKS[task].title
    with st.container(horizontal=True, vertical_alignment="center", key="variants_offer"):
        st.html(tokens.note(say("variants.on_another_task", task=title, source=source)))
        st.button(
            say("variants.go_to", task=title),
            key="variants_other_task",
            on_click=_switch,
            args=(checkpoint, source),
        )


def _switch(checkpoint: str, source: str) -> None:
    """Put another task's checkpoint, and its first example, into the sidebar."""
    forget_selection()
    st.session_state.update(checkpoint=checkpoint, source=source, target="")


def _show_heads(taught: Mapping[str, View]) -> None:
    """Draw the head of each variant that attends to the correct source word most often."""
    panels: list[Panel] = []
    for variant, each in taught.items():
        chosen = aligned_selection(each.run)
        name = say_of("frame.variant", variant)
        panels.append(_panel(each, chosen.kind, chosen.layer, chosen.head, name))
    show_panels(panels, key="variants_best", width=300, height=320)


def _show_ahead(taught: Mapping[str, View]) -> None:
    """Draw the head that reads ahead most without a causal mask, beside that of the paper."""
    found = reading_ahead(taught[OPEN].run)
    st.html(tokens.note(words.ahead(found, taught[OPEN].run)))
    kind: AttentionKind = "decoder self-attention"
    panels = [
        _panel(taught[name], kind, found.layer, found.head, say_of("frame.variant", name))
        for name in (PAPER, OPEN)
    ]
    show_panels(panels, key="variants_ahead", width=300, height=320)


def _show_depth() -> None:
    """Draw the gradients of new deep models, with the norm last and first."""
    found = deep_gradients()
    st.html(tokens.note(words.depth(found)))
    lines = {say_of("variants.placement", name): g for name, g in found.items()}
    show_figure(
        curves(lines, palette=palette()), key="variants_depth_lines", alt=say("variants.gradient_y")
    )


def _show_choices(views: Mapping[str, View]) -> None:
    st.html(choices_table({variant: each.run.info for variant, each in views.items()}))


def _panel(view: View, kind: AttentionKind, layer: int, head: int, title: str) -> Panel:
    attention = attention_trace(view.run, kind, layer)
    weights = attention.weights[0, head].numpy()
    rows, columns = axis_tokens(view.run, kind)
    row_title, column_title = axis_titles(kind, view.parcel.languages)
    return Panel(
        title=title,
        note=say("variants.head", layer=layer, head=head),
        values=weights,
        scale="weights",
        group=kind,
        row_tokens=rows,
        column_tokens=columns,
        row_title=row_title,
        column_title=column_title,
        masked=~attention.mask[0].expand(weights.shape).numpy() & (weights == 0),
    )
