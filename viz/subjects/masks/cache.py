"""Batches of the mask laboratory and their runs, computed once for each choice."""

import streamlit as st

from model.presets import PRESETS
from viz.run import session
from viz.run.view import Inputs
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.empty import EmptySource, fully_masked_row
from viz.subjects.masks.lab import LabRun, Switches, fill_name, run_lab


def mask_batch(name: str, texts: tuple[str, ...], device: str) -> LabBatch:
    """Pad sentences into a batch, once. Raises ValueError on one that cannot be run."""
    return _mask_batch(name, session.written(name), texts, device)


def mask_run(inputs: Inputs, texts: tuple[str, ...], switches: Switches) -> LabRun:
    """Run a batch of the mask laboratory under some switches, once."""
    name = inputs.checkpoint
    return _mask_run(name, session.written(name), texts, switches, inputs.device)


def empty_sources(inputs: Inputs, *, every: bool) -> tuple[tuple[str, EmptySource], ...]:
    """Try a source of only padding: in this checkpoint with each fill, or in each variant."""
    name = inputs.checkpoint
    if not every:
        found = _empty_source(name, session.written(name), inputs.source, inputs.device)
        names = ("own masks", *(f"all masks on, {fill_name(r.switches.fill)}" for r in found[1:]))
        return tuple(zip(names, found, strict=True))
    task = session.read_info(name).task
    infos = {name: session.read_info(name) for name in session.checkpoint_names()}
    first = {i.variant: name for name, i in reversed(infos.items()) if i.task == task}
    return tuple(
        (variant, _own_empty_source(first[variant], inputs.source, inputs.device))
        for variant in sorted(first, key=[*PRESETS, "custom"].index)
    )


def _own_empty_source(name: str, text: str, device: str) -> EmptySource:
    return _empty_source(name, session.written(name), text, device)[0]


@st.cache_resource(max_entries=32, show_spinner=False)
def _mask_batch(
    name: str,
    written: int,  # noqa: ARG001 - part of the cache's key
    texts: tuple[str, ...],
    device: str,
) -> LabBatch:
    return make_batch(session.load_checkpoint(name, device), texts, device=device)


@st.cache_resource(max_entries=32, show_spinner=False)
def _mask_run(
    name: str, written: int, texts: tuple[str, ...], switches: Switches, device: str
) -> LabRun:
    batch = _mask_batch(name, written, texts, device)
    return run_lab(session.load_checkpoint(name, device), batch, switches)


@st.cache_resource(max_entries=32, show_spinner=False)
def _empty_source(
    name: str,
    written: int,  # noqa: ARG001 - part of the cache's key
    text: str,
    device: str,
) -> tuple[EmptySource, ...]:
    return fully_masked_row(session.load_checkpoint(name, device), text, device=device)
