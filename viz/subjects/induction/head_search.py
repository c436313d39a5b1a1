"""Which heads copy in a run: one reads the word before, one what followed earlier copies."""

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
    """Where a text repeats itself, and the two heads that make most of it."""

    tokens: tuple[str, ...]
    """One for each row: the token that reads."""
    followers: tuple[tuple[int, ...], ...]
    """Of each row, the places after the earlier copies of its token."""
    readings: tuple[HeadReading, ...]
    copier: HeadReading
    """The head that reads what followed the copies."""
    before: HeadReading | None
    """The head in a lower layer that reads the token before each token; None if no layer is
    lower."""
    weights: Float[np.ndarray, "layer head query key"]
    allowed: Int[np.ndarray, " query"]
    """How many tokens each row may read."""
    row: int
    """The row that is worth a look: the one that writes first, or the last one with a copy."""
    likeliest: tuple[str, ...]
    """Of each row, the token that is the most probable one next."""
    chances: tuple[float, ...]
    """Of each row, the probability of that token."""

    def weight(self, head: HeadReading, row: int, columns: Sequence[int]) -> float:
        """Add up what a head reads of some columns."""
        return float(self.weights[head.layer, head.head, row, list(columns)].sum())

    def share(self, head: HeadReading, row: int, columns: Sequence[int]) -> Share:
        """Compute the weight that a head gives to some columns of a row, and to the others."""
        others = max(int(self.allowed[row]) - len(columns), 1)
        weight = self.weight(head, row, columns)
        return Share(weight, weight / max(len(columns), 1), (1 - weight) / others)

    def does(self, head: HeadReading, row: int, columns: Sequence[int]) -> bool:
        """Tell whether a head does its half of the trick in a row: reads these columns."""
        return bool(columns) and counts_here(self.share(head, row, columns))

    @property
    def is_there(self) -> bool:
        """Whether two heads make the trick in this text: each does its half, over all rows."""
        return bool(self.before and self.before.on_previous.counts and self.copier.on_copies.counts)


def counts_here(share: Share) -> bool:
    """Return whether a share is enough in one row of a text in which a head has it on average."""
    return share.weight >= LEAST_SHARE and share.each >= STANDS_OUT * share.others


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
    """Show the heads of another trick, though they may not be those that copy best in this one."""
    places = {(head.layer, head.head): head for head in trick.readings}
    before = other.before and places[other.before.layer, other.before.head]
    copier = places[other.copier.layer, other.copier.head]
    return replace(trick, copier=copier, before=before)


def best_pair(
    readings: Sequence[HeadReading], copier: tuple[int, int] | None = None
) -> tuple[HeadReading, HeadReading | None]:
    """Find the head that copies and one below it: the pair whose weaker half is the strongest.

    With a copier named, the best one below it; where no head is below, the best copier alone.
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
