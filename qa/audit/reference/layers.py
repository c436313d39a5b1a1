"""The formulas: attention (equation 1), norms, activations, positions (section 3.5)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa.audit.reference.files import Array

Mask = NDArray[np.bool_]
"""True if a query may read a key."""


def softmax(x: Array) -> Array:
    """Return exponentials along the last axis, as shares of their sum."""
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def log_softmax(x: Array) -> Array:
    """Return the logarithm of `softmax`, without the exponentials' loss of digits."""
    moved = x - x.max(axis=-1, keepdims=True)
    return moved - np.log(np.exp(moved).sum(axis=-1, keepdims=True))


def layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Ba et al. 2016: the variance of n numbers, eps under the root."""
    away = x - x.mean(axis=-1, keepdims=True)
    return weight * away / np.sqrt((away**2).mean(axis=-1, keepdims=True) + eps) + bias


def unbiased_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """The Annotated Transformer's: the standard deviation of n - 1, eps beside it."""
    away = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((away**2).sum(axis=-1, keepdims=True) / (x.shape[-1] - 1))
    return weight * away / (deviation + eps) + bias


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """Zhang and Sennrich 2019: no mean taken off, no bias."""
    return weight * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: 0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}
"""Equation 2; Hendrycks and Gimpel 2016, and their approximation, as GPT-2 has it; x times its
logistic function."""


def position_vectors(kind: str, length: int, width: int) -> Array:
    """Return the vectors added to embeddings; zeros for other kinds of positions."""
    at = np.arange(length, dtype=np.float64)[:, None]
    j = np.arange(width)[None]
    if kind == "sinusoidal":  # sin(pos / 10000^(2i/d)) at 2i, the cosine at 2i + 1
        angle = at / 10000.0 ** ((j - j % 2) / width)
        return np.where(j % 2 == 0, np.sin(angle), np.cos(angle))
    if kind == "double_sine":
        return np.sin(at / 1000.0 ** (2 * j / width))
    if kind == "single_frequency":
        return np.where(j % 2 == 0, np.sin(at), np.cos(at))
    return np.zeros((length, width))


def rotary_angles(length: int, size: int, base: float) -> Array:
    """Su et al. 2021: pos * base^(-2i/r), by position and i."""
    return np.arange(length)[:, None] * base ** (-2 * np.arange(size // 2) / size)


def turned(x: Array, base: float, share: float = 1.0) -> Array:
    """Turn (i, i + r/2) of each position by its angle."""
    size = int(x.shape[-1] * share)
    half = size // 2
    angle = rotary_angles(x.shape[-2], size, base)
    one, other, rest = x[..., :half], x[..., half:size], x[..., size:]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([one * cos - other * sin, other * cos + one * sin, rest], axis=-1)


def split_heads(x: Array, heads: int) -> Array:
    """Return (position, heads * size) as (head, position, size)."""
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def relative_bucket(
    distance: NDArray[np.int64], *, both_ways: bool, buckets: int, most: int
) -> NDArray[np.int64]:
    """Raffel et al. 2020: half of the buckets are single distances, the others wider and wider."""
    later = np.zeros(distance.shape, np.int64)
    if both_ways:
        buckets //= 2
        later = np.where(distance > 0, buckets, 0)
        away = np.abs(distance)
    else:
        away = np.maximum(-distance, 0)
    single = buckets // 2
    wide = np.log(np.maximum(away, 1) / single) / math.log(most / single) * (buckets - single)
    far = np.minimum(single + np.trunc(wide).astype(np.int64), buckets - 1)
    return (later + np.where(away < single, away, far)).astype(np.int64)


def attend(
    query: Array,
    key: Array,
    value: Array,
    mask: Mask,
    fill: float,
    scale: float | None = None,
    bias: Array | float = 0.0,
) -> dict[str, Any]:
    """Equation 1 for all heads, each of (head, position, size); a bias is added to the scores."""
    products = query @ key.transpose(0, 2, 1)
    scaled = products * (query.shape[-1] ** -0.5 if scale is None else scale) + bias
    hidden = np.where(np.broadcast_to(mask, scaled.shape), scaled, fill)
    weights = softmax(hidden)
    return {
        "query": query,
        "key": key,
        "value": value,
        "products": products,
        "scores": scaled,
        "masked_scores": hidden,
        "weights": weights,
        "heads": weights @ value,
        "mask": np.broadcast_to(mask, scaled.shape[1:]),
    }
