"""The Attention page: what a word reads, in words, as a map of a head, and step by step."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from model.anatomy import Anatomy
from model.interventions.kinds import Intervention
from texts import say
from viz.address import history
from viz.address.address import page_part, put, said
from viz.address.link import follow_selection
from viz.address.selection import Selection
from viz.frame.expander import fold, open_fold
from viz.models.beside_page import send_opened
from viz.models.browser_inputs import model_of
from viz.pictures import tokens
from viz.run.axes import AttentionKind, attention_name
from viz.run.record import Run
from viz.run.redaction import Redaction
from viz.run.sending import are_tensors_sent, is_whole, send_head_tensors, send_whole_head
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.cache import head_damage, packed_head
from viz.subjects.attention.pictures import (
    HEADS,
    show_cell,
    show_head,
    show_heads,
    show_numbers,
    show_reading,
)
from viz.subjects.attention.scaling import is_divided
from viz.subjects.attention.sections.bertviz import show_bertviz
from viz.subjects.attention.sections.scaling import show_scaling
from viz.subjects.attention.sections.stages import show_stages
from viz.subjects.attention.sections.table import show_table
from viz.subjects.attention.wire import WireHeads, WireSwitch

URL = "attention"

_OLD = "below"
"""The parameter of old links, from when one fold was always open."""
_OPENED_BY = {
    "Stage by stage": "stages",
    "Every head in numbers": "heads",
    "BertViz": "bertviz",
}


@page_part
def render(view: View) -> None:
    """Show what the selected word reads: in words, as maps, and step by step.

    As a fragment, it redraws only the page, not the sidebar, when a cell or head is selected.
    """
    run, key = view.run, view.parcel.key
    _follow_old_link()
    selection = follow_selection(run, key, URL)
    _send_head(view, selection)
    heads = _heads_of(view)
    with st.container(key="opening", gap=None):
        st.html(tokens.question(words.question(run.anatomy)))
        show_reading(heads)
    _say_what_is_odd(run)
    with st.container(key="reading"), st.container(key="explorer"):
        with st.container(border=True, key="card_head", gap="xsmall"):
            show_head(key)
        with st.container(border=True, key="card_heads", gap="xsmall"):
            show_heads(heads, on_switch=partial(_switch_head, view))
        with st.container(key="cell", gap=None):
            with st.container(border=True, key="card_cell", gap="xsmall"):
                show_cell()
            numbers = partial(show_numbers, run, selection.kind, selection.layer)
            fold(say("attention.numbers"), numbers, key="numbers")
    with st.container(key="below"):
        _show_folds(view, selection)


def render_asked(view: View, cover: Redaction) -> None:
    """Show the subject of a question about this run: the thumbnails, or the map of one head."""
    follow_selection(view.run, view.parcel.key, URL)
    with st.container(key="asked", gap="small"):
        if cover.takes == "head":
            show_heads({"run": view.parcel.key, "off": [], "damage": {}}, on_switch=_switch_nothing)
        else:
            show_head(view.parcel.key)


def _switch_nothing() -> None:
    """Ignore clicks on the switches while a question is open."""


def _send_head(view: View, selection: Selection) -> None:
    """Send the weights and the tensors of the selected head, unless the browser has them.

    A page that runs the model itself has the parameters, and it has the tensors if they were sent
    with the run. A recorded model has no known parameters. While a reader types, the page's worker
    supplies the parameters of a head if it has them.
    """
    run, key = view.run, view.parcel.key
    place = (selection.kind, selection.layer, selection.head)
    if not is_whole(view.parcel, selection.kind):
        send_whole_head(run, key, *place)
    has_parameters = run.anatomy.is_recorded or model_of(view) is not None
    if not (are_tensors_sent(view.parcel) and has_parameters):
        send_head_tensors(key, *place, packed_head(view, *place))
    send_opened(view)


def _follow_old_link() -> None:
    """Open the fold that an old link names, and rewrite the link in the current form."""
    if (asked := said(_OLD)) is not None:
        put(_OLD, None)
        if asked in _OPENED_BY:
            open_fold(_OPENED_BY[asked])


def _show_folds(view: View, selection: Selection) -> None:
    fold(say("attention.stages"), partial(show_stages, view, selection), key="stages")
    if is_divided(view.run):
        fold(say("attention.scaling"), partial(show_scaling, view, selection), key="scaling")
    fold(say("attention.table"), partial(show_table, view), key="heads")
    fold(say("attention.bertviz"), partial(show_bertviz, view, selection), key="bertviz")


def _heads_of(view: View) -> WireHeads:
    off = heads_off(view.run.anatomy, view.inputs.interventions)
    heads: WireHeads = {
        "run": view.parcel.key,
        "off": [f"{kind} {layer} {head}" for kind, layer, head in off],
        "damage": head_damage(view),
    }
    if view.run.anatomy.is_recorded:
        heads["fixed"] = True
    return heads


def _switch_head(view: View) -> None:
    """Switch a head off, or on again: ablate it, or restore it."""
    asked: WireSwitch = st.session_state[HEADS]["switch"]
    place = (asked["kind"], asked["layer"], asked["head"])
    off = heads_off(view.run.anatomy, view.inputs.interventions)
    made = tuple(
        one for one in view.inputs.interventions if heads_off(view.run.anatomy, (one,)) == [place]
    )
    history.exchange(made, () if place in off else (head_off(*place),), view.inputs)


def head_off(kind: AttentionKind, layer: int, head: int) -> Intervention:
    """Make the change that switches a head off: its input to the output projection becomes 0."""
    name = attention_name(kind, layer).replace(".weights", ".heads")
    return Intervention("zero", name, head=head)


def heads_off(
    anatomy: Anatomy, made: Iterable[Intervention]
) -> list[tuple[AttentionKind, int, int]]:
    """List the heads set to zeros or to their mean, by kind, layer and number."""
    changed = {
        (one.name, one.head) for one in made if one.kind in ("zero", "mean") and not one.anchored
    }
    return [
        (site.name, layer, head)
        for site in anatomy.sites
        for layer in range(site.layers)
        for head in range(site.heads)
        if (f"{site.path(layer)}.heads", head) in changed
    ]


def _say_what_is_odd(run: Run) -> None:
    if not run.steps:
        return
    if run.anatomy.translates and not run.info.config.causal_mask:
        st.html(tokens.note(say("attention.no_causal_mask")))
    if run.given or run.finished:
        return
    known = run.info.tokenizers.target
    if not known.specials.ends:
        return
    end = known.token(known.specials.ends[0])
    if run.anatomy.translates:
        st.html(tokens.note(say("attention.stopped_early", count=len(run.steps), end=end)))
    else:
        st.html(
            tokens.note(say("attention.would_go_on", count=len(run.steps) - run.n_prompt, end=end))
        )
