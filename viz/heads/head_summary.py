"""Measures of the heads of a run."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float, Int

from viz.heads.relations import Sentence, after_same, same_before
from viz.run.alignment import Links
from viz.run.axes import AttentionKind, attention_trace, axis_tokens, layer_count
from viz.run.record import Run

_SMALLEST = np.finfo(np.float32).tiny
"""Replaces 0 in a logarithm whose result is multiplied by 0."""

Metrics = Mapping[AttentionKind, Mapping[str, Float[np.ndarray, "layer head"]]]
"""The measures of every head of every kind, by the names in `METRICS`."""

METRICS = (
    "gold",
    "entropy",
    "entropy_share",
    "distance",
    "diagonality",
    "previous",
    "same",
    "next",
    "first",
    "last",
)
"""The names of the measures.

A row that may read only one token has no choice, so shares of weight leave it out. A share is the
mean over the rows that may read the token in question. It is NaN unless those are more than half of
the rows, because the single last row of a causal mask does not describe a head.
"""
OF_ONE_TEXT = ("repeated", "after_repeated")
"""Measures for attention whose rows and columns are one text."""
ALL_METRICS = (*METRICS, *OF_ONE_TEXT)
BEYOND_ONE = frozenset({"entropy", "distance"})
"""Measures that do not lie between 0 and 1."""


def metrics_by_head(run: Run, gold: Links | None) -> Metrics:
    """Measure every head of every kind; the names are those of `METRICS`.

    A model of one text has no gold alignment; it gets the measures of `OF_ONE_TEXT` instead.
    """
    found: dict[AttentionKind, dict[str, Float[np.ndarray, "layer head"]]] = {}
    for kind in run.anatomy.names:
        is_cross = kind == "cross-attention"
        layers = []
        for layer in range(layer_count(run.info.config, kind)):
            weights, mask = weights_and_mask(run, kind, layer)
            aligned = _as_cells(gold, mask) if is_cross and gold is not None else None
            measured = head_metrics(weights, mask, is_cross=is_cross, aligned=aligned)
            if not run.anatomy.translates:
                measured |= _weights_on_repeats(run, kind, layer)
                del measured["gold"]
            layers.append(measured)
        found[kind] = {name: np.stack([layer[name] for layer in layers]) for name in layers[0]}
    return found


def head_metrics(
    weights: Float[np.ndarray, "head query key"],
    mask: Bool[np.ndarray, "query key"],
    *,
    is_cross: bool,
    aligned: Bool[np.ndarray, "query key"] | None = None,
) -> dict[str, Float[np.ndarray, " head"]]:
    """Measure the heads of one layer; the names are those of `METRICS`.

    Rows that may read nothing, and rows with weights that are not finite, are left out. A measure
    is NaN if no row is left for it, or if it is not defined for this kind of attention.

    Args:
        weights: The weights; each row sums to 1.
        mask: True where the query may read the key.
        is_cross: Whether rows and columns are positions of two sequences.
        aligned: True where the gold alignment links the two, if it is known.
    """
    weights, counting = _counting_rows(weights, mask)
    n_queries, n_keys = mask.shape
    rows = np.arange(n_queries)
    own = rows * (n_keys - 1) / max(n_queries - 1, 1) if is_cross else rows
    columns = {
        "previous": rows - 1,
        "same": rows,
        "next": rows + 1,
        "first": np.zeros_like(rows),
        "last": np.full_like(rows, n_keys - 1),
    }
    choosing = counting & (mask.sum(axis=-1) > 1)
    unknown = np.full(len(weights), np.nan)
    return {
        "gold": unknown if aligned is None else _hits(weights, counting, aligned),
        **_spread(weights, mask, counting, choosing),
        **_nearness(weights, mask, counting, own),
        **{
            name: unknown
            if is_cross and name in ("previous", "same", "next")
            else _share_on(weights, mask, choosing, column)
            for name, column in columns.items()
        },
    }


def most_read(
    weights: Float[np.ndarray, "head query key"], mask: Bool[np.ndarray, "query key"]
) -> Int[np.ndarray, " head"]:
    """Return for each head the key with the most weight over all rows."""
    weights, _ = _counting_rows(weights, mask)
    return weights.sum(axis=1).argmax(axis=-1)


def weights_and_mask(
    run: Run, kind: AttentionKind, layer: int
) -> tuple[Float[np.ndarray, "head query key"], Bool[np.ndarray, "query key"]]:
    """Return the weights of a layer, and its mask."""
    attention = attention_trace(run, kind, layer)
    weights = attention.weights[0]
    return weights.numpy(), attention.mask[0].expand(weights.shape[1:]).numpy()


def _weights_on_repeats(
    run: Run, kind: AttentionKind, layer: int
) -> dict[str, Float[np.ndarray, " head"]]:
    """Return each head's mean weight on earlier copies of a row's token, and on their successors.

    The mean is over rows with an earlier copy; weights on several copies add up, so that a head
    that shares its weight between copies does not look weak. NaN if no token is repeated.
    """
    weights = np.nan_to_num(attention_trace(run, kind, layer).weights[0].numpy())
    tokens = axis_tokens(run, kind)[0]
    sentence = Sentence.of_one_text(tokens)
    return {
        "repeated": _mean_on(weights, list(same_before(sentence))),
        "after_repeated": _mean_on(weights, list(after_same(sentence))),
    }


def _mean_on(
    weights: Float[np.ndarray, "head query key"], cells: list[tuple[int, int]]
) -> Float[np.ndarray, " head"]:
    if not cells:
        return np.full(len(weights), np.nan)
    rows, keys = np.array(cells).T
    return weights[:, rows, keys].sum(axis=1) / len(set(rows.tolist()))


def _as_cells(links: Links, mask: Bool[np.ndarray, "query key"]) -> Bool[np.ndarray, "query key"]:
    cells = np.zeros_like(mask)
    for row, position in links:
        cells[row, position] = True
    return cells


def _counting_rows(
    weights: Float[np.ndarray, "head query key"], mask: Bool[np.ndarray, "query key"]
) -> tuple[Float[np.ndarray, "head query key"], Bool[np.ndarray, "head query"]]:
    """Return the weights, with zeros in the rows that do not count, and which rows count."""
    with np.errstate(invalid="ignore"):
        counting = np.isfinite(weights.sum(axis=-1)) & mask.any(axis=-1)
    return (weights if counting.all() else np.where(counting[..., None], weights, 0)), counting


def _spread(
    weights: Float[np.ndarray, "head query key"],
    mask: Bool[np.ndarray, "query key"],
    counting: Bool[np.ndarray, "head query"],
    choosing: Bool[np.ndarray, "head query"],
) -> dict[str, Float[np.ndarray, " head"]]:
    bits = np.log2(np.maximum(weights, _SMALLEST))
    entropy = -np.einsum("hqk,hqk->hq", weights, bits)
    evenness = entropy / np.log2(np.maximum(mask.sum(axis=-1), 2))
    return {
        "entropy": _mean(entropy, counting),
        "entropy_share": _mean(evenness.clip(0, 1), choosing),
    }


def _nearness(
    weights: Float[np.ndarray, "head query key"],
    mask: Bool[np.ndarray, "query key"],
    counting: Bool[np.ndarray, "head query"],
    own: Int[np.ndarray, " query"] | Float[np.ndarray, " query"],
) -> dict[str, Float[np.ndarray, " head"]]:
    away = np.abs(np.arange(mask.shape[1]) - own[:, None]).astype(weights.dtype)
    distance = np.einsum("hqk,qk->hq", weights, away)
    nearest = away.min(axis=-1, where=mask, initial=np.inf)
    farthest = away.max(axis=-1, where=mask, initial=0)
    differ = farthest > nearest
    far = (distance - nearest) / np.where(differ, farthest - nearest, 1)
    return {
        "distance": _mean(distance, counting),
        "diagonality": _mean(1 - far.clip(0, 1), counting & differ),
    }


def _share_on(
    weights: Float[np.ndarray, "head query key"],
    mask: Bool[np.ndarray, "query key"],
    choosing: Bool[np.ndarray, "head query"],
    columns: Int[np.ndarray, " query"],
) -> Float[np.ndarray, " head"]:
    """Return the mean weight on one column of each row that may read it; NaN if most may not."""
    rows = np.arange(len(columns))
    inside = columns.clip(0, mask.shape[1] - 1)
    able = choosing & (inside == columns) & mask[rows, inside]
    share = _mean(weights[:, rows, inside], able)
    return np.where(2 * able.sum(axis=-1) > choosing.sum(axis=-1), share, np.nan)


def _hits(
    weights: Float[np.ndarray, "head query key"],
    counting: Bool[np.ndarray, "head query"],
    aligned: Bool[np.ndarray, "query key"],
) -> Float[np.ndarray, " head"]:
    hits = aligned[np.arange(len(aligned)), weights.argmax(axis=-1)]
    return _mean(hits, counting & aligned.any(axis=-1))


def _mean(
    values: Float[np.ndarray, "head query"] | Bool[np.ndarray, "head query"],
    rows: Bool[np.ndarray, "head query"],
) -> Float[np.ndarray, " head"]:
    """Return the mean over the rows that are True; NaN if there are none."""
    total, count = np.where(rows, values, 0.0).sum(axis=-1), rows.sum(axis=-1)
    return np.divide(total, count, out=np.full(len(rows), np.nan), where=count > 0)
