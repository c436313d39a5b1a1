"""How vectors lie to each other: cosines, nearest neighbours, and what a picture keeps of them."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.projection import distances, nearest


class Neighbour(NamedTuple):
    """One of the tokens nearest to another."""

    token: int
    cosine: float


def cosines(vectors: Float[np.ndarray, "token d_model"]) -> Float[np.ndarray, "token token"]:
    """Cosine of the angle between each two vectors; 0 where one of them is all zeros."""
    return 1 - distances(vectors, "cosine")


def neighbours(
    vectors: Float[np.ndarray, "token d_model"], token: int, count: int
) -> tuple[Neighbour, ...]:
    """Return the tokens at the smallest angles to one token, the nearest first."""
    away = distances(vectors, "cosine", of=token)[0]
    found = nearest(vectors, token, count, "cosine")
    return tuple(Neighbour(int(i), float(1 - away[i])) for i in found)


def kept_neighbours(
    vectors: Float[np.ndarray, "token d_model"],
    points: Float[np.ndarray, "token dimension"],
    token: int,
    count: int,
) -> int:
    """Count how many of a token's nearest by cosine are among its nearest in the picture."""
    true = nearest(vectors, token, count, "cosine")
    shown = nearest(points, token, count, "euclidean")
    return len({*true.tolist()} & {*shown.tolist()})
