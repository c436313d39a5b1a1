"""Numbers of a run that lessons ask for and that no page keeps by itself."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.checkpoints.checkpoint import Checkpoint
from model.decoding.greedy import sample
from model.edits import NO_EDITS, Edits
from model.traces import TransformerTrace, present
from model.transformer import Transformer
from viz.run.record import AttentionKind, attention_in, layer_count

DEPTHS = ("embedding", "layer 0", "layer 1")
"""Of the decoders with two layers that lessons ask about, as the page of decoding names them."""
SHARP = 0.9
"""A row that gives one token more is sharp."""


def draw(
    checkpoint: Checkpoint, source: Sequence[int], temperature: float, seed: int
) -> tuple[int, ...]:
    """Return the ids of one sample, `</s>` included."""
    steps = sample(checkpoint.model, torch.tensor([source]), temperature=temperature, seed=seed)
    return tuple(step.token for step in steps)


def loss_of(
    checkpoint: Checkpoint, source: Sequence[int], target: Sequence[int], edits: Edits = NO_EDITS
) -> float:
    """Return the mean negative log-probability of a target without `<s>`, in nats a token.

    The whole target is there at once, as in training: without a causal mask a row sees the token
    that it predicts. The target has its `</s>`.
    """
    with torch.inference_mode():
        given = torch.tensor([[1, *target[:-1]]])
        trace = checkpoint.model(torch.tensor([source]), given, edits=edits)
    found = present(trace.logits)[0].double().log_softmax(dim=-1)
    return -float(found.gather(1, torch.tensor(target)[:, None]).mean())


def sharp_rows(
    checkpoint: Checkpoint, trace: TransformerTrace, kind: AttentionKind
) -> Bool[Tensor, " row"]:
    """Return for each row of all heads of a kind whether one token has nearly all of its weight."""
    layers = range(layer_count(checkpoint.info.config, kind))
    each = [attention_in(trace, kind, layer).weights.amax(dim=-1) > SHARP for layer in layers]
    return torch.cat(each).flatten()


def mean_entropy(checkpoint: Checkpoint, trace: TransformerTrace, kind: AttentionKind) -> float:
    """Return the mean entropy of all rows of all heads of a kind, in bits."""
    layers = range(layer_count(checkpoint.info.config, kind))
    weights = torch.cat([attention_in(trace, kind, n).weights for n in layers]).double()
    bits = torch.special.entr(weights).sum(dim=-1) / math.log(2)
    return float(bits.mean())


@torch.inference_mode()
def choices_by_depth(model: Transformer, trace: TransformerTrace) -> Int[Tensor, "depth row"]:
    """Return the token that each depth would write if it were the last (logit lens)."""
    decoder = present(trace.decoder)
    states: list[Float[Tensor, "batch row d_model"]] = [decoder.layers[0].input]
    states += [layer.output for layer in decoder.layers]
    each = [model.generate(present(model.decoder).finish(state))[0] for state in states]
    return torch.cat(each).argmax(dim=-1)
