"""What was measured of the cuts, once for each run, and of the models."""

import streamlit as st

from model.attribution.cuts import Edge, How, Part
from model.attribution.patching import Patching, contest, patch
from model.text.encoding import Encoding
from sample_data.atlas_record import Atlas
from sample_data.tasks import TASKS
from texts import say
from viz.run import session
from viz.run.checkpoint_records import recorded_of
from viz.run.result_cache import cached
from viz.run.session import Stamp
from viz.run.view import View, per_view
from viz.subjects.mattered import damage
from viz.subjects.mattered.damage import (
    EdgeMap,
    Losses,
    edge_losses,
    edges_of,
    map_edges,
    measure_losses,
)
from viz.subjects.mattered.jobs import AT_ONCE, GONE_AFTER, Measurer
from viz.subjects.mattered.messages import ask_atlas, ask_edges
from viz.subjects.mattered.pairing import suggest
from viz.work.messages import Message
from viz.work.sessions import crew

LONGEST_PATCHED = 60
"""Tokens of a sentence that is patched; the time grows with its square."""


def has_average(view: View) -> bool:
    """Return whether there are other sentences to average over."""
    return view.run.info.task in TASKS and view.run.anatomy.translates


@per_view
def losses(view: View, how: How) -> Losses:
    """Cut each part of a run's model in turn, once."""
    name, device = view.inputs.checkpoint, view.inputs.device
    means = session.averages(session.stamp(name), device) if how == "mean" else None
    return measure_losses(view.run, view.model, how, means)


@per_view
def edge_maps(view: View, parts: tuple[Part, ...]) -> tuple[EdgeMap, ...]:
    """Cut each edge of attentions or heads, once."""
    cut = edges_of(view.run, parts)
    texts = view.run.source.ids, view.run.target_ids
    damages = edge_losses(view.model, *texts, cut, base=view.run.edits)
    return map_edges(view.run, cut, damages)


@per_view
def first_change(view: View, edge: Edge) -> tuple[str, str] | None:
    """Return the first word that changes without an edge, and what it becomes, once."""
    return damage.first_change(view.run, view.model, edge)


def edges_request(view: View, cut: tuple[Edge, ...]) -> Message:
    """Ask a process to cut edges."""
    checkpoint = session.stamp(view.inputs.checkpoint)
    return ask_edges(*checkpoint[:2], (view.run.source.ids, view.run.target_ids), cut)


def atlas_request(view: View) -> Message:
    """Ask a process for the atlas of a view's model."""
    return ask_atlas(*session.stamp(view.inputs.checkpoint)[:2])


def recorded_atlas(name: str) -> Atlas | None:
    """Return what was recorded of a checkpoint; None if of other weights, or broken."""
    return _recorded(session.stamp(name))


def without_changes(view: View) -> View:
    """Return the same run of the model as it is: what is compared is of no changed one."""
    return session.open_view(view.inputs.unchanged) if view.inputs.interventions else view


@per_view
def suggestion(view: View) -> str:
    """Find a sentence to compare with; empty where none is found."""
    inputs = view.inputs
    checkpoint = session.load_checkpoint(inputs.checkpoint, inputs.device)
    return suggest(checkpoint, view.run) or ""


def encoding_of(view: View, text: str) -> Encoding:
    """Encode another sentence. Raises ValueError where it is too long, or has no words."""
    encoding = view.run.info.tokenizers.encode_source(text)
    for ids in (encoding.ids, view.run.source.ids):
        if len(ids) > LONGEST_PATCHED:
            most = LONGEST_PATCHED
            raise ValueError(say("mattered.too_long_to_patch", most=most, count=len(ids)))
    if len(encoding.ids) == 1:
        raise ValueError(say("mattered.no_words"))
    return encoding


@per_view
def patching(view: View, text: str) -> Patching:
    """Patch every cell of a run into that of another sentence, once. Raises PatchingError."""
    which = contest(
        view.model,
        view.run.source.ids,
        encoding_of(view, text).ids,
        bos_id=view.run.target_ids[0],
        eos_id=view.run.info.tokenizers.target.specials.eos,
    )
    return patch(view.model, which)


@st.cache_resource(max_entries=1, show_spinner=False)
def measurer() -> Measurer:
    """Return the one that starts the measurements that take their time."""
    return Measurer(crew("measurements", AT_ONCE, GONE_AFTER))


@cached
def _recorded(checkpoint: Stamp) -> Atlas | None:
    return recorded_of(checkpoint, Atlas)
