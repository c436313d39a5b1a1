"""The effect of masks on the output: two runs of a padded batch compared."""

from dataclasses import dataclass

import torch
from torch import Tensor

from model.traces import present
from viz.subjects.masks.lab import LabRun


@dataclass(frozen=True)
class SentenceChange:
    """How the output for one sentence differs between two runs."""

    logit_difference: float
    """The largest difference at its real positions; NaN if a run gave NaN."""
    positions: int
    changed: tuple[tuple[str, str], ...]
    """The rows whose most probable token changed: both tokens."""


def compare(baseline: LabRun, changed: LabRun) -> tuple[SentenceChange, ...]:
    """Return how the output of each sentence changed; nothing if the model predicts nothing.

    Raises ValueError on runs of two batches.
    """
    for ids, others in zip(_ids(baseline), _ids(changed), strict=True):
        if not torch.equal(ids, others):
            raise ValueError("both runs must be of the same batch, got two")
    if changed.trace.logits is None:
        return ()
    name = changed.batch.tokenizers.target.token
    changes: list[SentenceChange] = []
    for sentence, length in enumerate(baseline.batch.lengths):
        before, after = (
            present(run.trace.logits)[sentence, :length] for run in (baseline, changed)
        )
        best = zip(before.argmax(dim=-1).tolist(), after.argmax(dim=-1).tolist(), strict=True)
        changes.append(
            SentenceChange(
                logit_difference=(after - before).abs().max().item(),
                positions=length,
                changed=tuple((name(old), name(new)) for old, new in best if old != new),
            )
        )
    return tuple(changes)


def _ids(run: LabRun) -> tuple[Tensor, ...]:
    batch = run.batch
    return tuple(ids for ids in (batch.source, batch.target, batch.written) if ids is not None)
