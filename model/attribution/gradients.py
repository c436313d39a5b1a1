"""Gradient times input: how the token that a row writes depends on the source's embeddings.

The gradients are plain or integrated (Sundararajan et al. 2017, 1703.01365). They attribute to the
embedding of each token, not to its position.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.attribution.passes import Pass
from model.edits import Edit

STEPS = 64
"""The number of points of integrated gradients. With 16, the sum may be off by whole nats."""


@dataclass(frozen=True, eq=False)
class Integrated:
    """The integrated gradients of some rows, and the sums that they should have."""

    values: Float[Tensor, "row source"]
    """The attributions, in nats of the log-probability of the token that the row writes."""
    difference: Float[Tensor, " row"]
    """That log-probability minus the one for the baseline instead of the source."""
    steps: int

    @property
    def error(self) -> Float[Tensor, " row"]:
        """Return the excess of the sum, in nats, which is near 0 with enough steps."""
        return self.values.sum(dim=-1) - self.difference


def gradient_times_input(asked: Pass) -> Float[Tensor, "row source"]:
    """Multiply the gradient of each row's log-probability by the embeddings of the source."""
    tokens = asked.embedded()
    rows = torch.arange(len(asked.rows), device=tokens.device)
    gradients = _gradients(asked, tokens.expand(len(rows), -1, -1), rows)
    return (gradients * tokens).sum(dim=-1)


def integrated_gradients(
    asked: Pass, *, baseline: Float[Tensor, "#source d_model"] | None = None, steps: int = STEPS
) -> Integrated:
    """Average the gradient along the straight line from a baseline, by the midpoint rule.

    The baseline replaces the source's embeddings; by default it is zero. Raises ValueError if
    there is less than one step.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    tokens = asked.embedded()
    start = (torch.zeros_like(tokens) if baseline is None else baseline).expand_as(tokens)
    shares = (torch.arange(steps, device=tokens.device) + 0.5) / steps
    way = start + shares[:, None, None] * (tokens - start)
    count = len(asked.rows)
    rows = torch.arange(count, device=tokens.device).repeat_interleave(steps)
    gradients = _gradients(asked, way.repeat(count, 1, 1), rows)
    values = gradients.unflatten(0, (count, steps)).mean(dim=1) * (tokens - start)
    with torch.no_grad():
        ends = torch.stack([tokens, start])
        after, before = asked.log_probabilities(
            asked.source.expand(2, -1), {asked.tokens_name: lambda _: ends}
        )
    return Integrated(values.sum(dim=-1), after - before, steps)


def average_embedding(asked: Pass) -> Float[Tensor, "1 d_model"]:
    """Compute the mean of all embeddings, the baseline if a norm reads the embeddings alone.

    Such a norm is discontinuous at zero.
    """
    embedding = asked.model.embedding_of(asked.side)
    with torch.no_grad():
        return (embedding.weight.mean(dim=0) * embedding.scale)[None]


def integrate_closely(
    asked: Pass,
    *,
    close: float,
    most_steps: int,
    baseline: Float[Tensor, "#source d_model"] | None = None,
) -> Integrated:
    """Double the steps of integrated gradients until the sums are off by at most `close` nats.

    Stops at `most_steps`; `error` is then the remaining difference.
    """
    steps = STEPS
    while True:
        found = integrated_gradients(asked, baseline=baseline, steps=steps)
        if found.error.abs().max() <= close or 2 * steps > most_steps:
            return found
        steps *= 2


@torch.enable_grad()
def _gradients(
    asked: Pass,
    points: Float[Tensor, "point source d_model"],
    rows: Int[Tensor, " point"],
) -> Float[Tensor, "point source d_model"]:
    """Differentiate the log-probability of one row at each point, a few sentences at a time."""
    most = asked.most_at_once
    found: list[Float[Tensor, "some source d_model"]] = []
    for some, their_rows in zip(points.split(most), rows.split(most), strict=True):
        leaf = some.detach().clone().requires_grad_()
        put: dict[str, Edit] = {asked.tokens_name: lambda x, leaf=leaf: leaf.to(x)}
        measured = asked.log_probabilities(asked.source.expand(len(leaf), -1), put)
        mine = measured.gather(1, their_rows[:, None]).sum()
        found.append(torch.autograd.grad(mine, leaf)[0])
    return torch.cat(found)
