"""Projections of vectors to a plane or to space, PCA and t-SNE, and how far to trust them.

scikit-learn takes a second to import, so only what needs it imports it.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int

Metric = Literal["euclidean", "cosine"]
Dimensions = Literal[2, 3]

NEIGHBOURS = 10
"""How many neighbours of a point the trustworthiness looks at, where there are enough points."""

_ITERATIONS = 500
"""Of t-SNE, at most: from where PCA puts the points, more move hardly anything."""
_START = 1e-4
"""Spread of the points where t-SNE starts, along the first axis."""


@dataclass(frozen=True)
class PCA:
    """Turn the vectors so that each axis shows as much of their variance as is left."""

    dimensions: Dimensions = 2


@dataclass(frozen=True)
class TSNE:
    """Place points so that each keeps its neighbours (van der Maaten and Hinton, 2008)."""

    dimensions: Dimensions = 2
    perplexity: int = 30
    """About how many neighbours each point tries to keep. Below the number of points."""
    seed: int = 0


Settings = PCA | TSNE


@dataclass(frozen=True, eq=False)
class Projection:
    """Points of a picture, one for each vector."""

    points: Float[np.ndarray, "point dimension"]
    explained: Float[np.ndarray, " component"] | None
    """Of a PCA: the share of the variance along each component, of all there are."""
    trust: float
    """Trustworthiness: 1 where all neighbours in the picture are neighbours of the vectors."""
    trust_neighbours: int
    """How many neighbours of each point it looks at."""


def project(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Projection:
    """Project vectors, and measure how far the picture is to be trusted.

    The same vectors and settings give the same points on the same machine. Raises ValueError where
    there are too few points.
    """
    if len(vectors) < settings.dimensions + 2:
        raise ValueError(
            f"a picture of {settings.dimensions} dimensions needs at least "
            f"{settings.dimensions + 2} points, got {len(vectors)}"
        )
    explained = None
    if isinstance(settings, PCA):
        points, explained = pca(vectors, settings.dimensions)
    else:
        points = tsne(vectors, settings)
    count = min(NEIGHBOURS, (len(vectors) - 1) // 2)
    trust = trustworthiness(vectors, points, count)
    return Projection(points, explained, trust, count)


def pca(
    vectors: Float[np.ndarray, "point d_model"], dimensions: int
) -> tuple[Float[np.ndarray, "point dimension"], Float[np.ndarray, " component"]]:
    """Return the points, and the share of the variance that each component explains.

    The largest weight of each component is positive: the SVD itself leaves the sign open.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    if len(sizes) < dimensions:
        raise ValueError(
            f"{dimensions} components need as many dimensions of the vectors, got {len(sizes)}"
        )
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[range(len(right)), largest])
    points = (left * signs * sizes)[:, :dimensions]
    variances = sizes**2
    total = variances.sum()
    return points, variances / total if total > 0 else variances


def tsne(
    vectors: Float[np.ndarray, "point d_model"], settings: TSNE
) -> Float[np.ndarray, "point dimension"]:
    """Run t-SNE.

    It starts where PCA puts the points, as that keeps more of the whole, and with a little noise:
    else the seed would change nothing. Raises ValueError unless the perplexity is below the number
    of points.
    """
    from sklearn import manifold

    start, _ = pca(vectors, settings.dimensions)
    start *= _START / (start[:, 0].std() or 1.0)
    start += np.random.default_rng(settings.seed).normal(scale=_START / 10, size=start.shape)
    init: Any = start.astype(np.float32)  # the stubs know only names
    model = manifold.TSNE(
        n_components=settings.dimensions,
        perplexity=settings.perplexity,
        max_iter=_ITERATIONS,
        init=init,
        random_state=settings.seed,
    )
    return model.fit_transform(vectors.astype(np.float32)).astype(np.float64)


def trustworthiness(
    vectors: Float[np.ndarray, "point d_model"],
    points: Float[np.ndarray, "point dimension"],
    neighbours: int,
) -> float:
    """Measure how far neighbours in the picture are those of the vectors (Venna and Kaski, 2001).

    Each of a point's neighbours in the picture that is not among as many of its vector costs the
    number of ranks by which it fails. 1 is the best; a random picture has about 0.5. Raises
    ValueError unless there are more than twice as many points as neighbours.
    """
    count = len(vectors)
    if not 1 <= neighbours < count / 2:
        raise ValueError(
            f"neighbours must be at least 1 and below half of the {count} points, got {neighbours}"
        )
    order = _others_by_distance(distances(vectors, "euclidean"))
    ranks = np.empty((count, count), dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(1, count)[None].repeat(count, axis=0), axis=1)
    shown = _others_by_distance(distances(points, "euclidean"))[:, :neighbours]
    missed = np.maximum(0, np.take_along_axis(ranks, shown, axis=1) - neighbours).sum()
    return float(1 - missed * 2 / (count * neighbours * (2 * count - 3 * neighbours - 1)))


def nearest(
    vectors: Float[np.ndarray, "point d_model"], point: int, count: int, metric: Metric
) -> Int[np.ndarray, " neighbour"]:
    """Return the points whose vectors are nearest to that of one point, the nearest first."""
    away = distances(vectors, metric, of=point)[0]
    order = np.argsort(away, kind="stable")
    return order[order != point][:count]


def distances(
    vectors: Float[np.ndarray, "point d_model"], metric: Metric, of: int | None = None
) -> Float[np.ndarray, "row point"]:
    """Measure how far all vectors are from each other, or from one of them, in float64."""
    vectors = vectors.astype(np.float64)
    if metric == "cosine":
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    rows = vectors if of is None else vectors[of : of + 1]
    products = rows @ vectors.T
    if metric == "cosine":
        return 1 - products
    squares = (vectors**2).sum(axis=1)
    own = squares if of is None else squares[of : of + 1]
    return np.sqrt(np.maximum(0, own[:, None] + squares - 2 * products))


def _others_by_distance(
    away: Float[np.ndarray, "point point"],
) -> Int[np.ndarray, "point other"]:
    """Order the other points of each row, the nearest first."""
    away = away.copy()
    np.fill_diagonal(away, -np.inf)
    return np.argsort(away, axis=1, kind="stable")[:, 1:]
