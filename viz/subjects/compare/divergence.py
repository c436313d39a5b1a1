"""Distances between two distributions: in bits, and as the share of weight that moved."""

import numpy as np
from jaxtyping import Float


def jensen_shannon(
    p: Float[np.ndarray, "*stack row key"], q: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Return the Jensen-Shannon divergence of rows in bits: 0 if equal, 1 if nothing is shared.

    It is the entropy of their mean minus the mean of their entropies (Lin 1991). A key may have
    weight 0.
    """
    mean = (p + q) / 2
    bits = (_information(p, mean) + _information(q, mean)) / 2
    return bits.clip(0, 1)


def share_moved(
    p: Float[np.ndarray, "*stack row key"], q: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Return the share of a row's weight that lies elsewhere in the other row, from 0 to 1.

    This is half the sum of the absolute differences, the total variation distance.
    """
    return (np.abs(p - q).sum(axis=-1) / 2).clip(0, 1)


def _information(
    p: Float[np.ndarray, "*stack row key"], mean: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Sum p log2(p / mean), where p is not 0."""
    ratio = np.divide(p, mean, out=np.ones_like(mean), where=p > 0)
    return (p * np.log2(ratio)).sum(axis=-1)
