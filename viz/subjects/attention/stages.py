"""One head stage by stage: scores, scaled, masked, softmax, and the mix of values (equation 1)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from model.attention import masked_scores
from viz.run.axes import AttentionKind, attention_trace
from viz.run.record import Run

WINDOW = 32
"""The largest number of queries and of keys shown, around the selected cell."""


@dataclass(frozen=True, eq=False)
class Stages:
    """The tensors of one head, from queries, keys and values to its mix.

    If there are more than `WINDOW` queries or keys, those shown begin at `first`.
    """

    first: tuple[int, int]
    """The first query and the first key shown."""
    products: Float[np.ndarray, "query key"]
    """The dot products of queries and keys."""
    scores: Float[np.ndarray, "query key"]
    """The products times the factor (1 / sqrt(d_k) in the paper), plus a bias if there is one."""
    masked: Float[np.ndarray, "query key"]
    """The scores with the variant's fill value in masked cells."""
    hidden: Bool[np.ndarray, "query key"]
    """True in masked cells."""
    weights: Float[np.ndarray, "query key"]
    values: Float[np.ndarray, "key d_v"]
    mix: Float[np.ndarray, "query d_v"]
    """The weighted sum of all values for each query, including values outside the window."""
    d_k: int
    scale: float
    """The factor of the dot products."""
    is_biased: bool
    """Whether a bias for the distance is added to them."""


def attention_stages(
    run: Run, kind: AttentionKind, layer: int, head: int, query: int, key: int
) -> Stages:
    """Take the stages of one head from the trace; of a large one, those around one cell."""
    attention = attention_trace(run, kind, layer)
    scores = attention.scores[:, head : head + 1]
    hidden = ~attention.mask[0].expand(scores.shape[-2:])
    masked = masked_scores(scores, attention.mask, run.info.config.mask_fill)[0, 0]
    rows, columns = _window(scores.size(-2), query), _window(scores.size(-1), key)
    shared, bias = attention.key_head(head), attention.bias
    products = scores[0, 0] if bias is None else scores[0, 0] - bias[0, head]
    return Stages(
        first=(rows.start, columns.start),
        products=(products * (1 / attention.scale))[rows, columns].numpy(),
        scores=scores[0, 0][rows, columns].numpy(),
        masked=masked[rows, columns].numpy(),
        hidden=hidden[rows, columns].numpy(),
        weights=attention.weights[0, head][rows, columns].numpy(),
        values=attention.value[0, shared][columns].numpy(),
        mix=attention.heads[0, head][rows].numpy(),
        d_k=attention.query.size(-1),
        scale=attention.scale,
        is_biased=bias is not None,
    )


def _window(size: int, centre: int) -> slice:
    start = max(0, min(centre - WINDOW // 2, size - WINDOW))
    return slice(start, min(size, start + WINDOW))
