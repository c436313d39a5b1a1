"""Distances between the hidden states of two runs by stage, and where they first differ."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.traces import TransformerTrace
from viz.heads.text_alignment import Pairs
from viz.run.record import Run
from viz.subjects.compare.pairing import Pairing


@dataclass(frozen=True, eq=False)
class StageChange:
    """One stage of the model in two runs."""

    name: str
    """The name of the tensor in the trace."""
    side: str
    """encoder or decoder."""
    change: float
    """||x' - x|| / ||x|| over the positions that both have; NaN if there are none."""
    identical: bool
    """Whether all of them are equal bit for bit, and both runs have the same positions."""
    rows: Pairs
    by_position: Float[np.ndarray, " position"]
    """The same distance for each row; NaN without a partner."""


def stage_changes(a: Run, b: Run, pairing: Pairing) -> tuple[StageChange, ...]:
    """Compare the states of two runs of one model, in the order in which they are computed.

    Positions of the decoder are paired as its rows are.
    """
    kinds = a.anatomy.names
    encoder: Pairs = ()
    decoder: Pairs = ()
    if "encoder self-attention" in kinds:
        encoder, _ = pairing.axes("encoder self-attention", a, b)
    if "decoder self-attention" in kinds:
        decoder, _ = pairing.axes("decoder self-attention", a, b)
    found = []
    stages = zip(_stages(a.trace), _stages(b.trace), strict=True)
    for (name, side, ours), (_, _, theirs) in stages:
        rows = encoder if side == "encoder" else decoder
        found.append(_change(name, side, ours[0], theirs[0], rows))
    return tuple(found)


def first_to_differ(stages: tuple[StageChange, ...]) -> StageChange | None:
    """Return the first stage that differs between the runs; None if all are equal."""
    return next((stage for stage in stages if not stage.identical), None)


def _change(name: str, side: str, ours: Tensor, theirs: Tensor, rows: Pairs) -> StageChange:
    paired = [(i, j) for i, j in rows if i is not None and j is not None]
    x = ours[[i for i, _ in paired]]
    other = theirs[[j for _, j in paired]]
    difference = (other.double() - x.double()).norm(dim=-1)
    size = x.double().norm(dim=-1)
    by_position = np.full(len(rows), np.nan)
    by_position[[None not in pair for pair in rows]] = (difference / size).numpy()
    return StageChange(
        name=name,
        side=side,
        change=float(difference.norm() / size.norm()) if paired else float("nan"),
        identical=len(paired) == len(rows) and torch.equal(x, other),
        rows=rows,
        by_position=by_position,
    )


def _stages(trace: TransformerTrace) -> Iterator[tuple[str, str, Tensor]]:
    """Return the states between the sublayers by name, and the side of the model of each."""
    return ((name, side, state) for name, side, state in _all_stages(trace) if state is not None)


def _all_stages(trace: TransformerTrace) -> Iterator[tuple[str, str, Tensor | None]]:
    if trace.encoder:
        read = trace.source_embedding
        yield "source_embedding.output", "encoder", read and read.output
        for number, layer in enumerate(trace.encoder.layers):
            name = f"encoder.layers.{number}"
            yield f"{name}.after_self_attn", "encoder", layer.after_self_attn
            yield f"{name}.output", "encoder", layer.output
    if trace.decoder:
        read = trace.target_embedding
        yield "target_embedding.output", "decoder", read and read.output
        for number, layer in enumerate(trace.decoder.layers):
            name = f"decoder.layers.{number}"
            yield f"{name}.after_self_attn", "decoder", layer.after_self_attn
            yield f"{name}.after_cross_attn", "decoder", layer.after_cross_attn
            yield f"{name}.output", "decoder", layer.output
    yield "logits", "decoder" if trace.decoder else "encoder", trace.logits
