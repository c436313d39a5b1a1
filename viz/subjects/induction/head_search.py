"""Finds the heads that copy in a run: a previous-token head and an induction head."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from model.attribution.copying import (
    LEAST_SHARE,
    HeadReading,
    Share,
    followers_of,
    read_heads,
)
from model.traces import TransformerTrace, present
from viz.heads.even_rows import STANDS_OUT
from viz.run.axes import axis_tokens
from viz.run.record import Run

_KIND = "decoder self-attention"


@dataclass(frozen=True, eq=False)
class Trick:
    """The repetitions of a text, and the two heads that make most of them."""

    tokens: tuple[str, ...]
    """The token that each row reads."""
    followers: tuple[tuple[int, ...], ...]
    """For each row, the positions after the earlier copies of its token."""
    readings: tuple[HeadReading, ...]
    copier: HeadReading
    """The induction head, which reads the tokens after earlier copies."""
    before: HeadReading | None
    """The head in a lower layer that reads the token before each token; None if there is no lower
    layer."""
    weights: Float[np.ndarray, "layer head query key"]
    allowed: Int[np.ndarray, " query"]
    """The number of tokens that each row may read."""
    row: int
    """The first row to show: the first that writes, or the last with a copy."""
    likeliest: tuple[str, ...]
    """For each row, the most probable next token."""
    chances: tuple[float, ...]
    """For each row, the probability of that token."""

    def weight(self, head: HeadReading, row: int, columns: Sequence[int]) -> float:
        """Sum the weights of a head on some columns."""
        return float(self.weights[head.layer, head.head, row, list(columns)].sum())

    def share(self, head: HeadReading, row: int, columns: Sequence[int]) -> Share:
        """Compute the weight that a head gives to some columns of a row, and to the others."""
        others = max(int(self.allowed[row]) - len(columns), 1)
        weight = self.weight(head, row, columns)
        return Share(weight, weight / max(len(columns), 1), (1 - weight) / others)

    def does(self, head: HeadReading, row: int, columns: Sequence[int]) -> bool:
        """Return whether a head does its half of the mechanism in a row: it reads these columns."""
        return bool(columns) and counts_here(self.share(head, row, columns))

    @property
    def is_there(self) -> bool:
        """Return whether two heads copy in this text: each does its half, over all rows."""
        return bool(self.before and self.before.on_previous.counts and self.copier.on_copies.counts)


def counts_here(share: Share) -> bool:
    """Return whether a share suffices in one row, for a head that has it on average."""
    return share.weight >= LEAST_SHARE and share.each >= STANDS_OUT * share.others


def head_name(layer: int, head: int) -> str:
    """Name a head as all pages do."""
    return f"L{layer} H{head}"


def find_trick(run: Run) -> Trick | None:
    """Find the two heads in a run of a decoder-only model; None if no token occurs twice."""
    return trick_of(run, run.trace)


def trick_of(
    run: Run, trace: TransformerTrace, copier: tuple[int, int] | None = None
) -> Trick | None:
    """Find the two heads in any trace of a run's text, or the partner of a given head."""
    layers = present(trace.decoder).layers
    weights = np.nan_to_num(np.concatenate([x.self_attn.weights.numpy() for x in layers]))
    rows = weights.shape[-1]
    followers = followers_of(run.target_ids[:rows], run.info.tokenizers.target.specials.all)
    if not any(followers):
        return None
    mask = present(layers[0].self_attn.mask)[0].expand(rows, rows).numpy()
    allowed = mask.sum(axis=-1)
    readings = read_heads(weights, followers, allowed)
    found, before = best_pair(readings, copier)
    likeliest, chances = _predictions(run, trace)
    return Trick(
        tokens=axis_tokens(run, _KIND)[0],
        followers=followers,
        readings=readings,
        copier=found,
        before=before,
        weights=weights,
        allowed=allowed,
        row=_telling_row(followers, run.n_prompt),
        likeliest=likeliest,
        chances=chances,
    )


def same_heads(trick: Trick, other: Trick) -> Trick:
    """Show the heads of another result in this text, even if others copy better here."""
    places = {(head.layer, head.head): head for head in trick.readings}
    before = other.before and places[other.before.layer, other.before.head]
    copier = places[other.copier.layer, other.copier.head]
    return replace(trick, copier=copier, before=before)


def best_pair(
    readings: Sequence[HeadReading], copier: tuple[int, int] | None = None
) -> tuple[HeadReading, HeadReading | None]:
    """Find the induction head and one below it: the pair whose weaker half is strongest.

    With a given induction head, find the best one below it; without lower heads, the best induction
    head alone.
    """
    copiers = [head for head in readings if (head.layer, head.head) == copier] or readings
    pairs = [(head, below) for head in copiers for below in readings if below.layer < head.layer]
    if not pairs:
        return max(copiers, key=lambda head: head.copies), None

    def halves(pair: tuple[HeadReading, HeadReading]) -> tuple[float, float]:
        weaker, stronger = sorted((pair[0].copies, pair[1].previous))
        return weaker, stronger

    return max(pairs, key=halves)


def _telling_row(followers: Sequence[Sequence[int]], wanted: int) -> int:
    with_copies = [row for row, columns in enumerate(followers) if columns]
    return wanted if wanted in with_copies else with_copies[-1]


def _predictions(run: Run, trace: TransformerTrace) -> tuple[tuple[str, ...], tuple[float, ...]]:
    chances = present(trace.logits)[0].float().softmax(dim=-1)
    most = chances.max(dim=-1)
    tokens = run.info.tokenizers.target.tokens(most.indices.tolist())
    return tokens, tuple(most.values.tolist())
