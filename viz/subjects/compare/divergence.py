"""How far two distributions are apart, in bits and as the share that moved."""

import numpy as np
from jaxtyping import Float


def jensen_shannon(
    p: Float[np.ndarray, "*stack row key"], q: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Return the Jensen-Shannon divergence of rows in bits: 0 for the same, 1 for nothing shared.

    The entropy of their mean less the mean of their entropies (Lin 1991); a key may have weight 0.
    """
    mean = (p + q) / 2
    bits = (_information(p, mean) + _information(q, mean)) / 2
    return bits.clip(0, 1)


def share_moved(
    p: Float[np.ndarray, "*stack row key"], q: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Return the share of a row's weight that lies elsewhere in the other, from 0 to 1.

    Half the sum of the differences: the total variation distance.
    """
    return (np.abs(p - q).sum(axis=-1) / 2).clip(0, 1)


def _information(
    p: Float[np.ndarray, "*stack row key"], mean: Float[np.ndarray, "*stack row key"]
) -> Float[np.ndarray, "*stack row"]:
    """Sum p log2(p / mean), where p is not 0."""
    ratio = np.divide(p, mean, out=np.ones_like(mean), where=p > 0)
    return (p * np.log2(ratio)).sum(axis=-1)
