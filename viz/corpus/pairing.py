"""Heads side by side: those of one model that do the same, and those of two models."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Int
from scipy.optimize import linear_sum_assignment

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, mean
from viz.corpus.spread import values_of
from viz.corpus.tables import HeadName


@dataclass(frozen=True)
class Pair:
    """Two heads, and in what share of a sentence's rows both read the same token most."""

    first: HeadName
    second: HeadName
    agreement: Estimate
    """Mean over the sentences."""


@dataclass(frozen=True)
class Difference:
    """A number of a head in one model less that of a head in another, sentence by sentence."""

    metric: str
    first: Estimate
    second: Estimate
    difference: Estimate
    higher: int
    """Sentences in which it is higher in the second."""
    lower: int


def same_heads(atlas: Atlas, head: HeadName, most: int = 5) -> tuple[Pair, ...]:
    """List the heads of its kind that most often read the same token as a head does."""
    kind = [other for other in atlas.heads if other.kind == head.kind and other != head]
    sentences, own = _keys(atlas, head)
    pairs = [
        Pair(head, other, _agreement(sentences, own, _keys(atlas, other)[1])) for other in kind
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.agreement.value)[:most])


def pairs_alike(atlas: Atlas, most: int = 10) -> tuple[Pair, ...]:
    """List the pairs of heads of one kind that most often read the same token."""
    keys = {head: _keys(atlas, head) for head in atlas.heads}
    found = [
        Pair(one, other, _agreement(keys[one][0], keys[one][1], keys[other][1]))
        for one, other in combinations(atlas.heads, 2)
        if one.kind == other.kind
    ]
    return tuple(sorted(found, key=lambda pair: -pair.agreement.value)[:most])


def difference(
    first: Atlas, second: Atlas, heads: tuple[HeadName, HeadName], metric: str
) -> Difference | None:
    """Compare a head of each of two models: the second less the first, in each sentence of both.

    None where they share no sentence, or the metric has no meaning in any.
    """
    of_first, of_second = _shared(first, second)
    one = values_of(first, heads[0], metric)[of_first].astype(np.float64)
    two = values_of(second, heads[1], metric)[of_second].astype(np.float64)
    both = np.isfinite(one) & np.isfinite(two)
    if not both.any():
        return None
    apart = (two - one)[both]
    return Difference(
        metric,
        mean(one[both]),
        mean(two[both]),
        mean(apart),
        int((apart > 0).sum()),
        int((apart < 0).sum()),
    )


def matched_heads(first: Atlas, second: Atlas) -> Mapping[HeadName, Pair]:
    """Give each head of a model the one of another that does its work: heads have no fixed places.

    Each of the other is given once: so that all pairs together read the same token most often (the
    Hungarian method), among heads of one kind. Empty where they share no sentence.
    """
    of_first, of_second = _shared(first, second)
    if not len(of_first):
        return {}
    found: dict[HeadName, Pair] = {}
    for kind in dict.fromkeys(head.kind for head in first.heads):
        ones = [head for head in first.heads if head.kind == kind]
        twos = [head for head in second.heads if head.kind == kind]
        if not twos:
            continue
        rows = _same_rows(first, second, ones[0], twos[0], of_first, of_second)
        keys_one = [_keys(first, head)[1][rows.first] for head in ones]
        keys_two = [_keys(second, head)[1][rows.second] for head in twos]
        table = [[_agreement(rows.sentence, a, b) for b in keys_two] for a in keys_one]
        cost = -np.array([[each.value for each in row] for row in table])
        for one, two in zip(*linear_sum_assignment(cost), strict=True):
            found[ones[one]] = Pair(ones[one], twos[two], table[one][two])
    return found


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that two models have alike: their places among those of either."""

    first: Int[np.ndarray, " row"]
    second: Int[np.ndarray, " row"]
    sentence: Int[np.ndarray, " row"]
    """Of the first model."""


def _same_rows(
    first: Atlas,
    second: Atlas,
    one: HeadName,
    two: HeadName,
    of_first: Int[np.ndarray, " shared"],
    of_second: Int[np.ndarray, " shared"],
) -> _Rows:
    """Pair the rows of the sentences that both models cut into equally many tokens."""
    sentences_one, _ = _keys(first, one)
    sentences_two, _ = _keys(second, two)
    starts_one, counts_one = _starts(sentences_one)
    starts_two, counts_two = _starts(sentences_two)
    rows: tuple[list[int], list[int]] = ([], [])
    for a, b in zip(of_first.tolist(), of_second.tolist(), strict=True):
        if counts_one[a] == counts_two[b]:
            rows[0].extend(range(starts_one[a], starts_one[a] + counts_one[a]))
            rows[1].extend(range(starts_two[b], starts_two[b] + counts_two[b]))
    at_one, at_two = np.array(rows[0], np.int64), np.array(rows[1], np.int64)
    return _Rows(at_one, at_two, sentences_one[at_one])


def _starts(sentences: Int[np.ndarray, " row"]) -> tuple[np.ndarray, np.ndarray]:
    """Say where the rows of each sentence begin, by its place in order, and how many they are."""
    _, starts, counts = np.unique(sentences, return_index=True, return_counts=True)
    return starts, counts


def _shared(
    first: Atlas, second: Atlas
) -> tuple[Int[np.ndarray, " shared"], Int[np.ndarray, " shared"]]:
    """Give the places of the sentences that both have: in each atlas, by its own order."""
    texts = "select source, target from sentences order by sentence"
    one, two = (atlas.ask(texts) for atlas in (first, second))
    places = {pair: place for place, pair in enumerate(two.itertuples(index=False, name=None))}
    found = [
        (place, places[pair])
        for place, pair in enumerate(one.itertuples(index=False, name=None))
        if pair in places
    ]
    shared = np.array(found, np.int64).reshape(-1, 2)
    return shared[:, 0], shared[:, 1]


def _keys(atlas: Atlas, head: HeadName) -> tuple[np.ndarray, np.ndarray]:
    """Give the sentence of each row of a head, and the key that it reads most."""
    found = atlas.ask(
        """select sentence, "key" from cells where kind = ? and layer = ? and head = ?
        order by sentence, query""",
        *head,
    )
    return found["sentence"].to_numpy(np.int64), found["key"].to_numpy(np.int64)


def _agreement(sentences: np.ndarray, one: np.ndarray, two: np.ndarray) -> Estimate:
    """Estimate the share of rows in which two heads read the same, sentences counting alike."""
    _, place = np.unique(sentences, return_inverse=True)
    return mean(np.bincount(place, one == two) / np.bincount(place))
