"""How the numbers of a head are spread over the sentences of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, mean
from viz.corpus.tables import HeadName
from viz.run.head_summary import METRICS

_BINS = 24
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, eq=False)
class Spread:
    """One number of a head over the sentences, each of which counts as one."""

    metric: str
    mean: Estimate
    quantiles: Mapping[float, float]
    edges: Float[np.ndarray, " edge"]
    counts: Int[np.ndarray, " bin"]
    """Sentences between two edges; the last edge is in its bin."""


def spread_of(atlas: Atlas, head: HeadName, metric: str) -> Spread | None:
    """Spread out a metric; None where it has no meaning in any sentence."""
    values = values_of(atlas, head, metric)
    values = values[np.isfinite(values)].astype(np.float64)
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    counts, edges = np.histogram(values, bins=_BINS, range=(low, high if high > low else low + 1))
    quantiles = np.quantile(values, QUANTILES)
    named = dict(zip(QUANTILES, quantiles.tolist(), strict=True))
    return Spread(metric, mean(values), named, edges, counts)


def values_of(atlas: Atlas, head: HeadName, metric: str) -> Float[np.ndarray, " sentence"]:
    """Return a metric of a head in every sentence, in their order; NaN where it has no meaning."""
    found = atlas.ask(
        f"""select {_known(metric)} as value from heads
        where kind = ? and layer = ? and head = ? order by sentence""",
        *head,
    )
    return found["value"].to_numpy(np.float32)


def means_of_all(atlas: Atlas, metric: str) -> Mapping[HeadName, Estimate]:
    """Estimate the mean of a metric of every head."""
    return {head: mean(values_of(atlas, head, metric)) for head in atlas.heads}


def _known(metric: str) -> str:
    if metric not in METRICS:
        raise ValueError(f"a metric must be one of {', '.join(METRICS)}, got {metric!r}")
    return f'"{metric}"'
