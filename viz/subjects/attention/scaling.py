"""Why scores are divided by sqrt(d_k): the softmax under other divisors (section 3.2.1)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.traces import AttentionTrace, scaled_scores
from viz.run.axes import AttentionKind, attention_trace
from viz.run.record import Run

SATURATED = 0.99
"""The weight from which a row reads almost only one key."""
_STOPS = 25


@dataclass(frozen=True, eq=False)
class Scaling:
    """A row before its scores are divided, and all rows of the run under each of many divisors."""

    products: Float[np.ndarray, " key"]
    """The dot products of the row's query with its keys."""
    allowed: Bool[np.ndarray, " key"]
    divisors: Float[np.ndarray, " stop"]
    """Divisors from 1 to d_k in equal ratios, with sqrt(d_k) in the middle."""
    saturated: Float[np.ndarray, " stop"]
    """The share of rows whose largest weight is over .99."""
    entropy: Float[np.ndarray, " stop"]
    """The mean entropy of a row, in nats."""
    gradient: Float[np.ndarray, " stop"]
    """The mean trace of a row's softmax Jacobian, which is 1 - sum_j w_j^2."""
    rows: int
    """The number of rows that may read more than one key; only these count."""
    variance: float
    """The variance of the head's dot products. It would be d_k if the components of queries and
    keys were independent with mean 0 and variance 1 (the paper's footnote 4)."""


def scaling(run: Run, kind: AttentionKind, layer: int, head: int, query: int) -> Scaling:
    """Recompute every softmax of a run with other divisors than sqrt(d_k).

    The inputs of each attention stay as in the run: no change reaches the next layer.
    """
    attention = attention_trace(run, kind, layer)
    divisors = np.geomspace(1, attention.query.size(-1), _STOPS)
    blocks = [
        products[:, mask.sum(dim=-1) > 1].flatten(end_dim=1) for products, mask in _heads(run)
    ]
    count = sum(map(len, blocks))
    totals = [
        sum((_measured(block / divisor) for block in blocks), start=np.zeros(3))
        for divisor in divisors
    ]
    saturated, entropy, gradient = np.stack(totals, axis=1) / max(1, count)
    key = attention.key[0, attention.key_head(head)]
    own = attention.query[0, head, query].double() @ key.double().T
    return Scaling(
        products=own.numpy(),
        allowed=attention.mask[0].expand(attention.weights.shape[-2:])[query].numpy(),
        divisors=divisors,
        saturated=saturated,
        entropy=entropy,
        gradient=gradient,
        rows=count,
        variance=_variance(attention, head),
    )


def is_divided(run: Run) -> bool:
    """Return whether scores are dot products over sqrt(d_k), with nothing added."""
    usual = all(math.isclose(run.info.config.scale, site.d_k**-0.5) for site in run.anatomy.sites)
    more = any(site.bias or site.sinks or site.softcap for site in run.anatomy.sites)
    return usual and not more


def _heads(run: Run) -> Iterator[tuple[Float[Tensor, "head query key"], Bool[Tensor, "query key"]]]:
    """Yield the dot products of each attention, -inf if masked, and its mask."""
    for site in run.anatomy.sites:
        for layer in range(site.layers):
            attention = attention_trace(run, site.name, layer)
            query, key = attention.query.double(), attention.key.double()
            products = scaled_scores(query, key, 1.0)[0]
            mask = attention.mask[0].expand(products.shape[-2:])
            yield products.masked_fill(~mask, -math.inf), mask


def _variance(attention: AttentionTrace, head: int) -> float:
    """Compute the variance of a head's dot products over the unmasked cells."""
    key = attention.key[0, attention.key_head(head)].double()
    products = attention.query[0, head].double() @ key.T
    allowed = attention.mask[0].expand(attention.weights.shape[-2:])
    return products[allowed].var(correction=0).item()


def _measured(scores: Float[Tensor, "row key"]) -> Float[np.ndarray, "3"]:
    weights = scores.softmax(dim=-1)
    saturated = (weights.amax(dim=-1) > SATURATED).sum()
    entropy, gradient = torch.special.entr(weights).sum(), _gradient(weights).sum()
    return np.array([float(saturated), float(entropy), float(gradient)])


def _gradient(weights: Float[Tensor, "*row key"]) -> Float[Tensor, " *row"]:
    return 1 - (weights * weights).sum(dim=-1)
