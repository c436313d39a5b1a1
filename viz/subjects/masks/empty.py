"""A row whose keys are all masked: what softmax makes of it, tried with a source of only <pad>."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float

from model.checkpoints.checkpoint import Checkpoint
from model.traces import present
from texts import say, say_of
from viz.pictures.numbers import number_text
from viz.run.record import AttentionKind, layer_count
from viz.subjects.masks.batch import LabBatch, make_batch
from viz.subjects.masks.effects import alone_differences
from viz.subjects.masks.lab import FILLS, LabRun, Switches, fill_name, run_lab

_ROUNDING = 1e-4
"""What float32 may differ by between a sentence in a batch and the same alone."""
_READS_SOURCE: tuple[AttentionKind, ...] = ("encoder self-attention", "cross-attention")
_ORDINARY, _EMPTY = 0, 1

Outcome = Literal["NaN", "uniform", "uneven"]


@dataclass(frozen=True, eq=False)
class EmptyRows:
    """What the rows of one kind of attention do where every key is `<pad>`."""

    kind: AttentionKind
    masked: bool
    """Whether the masks in force hide all keys from all these rows."""
    outcome: Outcome
    """Of the weights of all rows, heads and layers together."""
    first_row: Float[np.ndarray, " key"]
    """Weights of the first row of layer 0, head 0."""


@dataclass(frozen=True, eq=False)
class EmptySource:
    """One run of an ordinary sentence beside a source of only `<pad>`."""

    switches: Switches
    own: bool
    """Whether the switches are the variant's own."""
    rows: tuple[EmptyRows, ...]
    """Of encoder self-attention, then of cross-attention."""
    undefined_positions: int
    """Of the empty sentence: target positions with a logit that is NaN."""
    positions: int
    """Of the empty sentence: all target positions."""
    neighbour_difference: float
    """Largest logit difference of the ordinary sentence from its run alone."""

    @property
    def verdict(self) -> str:
        """Describe in plain words what happened. The words follow the numbers."""
        rows = " ".join(_rows_verdict(rows, self.switches.fill) for rows in self.rows)
        logits = say("masks.empty_logits")
        if self.undefined_positions:
            logits = say(
                "masks.empty_logits_nan", undefined=self.undefined_positions, count=self.positions
            )
        same = self.neighbour_difference < _ROUNDING
        difference = number_text(self.neighbour_difference)
        beside = say("masks.beside_same" if same else "masks.beside_differs", difference=difference)
        return f"{rows} {logits} {beside}"


def fully_masked_row(checkpoint: Checkpoint, text: str) -> tuple[EmptySource, ...]:
    """Run a text beside an empty source: as the variant does, then all masks on with each fill.

    The decoder reads the same target for both. Raises ValueError on a text that cannot be run.
    """
    own = Switches.of(checkpoint.info.config)
    batch = _with_empty_source(make_batch(checkpoint, (text, text)))
    tried = [(own, True), *((Switches(fill=fill), False) for fill in FILLS)]
    results: list[EmptySource] = []
    for switches, is_own in tried:
        run = run_lab(checkpoint, batch, switches)
        undefined = present(run.trace.logits)[_EMPTY].isnan().any(dim=-1)
        results.append(
            EmptySource(
                switches=switches,
                own=is_own,
                rows=tuple(_rows(run, kind) for kind in _READS_SOURCE),
                undefined_positions=int(undefined.sum()),
                positions=len(undefined),
                neighbour_difference=alone_differences(run)[_ORDINARY],
            )
        )
    return tuple(results)


def _with_empty_source(batch: LabBatch) -> LabBatch:
    """Put `<pad>` in place of the second of two equal sources."""
    ordinary = present(batch.source)[_ORDINARY]
    return replace(
        batch,
        source=torch.stack([ordinary, torch.full_like(ordinary, batch.pad_id)]),
        source_lengths=(len(ordinary), 0),
    )


def _rows(run: LabRun, kind: AttentionKind) -> EmptyRows:
    layers = range(layer_count(run.model.config, kind))
    weights = torch.stack([run.attention(kind, layer).weights[_EMPTY] for layer in layers])
    outcome: Outcome = "uneven"
    if weights.isnan().any():
        outcome = "NaN"
    elif (weights - 1 / weights.size(-1)).abs().max() < _ROUNDING:
        outcome = "uniform"
    return EmptyRows(
        kind=kind,
        masked=not run.masks[kind].combined[_EMPTY].any(),
        outcome=outcome,
        first_row=weights[0, 0, 0].cpu().numpy(),
    )


def _rows_verdict(rows: EmptyRows, fill: float) -> str:
    return say_of(
        "masks.empty_rows",
        f"{'masked' if rows.masked else 'open'}_{rows.outcome}",
        kind=say_of("masks.kind_begun", rows.kind),
        fill=fill_name(fill),
        keys=len(rows.first_row),
    )
