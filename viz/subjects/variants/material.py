"""What the demonstrations measure: one checkpoint of each variant, a text, and pairs of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.checkpoints.checkpoint import Checkpoint
from model.decoding.distribution import log_softmax
from model.decoding.greedy import greedy
from model.edits import NO_EDITS, Edits

MAX_WRITTEN_TOKENS = 40
"""A model that cannot end is stopped here."""


@dataclass(frozen=True, eq=False)
class Material:
    """What the demonstrations are given."""

    checkpoints: Mapping[str, Checkpoint]
    """By variant, all of one task."""
    text: str
    """The source in view."""
    pairs: Sequence[tuple[str, str]]
    """Sources with their right targets, none of which was trained on."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What a model says of each token of right targets, each row given the tokens before it."""

    losses: Float[Tensor, " token"]
    """In nats."""
    right: Bool[Tensor, " token"]
    """Whether the right token is the most probable."""

    @property
    def loss(self) -> float:
        """Mean of the tokens."""
        return self.losses.mean().item()

    @property
    def accuracy(self) -> float:
        """Share of the tokens that are right."""
        return self.right.double().mean().item()


def source_ids(checkpoint: Checkpoint, text: str) -> Int[Tensor, "1 source"]:
    """Encode a source for the model's device."""
    ids = checkpoint.info.tokenizers.encode_source(text).ids
    return torch.tensor([ids], device=checkpoint.model.device)


def target_ids(checkpoint: Checkpoint, text: str) -> Int[Tensor, "1 target"]:
    """Encode a target, from `<s>` to `</s>`, for the model's device."""
    ids = checkpoint.info.tokenizers.encode_target(text).ids
    return torch.tensor([ids], device=checkpoint.model.device)


@torch.inference_mode()
def score_pairs(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], edits: Edits = NO_EDITS
) -> Scores:
    """Force the right target of each pair on a model, as in training.

    One pair at a time: nothing is padded.
    """
    losses: list[Tensor] = []
    right: list[Tensor] = []
    for source, text in pairs:
        target = target_ids(checkpoint, text)
        logits = checkpoint.model(
            source_ids(checkpoint, source), target[:, :-1], edits=edits
        ).logits
        following = target[:, 1:]
        losses.append(-log_softmax(logits).gather(-1, following.unsqueeze(-1)).flatten().cpu())
        right.append((logits.argmax(dim=-1) == following).flatten().cpu())
    return Scores(torch.cat(losses), torch.cat(right))


def write(checkpoint: Checkpoint, source: Int[Tensor, "1 source"], edits: Edits = NO_EDITS) -> str:
    """Let a model write, greedily."""
    steps = greedy(checkpoint.model, source, max_length=MAX_WRITTEN_TOKENS, edits=edits)
    return checkpoint.info.tokenizers.target.decode([step.token for step in steps])
