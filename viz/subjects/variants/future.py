"""No causal mask: a decoder that reads the token it is to predict (section 3.2.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.checkpoints.checkpoint import Checkpoint
from model.edits import NO_EDITS, Edits
from model.masks import causal_mask
from model.transformer import Transformer
from viz.subjects.variants.material import Material, score_pairs, source_ids, target_ids, write

_SENTENCES = 32


@dataclass(frozen=True)
class Reading:
    """One checkpoint, as it is or with a causal mask imposed."""

    name: str
    """Of its variant."""
    loss: float
    """Nats a token, given the right tokens."""
    accuracy: float
    """Share of the tokens that are right, given the right ones."""
    written: str
    """For the source in view, on its own."""
    exact_match: float | None
    """Share of the held-out sentences that it writes without a fault; None where not measured."""
    imposed: bool = False
    """Whether a causal mask was imposed on it."""


@dataclass(frozen=True, eq=False)
class Future:
    """What a checkpoint reads of later tokens, and what it can do without them."""

    own: Reading
    masked: Reading
    """The same weights under an imposed causal mask."""
    paper: Reading
    later: Float[np.ndarray, "layer head"]
    """Share of a row's weight that falls on later tokens, mean of the rows that have such."""
    following: Float[np.ndarray, "layer head"]
    """Share of a row's weight on the very next token, which the row is to predict."""


def impose_causal_mask(model: Transformer) -> Edits:
    """Make edits that hide later tokens in every layer of decoder self-attention."""

    def hide_later(mask: Tensor) -> Tensor:
        rows, keys = mask.shape[-2:]
        return mask & causal_mask(rows, past=keys - rows, device=mask.device)

    layers = range(model.config.n_decoder_layers)
    return Edits({f"decoder.layers.{layer}.self_attn.mask": hide_later for layer in layers})


def read_future(material: Material, variant: str = "headlist") -> Future:
    """Measure a variant as it is and under a causal mask, beside the paper's."""
    checkpoint, paper = material.checkpoints[variant], material.checkpoints["paper"]
    later, following = _weight_ahead(checkpoint, material.pairs[:_SENTENCES])
    imposed = impose_causal_mask(checkpoint.model)
    return Future(
        own=_read(variant, checkpoint, material),
        masked=_read(variant, checkpoint, material, imposed),
        paper=_read("paper", paper, material),
        later=later,
        following=following,
    )


def _read(
    name: str, checkpoint: Checkpoint, material: Material, edits: Edits = NO_EDITS
) -> Reading:
    scores = score_pairs(checkpoint, material.pairs[:_SENTENCES], edits)
    measured = edits is NO_EDITS
    return Reading(
        name=name,
        loss=scores.loss,
        accuracy=scores.accuracy,
        written=write(checkpoint, source_ids(checkpoint, material.text), edits),
        exact_match=checkpoint.info.scores.get("exact_match") if measured else None,
        imposed=not measured,
    )


@torch.inference_mode()
def _weight_ahead(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> tuple[Float[np.ndarray, "layer head"], Float[np.ndarray, "layer head"]]:
    """Mean weight on all later tokens, and on the next one, of the rows that have a next one."""
    rows = 0
    later = following = torch.zeros(())
    for source, target in pairs:
        ids = target_ids(checkpoint, target)
        trace = checkpoint.model(source_ids(checkpoint, source), ids[:, :-1])
        weights = torch.stack([layer.self_attn.weights[0] for layer in trace.decoder.layers])
        weights = weights.double().cpu()
        later = later + weights.triu(diagonal=1).sum(dim=(-2, -1))
        following = following + weights.diagonal(offset=1, dim1=-2, dim2=-1).sum(dim=-1)
        rows += weights.size(-2) - 1
    return (later / rows).numpy(), (following / rows).numpy()
