"""Numbers of a run that only lessons ask for."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.anatomy import attention_in
from model.checkpoints.checkpoint import Checkpoint
from model.decoding.greedy import sample
from model.edits import NO_EDITS, Edits
from model.traces import TransformerTrace, present
from model.transformer import Transformer
from viz.run.axes import AttentionKind, layer_count

Weights = Float[Tensor, "layer head row key"]
DEPTHS = ("embedding", "layer 0", "layer 1")
"""The depths of a decoder with two layers, named as on the page of decoding."""
SHARP = 0.99
"""A row is sharp if it gives one token more than this."""


def draw(
    checkpoint: Checkpoint, source: Sequence[int], temperature: float, seed: int
) -> tuple[int, ...]:
    """Return the ids of one sample, `</s>` included."""
    steps = sample(checkpoint.model, torch.tensor([source]), temperature=temperature, seed=seed)
    return tuple(step.token for step in steps)


def loss_of(
    checkpoint: Checkpoint, source: Sequence[int], target: Sequence[int], edits: Edits = NO_EDITS
) -> float:
    """Return the mean negative log-probability of a target without `<s>`, in nats per token.

    The target ends with `</s>`. The model gets all of it at once, as in training, so without a
    causal mask a row sees the token that it predicts.
    """
    with torch.inference_mode():
        given = torch.tensor([[1, *target[:-1]]])
        trace = checkpoint.model(torch.tensor([source]), given, edits=edits)
    found = present(trace.logits)[0].double().log_softmax(dim=-1)
    return -float(found.gather(1, torch.tensor(target)[:, None]).mean())


def weights_of_kind(
    checkpoint: Checkpoint, trace: TransformerTrace, kind: AttentionKind
) -> Weights:
    """Return the weights of all heads of a kind of attention."""
    layers = range(layer_count(checkpoint.info.config, kind))
    return torch.cat([attention_in(trace, kind, n).weights for n in layers]).double()


def sharp_share(weights: Weights) -> float:
    """Return the share of rows that give one token nearly all of their weight."""
    return float((weights.amax(dim=-1) > SHARP).double().mean())


def mean_gradient(weights: Weights) -> float:
    """Return how much the weights of a row change with its scores, on average.

    This is the trace of the softmax's Jacobian: 1 minus the sum of the squared weights.
    """
    return float((1 - (weights * weights).sum(dim=-1)).mean())


def mean_entropy(weights: Weights) -> float:
    """Return the mean entropy of the rows, in nats."""
    return float(torch.special.entr(weights).sum(dim=-1).mean())


@torch.inference_mode()
def choices_by_depth(model: Transformer, trace: TransformerTrace) -> Int[Tensor, "depth row"]:
    """Return the token that each depth would write if it were the last one (logit lens)."""
    decoder = present(trace.decoder)
    states: list[Float[Tensor, "batch row d_model"]] = [decoder.layers[0].input]
    states += [layer.output for layer in decoder.layers]
    each = [model.generate(present(model.decoder).finish(state))[0] for state in states]
    return torch.cat(each).argmax(dim=-1)
