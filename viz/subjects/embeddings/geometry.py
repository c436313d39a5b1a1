"""Geometry of vectors: cosines, nearest neighbours, and pictures in a plane.

scikit-learn takes a second to import, so only the functions that need it import it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

COMMON = 2
"""The number of directions removed from many vectors before they are compared."""
_MANY = 100
NEIGHBOURS = 10
"""The number of a point's neighbours that trustworthiness compares, if there are enough."""
PERPLEXITY = 30


class Neighbour(NamedTuple):
    """One of the tokens nearest to another."""

    token: int
    cosine: float


class Plane(NamedTuple):
    """The points of a picture, one for each vector, and the quality of the picture."""

    points: Float[np.ndarray, "point 2"]
    trust: float
    """Trustworthiness: 1 if all neighbours in the picture are neighbours of the vectors."""


def without_common(
    vectors: Float[np.ndarray, "token d_model"],
) -> Float[np.ndarray, "token d_model"]:
    """Remove the mean and the directions of largest variance (Mu and Viswanath, 2018).

    Few vectors lose only their mean, because such directions hold most of their differences.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    if len(vectors) < _MANY:
        return centred
    _, axes = np.linalg.eigh(centred.T @ centred)
    common = axes[:, -COMMON:]
    return centred - centred @ common @ common.T


def units(vectors: Float[np.ndarray, "token d_model"]) -> Float[np.ndarray, "token d_model"]:
    """Scale vectors to a length of 1, in float64; zero vectors stay zero."""
    vectors = vectors.astype(np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)


def cosines(
    vectors: Float[np.ndarray, "token d_model"], of: Sequence[int] | None = None
) -> Float[np.ndarray, "row token"]:
    """Compute the cosines between all vectors, or of some with all; 0 for a zero vector."""
    scaled = units(vectors)
    return (scaled if of is None else scaled[list(of)]) @ scaled.T


def mean_cosine(vectors: Float[np.ndarray, "token d_model"]) -> float:
    """Compute the mean cosine of two different vectors."""
    scaled, count = units(vectors), len(vectors)
    between = (scaled.sum(axis=0) ** 2).sum() - (scaled**2).sum()
    return float(between / (count * (count - 1)))


def neighbours(
    vectors: Float[np.ndarray, "token d_model"], token: int, count: int
) -> tuple[Neighbour, ...]:
    """Return the tokens at the smallest angles to one token, the nearest first."""
    found = cosines(vectors, of=[token])[0]
    order = np.argsort(-found, kind="stable")
    return tuple(Neighbour(int(i), float(found[i])) for i in order[order != token][:count])


def pca(
    vectors: Float[np.ndarray, "point d_model"],
) -> tuple[Float[np.ndarray, "point 2"], Float[np.ndarray, " component"]]:
    """Return points in a plane, and the share of the variance that each component explains.

    The largest weight of each component is made positive, because the SVD leaves the sign open.
    Raises ValueError if there are fewer than two points, or only one dimension.
    """
    if min(vectors.shape) < 2:
        points, numbers = vectors.shape
        raise ValueError(
            f"a plane needs at least 2 vectors of 2 numbers, got {points} of {numbers}"
        )
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[range(len(right)), largest])
    points = (left * signs * sizes)[:, :2]
    variances = sizes**2
    total = variances.sum()
    return points, variances / total if total > 0 else variances


def tsne(vectors: Float[np.ndarray, "point d_model"]) -> Plane:
    """Place points so that each keeps its neighbours (t-SNE: van der Maaten and Hinton, 2008).

    Equal vectors give equal points on the same machine.
    """
    from sklearn import manifold

    count = len(vectors)
    model = manifold.TSNE(
        perplexity=min(PERPLEXITY, max(1, (count - 1) // 3)), init="pca", random_state=0
    )
    points = model.fit_transform(vectors.astype(np.float32)).astype(np.float64)
    looked_at = min(NEIGHBOURS, (count - 1) // 2)
    return Plane(points, float(manifold.trustworthiness(vectors, points, n_neighbors=looked_at)))
