"""How what a row writes answers to a change of the source's embeddings: gradients times input.

Plain, and integrated (Sundararajan et al. 2017, 1703.01365). What is attributed is the embedding of
each token; its position stays as it is.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.attribution.passes import Pass
from model.edits import Edit

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
        """Return what the sum has too much, in nats: with steps enough it is near 0."""
        return self.values.sum(dim=-1) - self.difference


def gradient_times_input(asked: Pass) -> Float[Tensor, "row source"]:
    """Multiply the gradient of each row's log-probability with the embeddings of the source."""
    tokens = asked.embedded()
    rows = torch.arange(len(asked.rows), device=tokens.device)
    gradients = _gradients(asked, tokens.expand(len(rows), -1, -1), rows)
    return (gradients * tokens).sum(dim=-1)


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
    gradients = _gradients(asked, way.repeat(count, 1, 1), rows)
    values = gradients.unflatten(0, (count, steps)).mean(dim=1) * (tokens - start)
    with torch.no_grad():
        ends = torch.stack([tokens, start])
        after, before = asked.log_probabilities(
            asked.source.expand(2, -1), {asked.tokens_name: lambda _: ends}
        )
    return Integrated(values.sum(dim=-1), after - before, steps)


def average_embedding(asked: Pass) -> Float[Tensor, "1 d_model"]:
    """Compute the mean of all embeddings: the baseline where a norm reads embeddings alone.

    At zeros such a norm leaps.
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
    """Double the steps of integrated gradients until the sums miss by no more than `close` nats.

    Or until there are `most_steps`: `error` says by how much they miss.
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
