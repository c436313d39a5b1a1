"""Checks of a head's weights: their sums, the mask, and the softmax in float64."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from model.attention import masked_scores
from model.traces import AttentionTrace, scaled_scores
from viz.run.axes import AttentionKind, attention_name, attention_trace
from viz.run.record import Run


@dataclass(frozen=True)
class HeadChecks:
    """The results of the checks of one head's weights in a run."""

    row_sum_error: float
    """Largest difference between a row's sum and 1, summed in float64."""
    masked_cells: int
    largest_masked_weight: float
    float64_error: float
    """Largest difference from the softmax in float64, recomputed from queries, keys and mask."""
    changed: bool
    """Whether its scores or weights were changed, so that they may differ from that softmax."""


def check_head(run: Run, kind: AttentionKind, layer: int, head: int) -> HeadChecks:
    """Check the weights of a head: their rows, their masked cells, and a second computation."""
    attention = attention_trace(run, kind, layer)
    path = attention_name(kind, layer).removesuffix(".weights")
    weights = attention.weights[:, head].double()
    hidden = ~attention.mask.expand(weights.shape)
    again = float64_weights(attention, head, run.info.config.mask_fill)
    if run.anatomy.site(kind).sinks:  # sinks take a part of each row
        again = again * weights.sum(dim=-1, keepdim=True)
    return HeadChecks(
        row_sum_error=(weights.sum(dim=-1) - 1).abs().max().item(),
        masked_cells=int(hidden.sum()),
        largest_masked_weight=weights[hidden].max().item() if hidden.any() else 0.0,
        float64_error=(weights - again).abs().max().item(),
        changed=any(run.edits.touches(f"{path}.{part}") for part in ("scores", "weights")),
    )


def float64_weights(
    attention: AttentionTrace, head: int, mask_fill: float
) -> Float[Tensor, "batch query key"]:
    """Recompute a head's weights in double precision from query, key and mask (equation 1).

    Each row sums to 1, even if the model has sinks that take a part of a row.
    """
    query = attention.query[:, [head]].double()
    key = attention.key[:, [attention.key_head(head)]].double()
    bias = None if attention.bias is None else attention.bias[:, [head]].double()
    scores = scaled_scores(query, key, attention.scale, bias, attention.softcap)
    scores = masked_scores(scores, attention.mask, mask_fill)
    return scores.softmax(dim=-1)[:, 0]
