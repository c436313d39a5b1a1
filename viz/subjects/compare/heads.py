"""How much each head of two runs differs, row by row, and which other head it is paired with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import linear_sum_assignment

from viz.heads.telling_cells import is_word
from viz.heads.text_alignment import Pairs
from viz.run.axes import AttentionKind, attention_trace, axis_tokens, layer_count
from viz.run.record import Run
from viz.subjects.compare.divergence import jensen_shannon, share_moved
from viz.subjects.compare.pairing import Pairing

_Stack = Float[np.ndarray, "head row key"]
_NOTHING = 1e-6
"""The share of the weight that rounding alone can move."""


class Row(NamedTuple):
    """One row of one head, and how far it moved."""

    kind: AttentionKind
    layer: int
    head: int
    place: int
    """The index among the pairs of rows."""
    moved: float
    """The share of the row's weight that lies elsewhere."""
    mean: float
    """The mean share over all rows of the head."""


@dataclass(frozen=True, eq=False)
class KindChange:
    """The changes of one kind of attention."""

    kind: AttentionKind
    rows: Pairs
    columns: Pairs
    moved: Float[np.ndarray, "layer head row"]
    """The share of each row's weight that lies elsewhere; NaN if it or its head has no partner."""
    match: tuple[tuple[int | None, ...], ...]
    """For each layer and head of A, the head of B that it is compared with."""
    telling: Bool[np.ndarray, " row"]
    """The rows that count most: those of words, or all if there are none."""

    def strongest(self) -> Iterator[Row]:
        """Yield for each head the word's row that moved most; nothing for a head without rows."""
        for layer, head in np.ndindex(*self.moved.shape[:2]):
            moved = np.where(self.telling, self.moved[layer, head], np.nan)
            if not np.isnan(moved).all():
                place = int(np.nanargmax(moved))
                mean = float(np.nanmean(self.moved[layer, head]))
                yield Row(self.kind, layer, head, place, float(moved[place]), mean)


def kind_changes(
    a: Run, b: Run, pairing: Pairing, *, by_likeness: bool
) -> dict[AttentionKind, KindChange]:
    """Compare every head of two runs with equal kinds of attention, in the layers both have.

    Args:
        a: The run in view.
        b: The other run.
        pairing: The pairs of their tokens.
        by_likeness: Whether to compare a head with the most similar one of its layer instead of
            the one with its number.
    """
    return {
        kind: _compare_kind(a, b, pairing, kind, by_likeness=by_likeness)
        for kind in a.anatomy.names
    }


def strongest_rows(changes: Mapping[AttentionKind, KindChange]) -> list[Row]:
    """List the strongest row of each head, the head that moved most first."""
    rows = [row for change in changes.values() for row in change.strongest()]
    return sorted(rows, key=lambda row: -row.moved)


def match_heads(likeness: Float[np.ndarray, "head other"]) -> tuple[int | None, ...]:
    """Pair each head with a different one so that the sum of all distances is smallest."""
    ours, others = linear_sum_assignment(np.nan_to_num(likeness, nan=1.0))
    found: dict[int, int] = dict(zip(ours.tolist(), others.tolist(), strict=True))
    return tuple(found.get(head) for head in range(likeness.shape[0]))


def _compare_kind(
    a: Run, b: Run, pairing: Pairing, kind: AttentionKind, *, by_likeness: bool
) -> KindChange:
    rows, columns = pairing.axes(kind, a, b)
    layers = min(layer_count(run.info.config, kind) for run in (a, b))
    moved, match = [], []
    for layer in range(layers):
        p, q = _paired(a, b, kind, layer, (rows, columns))
        heads, others = len(p), len(q)
        chosen = tuple(head if head < others else None for head in range(heads))
        if by_likeness:
            chosen = match_heads(_distances(p, q))
        taken = np.stack(
            [q[other] if other is not None else np.full_like(q[0], np.nan) for other in chosen]
        )
        match.append(chosen)
        moved.append(_unpaired_as_nan(share_moved(p, taken), rows))
    found = np.stack(moved)
    return KindChange(
        kind=kind,
        rows=rows,
        columns=columns,
        moved=np.where(found < _NOTHING, 0.0, found),
        match=tuple(match),
        telling=_telling(axis_tokens(a, kind)[0], rows),
    )


def _telling(tokens: Sequence[str], rows: Pairs) -> Bool[np.ndarray, " row"]:
    """Choose the rows of words that both runs have, because a full stop or an end says little."""
    words = [i is not None and j is not None and is_word(tokens[i]) for i, j in rows]
    return np.array(words if any(words) else [True] * len(rows))


def _distances(p: _Stack, q: _Stack) -> Float[np.ndarray, "head other"]:
    """Return the mean divergence of every two heads, one of each run."""
    return np.stack([jensen_shannon(np.broadcast_to(one, q.shape), q).mean(axis=-1) for one in p])


def _paired(
    a: Run, b: Run, kind: AttentionKind, layer: int, axes: tuple[Pairs, Pairs]
) -> tuple[_Stack, _Stack]:
    """Return the weights of a layer over the union of the keys, in the rows that both have.

    A row that only one run has is all 0, as is a key that a run lacks.
    """
    rows, columns = axes
    placed = []
    for side, run in enumerate((a, b)):
        weights = np.nan_to_num(attention_trace(run, kind, layer).weights[0].double().numpy())
        whole = np.zeros((len(weights), len(rows), len(columns)))
        to_rows, of_rows = _places([p if None not in p else (None, None) for p in rows], side)
        to_columns, of_columns = _places(columns, side)
        part = weights[:, of_rows][:, :, of_columns]
        whole[np.ix_(range(len(weights)), to_rows, to_columns)] = part
        placed.append(whole)
    return placed[0], placed[1]


def _places(
    pairs: Pairs | list[tuple[int | None, int | None]], side: int
) -> tuple[list[int], list[int]]:
    found = [(place, pair[side]) for place, pair in enumerate(pairs)]
    there = [(place, position) for place, position in found if position is not None]
    return [place for place, _ in there], [position for _, position in there]


def _unpaired_as_nan(
    values: Float[np.ndarray, "head row"], rows: Pairs
) -> Float[np.ndarray, "head row"]:
    paired = np.array([None not in pair for pair in rows])
    return np.where(paired, values, np.nan)
