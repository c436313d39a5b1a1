"""Numbers of positions that are not vectors: angles of rotation, and biases by distance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from model.config import Side, TransformerConfig
from model.positions import rotary_angles, turn
from model.traces import AttentionTrace, present

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer

_SHIFTS = (0, 7, 64)
"""The distance by which a query and a key are moved together, to see that their score stays."""


@dataclass(frozen=True, eq=False)
class Apart:
    """The score of one query and one key, by the distance from the key to the query."""

    distances: np.ndarray
    scores: Float[np.ndarray, " distance"]
    here: int
    """The distance in the run."""
    score: float
    """The score in the run."""
    error: float
    """The largest change of a score if both are moved along the text together."""


def angles(config: TransformerConfig, length: int) -> Float[np.ndarray, "position pair"]:
    """Return the angle, in radians, of each pair of dimensions at each position."""
    found = rotary_angles(0, length, config.d_k, share=config.rotary_share, base=config.rotary_base)
    return found.double().numpy()


def moved_apart(
    config: TransformerConfig,
    attention: AttentionTrace,
    head: int,
    cell: tuple[int, int],
    distances: range,
) -> Apart:
    """Rotate one query and one key of a run back, and forward to other distances.

    Args:
        config: A config with rotary positions.
        attention: The attention in the run.
        head: The head of the queries.
        cell: The positions of the query and of the key.
        distances: Distances from the key to the query, negative if the key comes later.
    """
    row, column = cell
    query = attention.query[:1, [head], row : row + 1].float().cpu()
    key = attention.key[:1, [attention.key_head(head)], column : column + 1].float().cpu()
    longest = max(row, column, max(map(abs, distances)) + max(_SHIFTS)) + 1
    all_angles = rotary_angles(
        0, longest, config.d_k, share=config.rotary_share, base=config.rotary_base
    )
    query, key = turn(query, -all_angles[[row]]), turn(key, -all_angles[[column]])

    def score(distance: int, shift: int) -> float:
        places = max(distance, 0) + shift, max(-distance, 0) + shift
        one, other = (
            turn(x, all_angles[[place]]) for x, place in zip((query, key), places, strict=True)
        )
        return float((one * other).sum() * attention.scale)

    found = np.array([[score(d, shift) for shift in _SHIFTS] for d in distances])
    return Apart(
        distances=np.array(distances),
        scores=found[:, 0],
        here=row - column,
        score=float(attention.scores[0, head, row, column]),
        error=float(np.abs(found - found[:, :1]).max()),
    )


@torch.inference_mode()
def added_by_distance(
    model: "Transformer", side: Side, distances: range
) -> Float[np.ndarray, "head distance"]:
    """Return the number that each head adds to a score, by the distance from key to query."""
    stack = present(model.encoder if side == "source" else model.decoder)
    longest = max(map(abs, distances)) + 1
    bias = present(stack.where(longest, device=model.device).bias)[0].cpu().double().numpy()
    pairs = [(max(d, 0), max(-d, 0)) for d in distances]
    return np.stack([bias[:, query, key] for query, key in pairs], axis=1)
