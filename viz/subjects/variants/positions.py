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
from viz.subjects.variants.material import Material, score_target, source_ids, target_ids
from viz.subjects.variants.report import Demonstration, Lines, Table, Value, share, short

_FURTHEST = 100
"""Places apart that are compared."""
_WITHIN = 50
_STILL = 0.1
"""A dimension whose values span less than this, of the 2 from -1 to 1, hardly moves."""
_NEAR = 0.05
"""Part of the largest possible distance below which two positions nearly coincide."""
_MOVED = tuple(range(0, 67, 2))
_JOINED = 10
_LONG_TEXTS = 4
_BAND = 22


@dataclass(frozen=True, eq=False)
class Frequencies(Demonstration):
    """How far apart positions are with one frequency and with many, and what a model makes of it.

    By variant: `headlist` has one frequency, the paper many.
    """

    variants: tuple[str, str]
    """The one to look at, and the paper."""
    distances: Mapping[str, Float[np.ndarray, " apart"]]
    """Mean distance of positions 0 to 100 apart, as a part of that of opposite encodings."""
    moved: Mapping[str, Float[np.ndarray, " places"]]
    """Loss when whole sentences are moved by so many places, at `_MOVED`."""
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

    @property
    def verdict(self) -> str:
        """Say which positions coincide, and what a sentence there suffers."""
        name, paper = self.variants
        near, far = self.nearest, self.furthest
        own, other = self.distances[name], self.distances[paper]
        if own[near] >= _NEAR:
            return (
                f"No two positions up to {len(own) - 1} apart coincide: the nearest, {near} apart, "
                f"are at {share(own[near])} of the largest distance (the paper's: "
                f"{share(other[near])})."
            )
        moved, still = self.moved[name], self.moved[paper]
        at = _MOVED.index(near) if near in _MOVED else None
        told = ""
        if at is not None:
            blind = moved[at] < 2 * moved[0]
            told = (
                f" Moved by {near} places, the loss of {name} goes from {short(moved[0])} to "
                f"{short(moved[at])}: it {'cannot tell' if blind else 'can tell'} the two apart; "
                f"the paper's goes from {short(still[0])} to {short(still[at])}."
            )
        return (
            f"Positions {near} apart nearly coincide: {share(own[near])} of the largest distance "
            f"(the paper's: {share(other[near])}); {far} apart they are at {share(own[far])}, "
            f"{'opposite' if own[far] > 1 - _NEAR else 'furthest apart'}.{told}{self._long_texts}"
        )

    @property
    def _long_texts(self) -> str:
        own, paper = (self.joined[name] for name in self.variants)
        if not len(own):
            return ""
        first = _BAND * (len(own) - 1)
        than = "lower than" if own[-1] < paper[-1] else "not lower than"
        return (
            f" In sentences joined into long texts, at target positions {first} to "
            f"{first + _BAND - 1}, {self.variants[0]} has a loss of {short(own[-1])}, {than} the "
            f"paper's {short(paper[-1])}; neither was trained on texts so long."
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give the losses along long targets."""
        bands = len(self.joined[self.variants[0]])
        head = tuple(f"{_BAND * i} to {_BAND * (i + 1) - 1}" for i in range(bands))
        rows: list[tuple[Value, ...]] = [
            (name, *map(float, self.joined[name])) for name in self.variants
        ]
        return (
            Table(f"Loss at target positions of {_JOINED} sentences joined", ("", *head), (*rows,)),
        )

    @property
    def lines(self) -> tuple[Lines, ...]:
        """Draw the distances, and the losses of moved sentences."""
        marks = (float(self.furthest), float(self.nearest))
        return (
            Lines(
                title="Distance of two positions",
                x_title="places apart",
                y_title="part of the largest",
                x=np.arange(_FURTHEST + 1.0),
                lines=self.distances,
                marks=marks,
            ),
            Lines(
                title="Loss of sentences moved by some places",
                x_title="places moved",
                y_title="nats a token",
                x=np.array(_MOVED, dtype=float),
                lines=self.moved,
                marks=marks,
            ),
        )


@dataclass(frozen=True, eq=False)
class Movement(Demonstration):
    """How much each dimension of an encoding changes over the first positions."""

    spans: Mapping[str, Float[np.ndarray, " dimension"]]
    """Largest less smallest value, by kind of positions; the paper's kind is the last."""

    @property
    def still(self) -> dict[str, int]:
        """Count the dimensions that hardly move."""
        return {kind: int((span < _STILL).sum()) for kind, span in self.spans.items()}

    @property
    def verdict(self) -> str:
        """Compare the variant's count with the paper's."""
        (kind, own), (_, paper) = self.still.items()
        total = len(self.spans[kind])
        than = "more than" if own > paper else "fewer than" if own < paper else "as many as"
        return (
            f"With {kind} positions {own} of {total} dimensions span less than {_STILL:g} of the 2 "
            f"from −1 to 1 over {_WITHIN} positions, {than} the paper's {paper}."
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give the counts."""
        rows = [(kind, count, len(self.spans[kind])) for kind, count in self.still.items()]
        head = ("", f"span less than {_STILL:g}", "dimensions")
        return (Table(f"Dimensions that hardly move over {_WITHIN} positions", head, (*rows,)),)

    @property
    def lines(self) -> tuple[Lines, ...]:
        """Draw the span of each dimension."""
        size = len(next(iter(self.spans.values())))
        return (
            Lines(
                title=f"What each dimension spans over {_WITHIN} positions",
                x_title="dimension",
                y_title="largest less smallest value",
                x=np.arange(size, dtype=float),
                lines=self.spans,
            ),
        )


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
    tables = {kind: fixed_positions(kind, _WITHIN, config.d_model) for kind in kinds}
    return Movement(
        {kind.replace("_", " "): np.ptp(table.numpy(), axis=0) for kind, table in tables.items()}
    )


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
    edits = [move(kind, places) for places in _MOVED]
    return np.array([score_target(checkpoint, source, target, each).loss for each in edits])


def _losses_joined(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> Float[np.ndarray, " band"]:
    """Mean loss by bands of target positions, up to the last that each long target fills."""
    rows: list[Tensor] = []
    pairs = pairs[: _JOINED * _LONG_TEXTS]
    for start in range(0, len(pairs) - _JOINED + 1, _JOINED):
        some = pairs[start : start + _JOINED]
        source, target = (" ".join(side) for side in zip(*some, strict=True))
        ids = source_ids(checkpoint, source), target_ids(checkpoint, target)
        rows.append(score_target(checkpoint, *ids).losses)
    losses = pad_sequence(rows, batch_first=True, padding_value=float("nan"))
    longest = min(map(len, rows)) // _BAND * _BAND
    bands = losses[:, :longest].double().unflatten(1, (-1, _BAND))
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
