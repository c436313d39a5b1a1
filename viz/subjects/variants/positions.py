"""Two other encodings of positions beside the paper's sinusoids (section 3.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.checkpoint import Checkpoint
from model.config import Positions
from model.edits import Edit, Edits
from model.positions import fixed_positions
from viz.run.encodings import STILL_BELOW, STILL_OVER, ranges
from viz.subjects.variants.material import Material, score_target, source_ids, target_ids

_FURTHEST = 100
"""Places apart that are compared."""
MOVED = tuple(range(0, 67, 2))
"""Places by which whole sentences are moved."""
JOINED = 10
"""Sentences that are joined into a long one."""
_LONG_TEXTS = 4
BAND = 22
"""Target positions whose losses are taken together."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How far apart positions are with one frequency and with many, and what a model makes of it.

    By variant: `headlist` has one frequency, the paper many.
    """

    variants: tuple[str, str]
    """The one to look at, and the paper."""
    distances: Mapping[str, Float[np.ndarray, " apart"]]
    """Mean distance of positions 0 to 100 apart, as a part of that of opposite encodings."""
    moved: Mapping[str, Float[np.ndarray, " places"]]
    """Loss when whole sentences are moved by so many places, at `MOVED`."""
    joined: Mapping[str, Float[np.ndarray, " band"]]
    """Loss at target positions 0 to 21, 22 to 43, and so on, of sentences joined into long ones."""

    @property
    def nearest(self) -> int:
        """Places apart at which the variant's positions come nearest to each other."""
        return int(self.distances[self.variants[0]][1:].argmin()) + 1

    @property
    def furthest(self) -> int:
        """Places apart, up to `nearest`, at which they are furthest from each other."""
        return int(self.distances[self.variants[0]][: self.nearest + 1].argmax())


@dataclass(frozen=True, eq=False)
class Movement:
    """How much each dimension of an encoding changes over the first positions."""

    spans: Mapping[Positions, Float[np.ndarray, " dimension"]]
    """Range of its values, by kind of positions; the paper's kind is the last."""

    @property
    def still(self) -> dict[Positions, int]:
        """Count the dimensions that hardly move."""
        return {kind: int((span < STILL_BELOW).sum()) for kind, span in self.spans.items()}


def compare_frequencies(material: Material, variant: str = "headlist") -> Frequencies:
    """Measure the encoding of a variant beside the paper's, and both checkpoints by it."""
    distances, moved, joined = {}, {}, {}
    for name in (variant, "paper"):
        checkpoint = material.checkpoints[name]
        config = checkpoint.model.config
        distances[name] = position_distances(config.positions, config.d_model)
        moved[name] = _losses_moved(checkpoint, material.pairs)
        joined[name] = _losses_joined(checkpoint, material.pairs)
    return Frequencies((variant, "paper"), distances, moved, joined)


def compare_movement(material: Material, variant: str = "addnorm") -> Movement:
    """Measure how much the dimensions of a variant's positions move beside the paper's."""
    config = material.checkpoints[variant].model.config
    kinds: tuple[Positions, ...] = (config.positions, "sinusoidal")
    tables: dict[Positions, Tensor] = {
        kind: fixed_positions(kind, STILL_OVER, config.d_model) for kind in kinds
    }
    return Movement({kind: ranges(table.double().numpy()) for kind, table in tables.items()})


def position_distances(kind: Positions, d_model: int) -> Float[np.ndarray, " apart"]:
    """Mean distance of positions 0 to 100 apart; opposite encodings of sines are at 1."""
    table = fixed_positions(kind, 2 * _FURTHEST, d_model).double().numpy()
    opposite = 2 * np.linalg.norm(table, axis=1).mean()
    apart = [table[k : k + _FURTHEST] - table[:_FURTHEST] for k in range(_FURTHEST + 1)]
    return np.array([np.linalg.norm(gap, axis=1).mean() for gap in apart]) / opposite


def move(kind: Positions, places: int) -> Edits:
    """Make edits that give a source and its target the positions from `places` on."""

    def shifted(positions: Tensor) -> Tensor:
        length, d_model = positions.shape
        return fixed_positions(kind, places + length, d_model)[places:].to(positions)

    edit: Edit = shifted
    return Edits({"source_embedding.positions": edit, "target_embedding.positions": edit})


def _losses_moved(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> Float[np.ndarray, " places"]:
    source, target = _largest_batch(checkpoint, pairs)
    kind = checkpoint.model.config.positions
    edits = [move(kind, places) for places in MOVED]
    return np.array([score_target(checkpoint, source, target, each).loss for each in edits])


def _losses_joined(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> Float[np.ndarray, " band"]:
    """Mean loss by bands of target positions, up to the last that each long target fills."""
    rows: list[Tensor] = []
    pairs = pairs[: JOINED * _LONG_TEXTS]
    for start in range(0, len(pairs) - JOINED + 1, JOINED):
        some = pairs[start : start + JOINED]
        source, target = (" ".join(side) for side in zip(*some, strict=True))
        ids = source_ids(checkpoint, source), target_ids(checkpoint, target)
        rows.append(score_target(checkpoint, *ids).losses)
    losses = pad_sequence(rows, batch_first=True, padding_value=float("nan"))
    longest = min(map(len, rows)) // BAND * BAND
    bands = losses[:, :longest].double().unflatten(1, (-1, BAND))
    return bands.mean(dim=(0, 2)).numpy()


def _largest_batch(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> tuple[Int[Tensor, "batch source"], Int[Tensor, "batch target"]]:
    """Group the pairs by their lengths, and give the largest group: nothing is padded."""
    groups: dict[tuple[int, int], list[tuple[Tensor, Tensor]]] = {}
    for source, target in pairs:
        ids = source_ids(checkpoint, source), target_ids(checkpoint, target)
        groups.setdefault((ids[0].size(1), ids[1].size(1)), []).append(ids)
    largest = max(groups.values(), key=len)
    sources, targets = zip(*largest, strict=True)
    return torch.cat(sources), torch.cat(targets)
