"""How what a row writes answers to a change of the source's embeddings: gradients times input.

Plain, in the model made linear (Ali et al. 2022, 2202.07304), and integrated (Sundararajan et al.
2017, 1703.01365). What is attributed is the embedding of each token; its position stays as it is.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.edits import Edit
from model.norms import RootMeanSquareNorm, UnbiasedStdNorm
from model.parts import norm_bias, norm_scale, through_norm
from model.passes import TOKENS, Pass
from model.traces import tensor_names
from model.transformer import Transformer

_Measure = Callable[[Tensor, dict[str, Edit]], Tensor]
"""Sources and edits in, a number for each source and row out."""

STEPS = 64
"""Points on the way of integrated gradients. With 16 the sum may miss by whole nats."""


@dataclass(frozen=True, eq=False)
class Integrated:
    """Integrated gradients of some rows, and what they should sum to."""

    values: Float[Tensor, "row source"]
    """In nats of the log-probability of the token that the row writes."""
    difference: Float[Tensor, " row"]
    """That log-probability, less the one with the baseline in place of the source."""
    steps: int

    @property
    def error(self) -> Float[Tensor, " row"]:
        """Give what the sum has too much, in nats: with steps enough it is near 0."""
        return self.values.sum(dim=-1) - self.difference


def gradient_times_input(asked: Pass) -> Float[Tensor, "row source"]:
    """Multiply the gradient of each row's log-probability with the embeddings of the source."""
    return _at_input(asked, asked.log_probabilities)


def linear_gradient_times_input(asked: Pass) -> Float[Tensor, "row source"]:
    """Multiply gradient and input where weights of attention and scales of norms are held.

    The gates of the feed-forward networks are so anyway. The model is then linear, and each number
    is what the embedding adds to the logit, less the mean of all logits of its row.
    """
    held = replace(asked, model=with_held_norms(asked.model))
    weights: dict[str, Edit] = {
        name: Tensor.detach
        for name in tensor_names(asked.model.config)
        if name.endswith("attn.weights")
    }
    return _at_input(asked, lambda sources, edits: held.logits_above_mean(sources, edits | weights))


def integrated_gradients(
    asked: Pass, *, baseline: Float[Tensor, "#source d_model"] | None = None, steps: int = STEPS
) -> Integrated:
    """Average the gradient on the straight way from a baseline, by the midpoint rule.

    The baseline is embeddings in place of the source's: zeros where none is given. Raises
    ValueError on less than one step.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    tokens = asked.embedded()
    start = (torch.zeros_like(tokens) if baseline is None else baseline).expand_as(tokens)
    shares = (torch.arange(steps, device=tokens.device) + 0.5) / steps
    way = start + shares[:, None, None] * (tokens - start)
    count = len(asked.rows)
    rows = torch.arange(count, device=tokens.device).repeat_interleave(steps)
    gradients = _gradients(asked, way.repeat(count, 1, 1), rows, asked.log_probabilities)
    values = gradients.unflatten(0, (count, steps)).mean(dim=1) * (tokens - start)
    with torch.no_grad():
        ends = torch.stack([tokens, start])
        after, before = asked.log_probabilities(
            asked.source.expand(2, -1), {TOKENS: lambda _: ends}
        )
    return Integrated(values.sum(dim=-1), after - before, steps)


def integrate_closely(asked: Pass, *, close: float, most_steps: int) -> Integrated:
    """Double the steps of integrated gradients until the sums miss by no more than `close` nats.

    Or until there are `most_steps`: `error` says by how much they miss.
    """
    steps = STEPS
    while True:
        found = integrated_gradients(asked, steps=steps)
        if found.error.abs().max() <= close or 2 * steps > most_steps:
            return found
        steps *= 2


def with_held_norms(model: Transformer) -> Transformer:
    """Give a model of the same parameters in whose gradients the scale of each norm is constant."""
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    held = copy.deepcopy(model, shared)
    stacks = [stack for stack in (held.encoder, held.decoder) if stack is not None]
    for module in (*stacks, *(layer for stack in stacks for layer in stack.layers)):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.LayerNorm | UnbiasedStdNorm | RootMeanSquareNorm):
                setattr(module, name, _HeldNorm(child))
    return held


class _HeldNorm(nn.Module):
    """A norm that gives what it always gives, with its scale left out of the gradient."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes d_model"]:
        held = norm_scale(self.norm, x).detach()
        return through_norm(self.norm, x, held) + norm_bias(self.norm, x)


def _at_input(asked: Pass, measure: _Measure) -> Float[Tensor, "row source"]:
    tokens = asked.embedded()
    rows = torch.arange(len(asked.rows), device=tokens.device)
    gradients = _gradients(asked, tokens.expand(len(rows), -1, -1), rows, measure)
    return (gradients * tokens).sum(dim=-1)


@torch.enable_grad()
def _gradients(
    asked: Pass,
    points: Float[Tensor, "point source d_model"],
    rows: Int[Tensor, " point"],
    measure: _Measure,
) -> Float[Tensor, "point source d_model"]:
    """Differentiate at each point what one row measures, a few sentences at a time."""
    most = asked.most_at_once
    found: list[Float[Tensor, "some source d_model"]] = []
    for some, their_rows in zip(points.split(most), rows.split(most), strict=True):
        leaf = some.detach().clone().requires_grad_()
        put: dict[str, Edit] = {TOKENS: lambda _, leaf=leaf: leaf}
        measured = measure(asked.source.expand(len(leaf), -1), put)
        mine = measured.gather(1, their_rows[:, None]).sum()
        found.append(torch.autograd.grad(mine, leaf)[0])
    return torch.cat(found)
