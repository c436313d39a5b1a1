"""The measures of a head by the pages' own definitions, cell by cell in float64."""

import math

import numpy as np

from qa.audit.reference.files import Array
from qa.audit.reference.layers import Mask


def entropy_bits(row: Array) -> float:
    """Return -sum p log2 p; 0 log 0 is 0."""
    held = row[row > 0]
    return float(-(held * np.log2(held)).sum())


def head_measures(weights: Array, mask: Mask, *, is_cross: bool) -> dict[str, float]:
    """Measure one head: (query, key). A mean over no rows is NaN."""
    queries, keys = weights.shape
    found: dict[str, list[float]] = {
        n: [] for n in ("entropy", "entropy_share", "distance", "diagonality")
    }
    shares: dict[str, list[float]] = {n: [] for n in ("previous", "same", "next", "first", "last")}
    choosing = 0
    for q in range(queries):
        own = q * (keys - 1) / max(queries - 1, 1) if is_cross else float(q)
        row, may = weights[q], np.flatnonzero(mask[q])
        away = [abs(k - own) for k in range(keys)]
        distance = math.fsum(row[k] * away[k] for k in range(keys))
        found["entropy"].append(entropy_bits(row))
        found["distance"].append(distance)
        near, far = min(away[k] for k in may), max(away[k] for k in may)
        if far > near:
            found["diagonality"].append(1 - min(max((distance - near) / (far - near), 0), 1))
        if len(may) < 2:
            continue
        choosing += 1
        found["entropy_share"].append(min(max(entropy_bits(row) / math.log2(len(may)), 0), 1))
        places = {"first": 0, "last": keys - 1}
        if not is_cross:
            places |= {"previous": q - 1, "same": q, "next": q + 1}
        for name, k in places.items():
            if 0 <= k < keys and mask[q, k]:
                shares[name].append(float(row[k]))
    means = {name: _mean(values) for name, values in found.items()}
    for name, values in shares.items():
        means[name] = _mean(values) if 2 * len(values) > choosing else math.nan
    return means


def gold_share(weights: Array, links: set[tuple[int, int]]) -> float:
    """Return the share of rows with a link whose largest weight is on a linked column."""
    rows = {row for row, _ in links}
    hits = [(row, int(weights[row].argmax())) in links for row in sorted(rows)]
    return _mean([float(hit) for hit in hits])


def repeats(weights: Array, ids: list[int]) -> dict[str, float]:
    """Return the weight on earlier positions of a row's own token, and on the tokens after them."""
    same: list[float] = []
    after: list[float] = []
    for q in range(len(weights)):
        before = [k for k in range(q) if ids[k] == ids[q]]
        if before:
            same.append(math.fsum(weights[q, k] for k in before))
        followed = [k + 1 for k in before if k + 1 < q]
        if followed:
            after.append(math.fsum(weights[q, k] for k in followed))
    return {"repeated": _mean(same), "after_repeated": _mean(after)}


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
