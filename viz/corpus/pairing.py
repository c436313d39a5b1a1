"""Heads of a model side by side: those that do the same."""

from dataclasses import dataclass

import numpy as np

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, mean
from viz.corpus.tables import HeadName


@dataclass(frozen=True)
class Pair:
    """Two heads, and in what share of a sentence's rows both read the same token most."""

    first: HeadName
    second: HeadName
    agreement: Estimate
    """Mean over the sentences."""


def same_heads(atlas: Atlas, head: HeadName, most: int = 5) -> tuple[Pair, ...]:
    """List the heads of its kind that most often read the same token as a head does."""
    kind = [other for other in atlas.heads if other.kind == head.kind and other != head]
    sentences, own = _keys(atlas, head)
    pairs = [
        Pair(head, other, _agreement(sentences, own, _keys(atlas, other)[1])) for other in kind
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.agreement.value)[:most])


def _keys(atlas: Atlas, head: HeadName) -> tuple[np.ndarray, np.ndarray]:
    """Return the sentence of each row of a head, and the key that it reads most."""
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
