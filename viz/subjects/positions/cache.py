"""Reruns with changed positions, once for each choice; and checkpoints with learned positions."""

import streamlit as st

from model.checkpoint import CheckpointError
from viz.run import session
from viz.run.view import Inputs, View
from viz.subjects.positions.lengths import Text
from viz.subjects.positions.reruns import Change, Rerun, Where, order_gap, rerun
from viz.subjects.positions.table import PositionTable


def changed_run(view: View, change: Change, where: Where, seed: int) -> Rerun:
    """Run the view's sentence with changed positions."""
    return _changed_run(view.inputs, view.parcel.key, change, where, seed)


def order_gaps(view: View, seed: int) -> tuple[float, float]:
    """Measure how far the encoder tells a shuffled source: with its positions, and without."""
    return _order_gaps(view.inputs, view.parcel.key, seed)


def learned_checkpoints() -> tuple[str, ...]:
    """List the checkpoints whose positions were learned; broken ones are left out."""
    found: list[str] = []
    for name in session.checkpoint_names():
        try:
            kind = session.read_info(name).config.positions
        except CheckpointError:
            continue
        if kind == "learned":
            found.append(name)
    return tuple(found)


def learned_table(name: str, device: str, text: Text) -> PositionTable:
    """Take the learned positions of one side. Raises CheckpointError on a broken checkpoint."""
    model = session.load_checkpoint(name, device).model
    embedding = model.source_embedding if text == "source" else model.target_embedding
    if embedding.learned is None:
        raise ValueError(f"the positions of {name} are not learned")
    return PositionTable("learned", embedding.learned.weight.detach().cpu().double().numpy())


@st.cache_resource(max_entries=32, show_spinner=False)
def _changed_run(
    inputs: Inputs,
    run_key: str,  # noqa: ARG001 - part of the cache's key: names the checkpoint's version
    change: Change,
    where: Where,
    seed: int,
) -> Rerun:
    view = session.open_view(Inputs(*inputs))
    return rerun(view.run, view.model, change, where, seed)


@st.cache_resource(max_entries=32, show_spinner=False)
def _order_gaps(
    inputs: Inputs,
    run_key: str,  # noqa: ARG001
    seed: int,
) -> tuple[float, float]:
    view = session.open_view(Inputs(*inputs))
    with_positions = order_gap(view.run, view.model, seed, zeroed=False)
    return with_positions, order_gap(view.run, view.model, seed, zeroed=True)
