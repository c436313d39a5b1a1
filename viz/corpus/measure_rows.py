"""Measures the heads of one layer in sentences of one length, as columns of the tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Integer

from model.text.corpus import Example
from viz.heads.head_summary import METRICS, head_metrics
from viz.run.axes import KINDS, AttentionKind

Columns = dict[str, Any]
"""Columns of one table by name: arrays or lists of equal length."""


def gold_cells(examples: Sequence[Example]) -> Bool[np.ndarray, "batch row source"]:
    """Return where a row of the target writes a token aligned with a token of the source."""
    shape = (len(examples), len(examples[0].target) - 1, len(examples[0].source))
    cells = np.zeros(shape, bool)
    for place, example in enumerate(examples):
        for position, index in example.alignment:
            cells[place, index - 1, position] = True
    return cells


def of_heads(
    weights: Float[np.ndarray, "batch head query key"],
    mask: Bool[np.ndarray, "query key"],
    gold: Bool[np.ndarray, "batch query key"] | None,
    *,
    kind: AttentionKind,
    layer: int,
    numbers: Integer[np.ndarray, " batch"],
) -> Columns:
    """Measure the heads of one layer in all sentences at once, since they have the same mask.

    Args:
        weights: The weights of all heads, by sentence.
        mask: True where the query may read the key.
        gold: True where the query writes a token aligned with the key; None if unknown.
        kind: The kind of attention.
        layer: The layer in its stack.
        numbers: The numbers of the sentences.
    """
    batch, heads, *sizes = weights.shape
    flat = weights.reshape(batch * heads, *sizes)
    found = head_metrics(flat, mask, is_cross=kind == "cross-attention")
    if gold is not None:
        found["gold"] = _share_of_hits(weights, gold)
    return {
        "sentence": np.repeat(numbers, heads),
        "kind": np.full(batch * heads, KINDS.index(kind)),
        "layer": np.full(batch * heads, layer),
        "head": np.tile(np.arange(heads), batch),
        **{name: found[name] for name in METRICS},
    }


def of_rows(
    weights: Float[np.ndarray, "batch head query key"],
    gold: Bool[np.ndarray, "batch query key"] | None,
    *,
    kind: AttentionKind,
    layer: int,
    numbers: Integer[np.ndarray, " batch"],
) -> Columns:
    """Return the key with the largest weight in each row; gold is 1, 0, or -1 if no key is aligned.

    The arguments are those of `of_heads`.
    """
    batch, heads, queries, _ = weights.shape
    clean = np.nan_to_num(weights)
    key = clean.argmax(axis=-1)
    strongest = np.take_along_axis(weights, key[..., None], axis=-1)[..., 0]
    bits = np.log2(np.maximum(clean, np.finfo(np.float32).tiny))
    entropy = 0 - np.einsum("bhqk,bhqk->bhq", clean, bits)  # 0 minus avoids a negative zero
    hit = np.full(key.shape, -1, np.int8)
    if gold is not None:
        aligned = np.any(gold, axis=-1, keepdims=True).swapaxes(1, 2)
        hit = np.where(aligned, _hits(key, gold), hit)
    count = batch * heads * queries
    return {
        "sentence": np.repeat(numbers, heads * queries),
        "kind": np.full(count, KINDS.index(kind), np.uint8),
        "layer": np.full(count, layer, np.uint8),
        "head": np.tile(np.repeat(np.arange(heads, dtype=np.uint8), queries), batch),
        "query": np.tile(np.arange(queries, dtype=np.uint16), batch * heads),
        "key": key.ravel().astype(np.uint16),
        "weight": strongest.ravel(),
        "entropy": entropy.ravel(),
        "gold": hit.ravel(),
    }


def _hits(
    key: Int[np.ndarray, "batch head query"], gold: Bool[np.ndarray, "batch query key"]
) -> Bool[np.ndarray, "batch head query"]:
    return np.take_along_axis(gold, key.swapaxes(1, 2), axis=-1).swapaxes(1, 2)


def _share_of_hits(
    weights: Float[np.ndarray, "batch head query key"], gold: Bool[np.ndarray, "batch query key"]
) -> Float[np.ndarray, " row"]:
    """Return the share of rows with an aligned key in which a head reads an aligned key most."""
    aligned = np.any(gold, axis=-1, keepdims=True).swapaxes(1, 2)
    counting = np.isfinite(weights.sum(axis=-1)) & aligned
    hits = (_hits(np.nan_to_num(weights).argmax(axis=-1), gold) & counting).sum(axis=-1)
    rows = counting.sum(axis=-1)
    unknown = np.full(rows.shape, np.nan)
    return np.divide(hits, rows, out=unknown, where=rows > 0).ravel()
