"""Which heads copy in a run: one reads the word before, one what followed earlier copies."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from model.traces import TransformerTrace, present
from viz.run.record import Run, axis_tokens

_KIND = "decoder self-attention"


@dataclass(frozen=True)
class HeadReading:
    """What one head reads in the rows of one text, in the mean."""

    layer: int
    head: int
    previous: float
    """Weight on the token before the row's own."""
    copies: float
    """Weight on the tokens that followed earlier copies of the row's own, in rows that have any."""


@dataclass(frozen=True, eq=False)
class Trick:
    """Where a text repeats itself, and the two heads that make most of it."""

    tokens: tuple[str, ...]
    """One for each row: the token that reads."""
    followers: tuple[tuple[int, ...], ...]
    """Of each row, the places after the earlier copies of its token."""
    readings: tuple[HeadReading, ...]
    copier: HeadReading
    """The head that reads most of what followed the copies."""
    before: HeadReading | None
    """The head of a layer below it that reads most of what stands before each token; None where
    there is no layer below."""
    weights: Float[np.ndarray, "layer head query key"]
    row: int
    """The row that is worth a look: the one that writes first, or the last one with a copy."""
    likeliest: tuple[str, ...]
    """Of each row, the token that is the most probable one next."""
    chances: tuple[float, ...]
    """Of each row, the probability of that token."""

    def weight(self, head: HeadReading, row: int, columns: Sequence[int]) -> float:
        """Add up what a head reads of some columns."""
        return float(self.weights[head.layer, head.head, row, list(columns)].sum())


def head_name(layer: int, head: int) -> str:
    """Name a head as all pages do."""
    return f"L{layer} H{head}"


def find_trick(run: Run) -> Trick | None:
    """Look for the two heads in a run of a decoder alone; None where no token comes twice."""
    return trick_of(run, run.trace)


def trick_of(
    run: Run, trace: TransformerTrace, copier: tuple[int, int] | None = None
) -> Trick | None:
    """Look for the two heads in any trace of a run's text, or for the one that tells a head."""
    layers = present(trace.decoder).layers
    weights = np.nan_to_num(np.concatenate([x.self_attn.weights.numpy() for x in layers]))
    rows = weights.shape[-1]
    followers = followers_of(run.target_ids[:rows], run.info.tokenizers.target.specials.all)
    if not any(followers):
        return None
    readings = read_heads(weights, followers)
    named = [head for head in readings if (head.layer, head.head) == copier]
    copier_found = named[0] if named else max(readings, key=lambda head: head.copies)
    below = [head for head in readings if head.layer < copier_found.layer]
    likeliest, chances = _predictions(run, trace)
    return Trick(
        tokens=axis_tokens(run, _KIND)[0],
        followers=followers,
        readings=readings,
        copier=copier_found,
        before=max(below, key=lambda head: head.previous, default=None),
        weights=weights,
        row=_telling_row(followers, run.n_prompt),
        likeliest=likeliest,
        chances=chances,
    )


def same_heads(trick: Trick, other: Trick) -> Trick:
    """Show the heads of another trick, though they may not be those that copy best in this one."""
    places = {(head.layer, head.head): head for head in trick.readings}
    before = other.before and places[other.before.layer, other.before.head]
    copier = places[other.copier.layer, other.copier.head]
    return replace(trick, copier=copier, before=before)


def followers_of(ids: Sequence[int], specials: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Return for each place the places that follow earlier copies of its token."""
    seen: defaultdict[int, list[int]] = defaultdict(list)
    found: list[tuple[int, ...]] = []
    for place, id in enumerate(ids):
        found.append(tuple(at + 1 for at in seen[id]))
        if id not in specials:
            seen[id].append(place)
    return tuple(found)


def read_heads(
    weights: Float[np.ndarray, "layer head query key"], followers: Sequence[Sequence[int]]
) -> tuple[HeadReading, ...]:
    """Measure in each head what it reads of the token before, and of what followed copies."""
    size = weights.shape[-1]
    gold: Bool[np.ndarray, "query key"] = np.zeros((size, size), dtype=bool)
    for row, columns in enumerate(followers):
        gold[row, list(columns)] = True
    with_copies = gold.any(axis=1)
    copies = (weights * gold).sum(axis=-1)[..., with_copies].mean(axis=-1)
    previous = weights.diagonal(offset=-1, axis1=-2, axis2=-1)
    before = previous.mean(axis=-1) if size > 1 else np.zeros(weights.shape[:2])
    return tuple(
        HeadReading(layer, head, float(before[layer, head]), float(copies[layer, head]))
        for layer in range(weights.shape[0])
        for head in range(weights.shape[1])
    )


def _telling_row(followers: Sequence[Sequence[int]], wanted: int) -> int:
    with_copies = [row for row, columns in enumerate(followers) if columns]
    return wanted if wanted in with_copies else with_copies[-1]


def _predictions(run: Run, trace: TransformerTrace) -> tuple[tuple[str, ...], tuple[float, ...]]:
    chances = present(trace.logits)[0].float().softmax(dim=-1)
    most = chances.max(dim=-1)
    tokens = run.info.tokenizers.target.tokens(most.indices.tolist())
    return tokens, tuple(most.values.tolist())
