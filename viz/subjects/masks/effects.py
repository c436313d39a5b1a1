"""What the masks do to the output: two runs of a padded batch compared, and each sentence alone."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.decoding.distribution import log_softmax
from model.text.words import Words
from model.traces import present
from viz.subjects.masks.lab import LabRun, masked_forward


@dataclass(frozen=True)
class Prediction:
    """What one run says at one position of the target."""

    id: int | None
    """Of the most probable token; None where the logits are NaN."""
    token: str | None


@dataclass(frozen=True)
class Position:
    """One real position of the target in both runs."""

    written: str
    """The token that the model wrote there for the sentence alone."""
    before: Prediction
    after: Prediction

    @property
    def changed(self) -> bool:
        """Whether another token is the most probable now."""
        return self.before.id != self.after.id


@dataclass(frozen=True)
class SentenceChange:
    """How the output for one sentence differs between two runs; NaN where a run gave NaN."""

    logit_difference: float
    """Largest of its real positions."""
    positions: tuple[Position, ...]
    loss_before: float
    """Teacher-forced: mean nats of a real token."""
    loss_after: float
    alone_after: float
    """See `alone_differences`, of the run after."""

    @property
    def changed_tokens(self) -> int:
        """Count the positions at which another token is the most probable now."""
        return sum(position.changed for position in self.positions)


def compare(baseline: LabRun, changed: LabRun) -> tuple[SentenceChange, ...]:
    """Return for each sentence how its output changed. Raises ValueError on runs of two batches.

    Empty where the model predicts nothing.
    """
    for ids, others in zip(_ids(baseline), _ids(changed), strict=True):
        if not torch.equal(ids, others):
            raise ValueError("both runs must be of one batch, got two")
    if changed.trace.logits is None:
        return ()
    tokenizer = changed.batch.tokenizers.target
    alone_after = alone_differences(changed)
    changes: list[SentenceChange] = []
    for sentence, written in enumerate(baseline.batch.written):
        real = slice(0, baseline.batch.lengths[sentence])
        before = present(baseline.trace.logits)[sentence, real]
        after = present(changed.trace.logits)[sentence, real]
        names = tokenizer.tokens(written[real].tolist())
        predictions = (_predictions(rows, tokenizer) for rows in (before, after))
        changes.append(
            SentenceChange(
                logit_difference=(after - before).abs().max().item(),
                positions=tuple(map(Position, names, *predictions)),
                loss_before=_loss(before, written[real]),
                loss_after=_loss(after, written[real]),
                alone_after=alone_after[sentence],
            )
        )
    return tuple(changes)


def alone_differences(run: LabRun) -> tuple[float, ...]:
    """Largest logit difference of each sentence from its own run without any padding.

    Both have the same switches: what differs is the padding, which must not matter.
    """
    differences: list[float] = []
    for sentence, length in enumerate(run.batch.lengths):
        trace = masked_forward(run.model, run.batch.alone(sentence), run.switches, run.kinds)
        alone = present(trace.logits)[0]
        padded = present(run.trace.logits)[sentence, :length]
        differences.append((padded - alone).abs().max().item())
    return tuple(differences)


def _ids(run: LabRun) -> tuple[Tensor, ...]:
    batch = run.batch
    return tuple(ids for ids in (batch.source, batch.target, batch.written) if ids is not None)


def _predictions(
    logits: Float[Tensor, "target target_vocab"], tokenizer: Words
) -> tuple[Prediction, ...]:
    best = logits.argmax(dim=-1).tolist()
    undefined = logits.isnan().any(dim=-1).tolist()
    return tuple(
        Prediction(None, None) if nan else Prediction(id, tokenizer.token(id))
        for id, nan in zip(best, undefined, strict=True)
    )


def _loss(logits: Float[Tensor, "target target_vocab"], written: Tensor) -> float:
    return -log_softmax(logits).gather(-1, written.unsqueeze(-1)).mean().item()
