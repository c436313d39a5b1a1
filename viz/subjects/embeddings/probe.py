"""Linear probes of the vectors of nouns (Alain and Bengio, 2016).

Half of the nouns fix each direction, and the other half tests it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from sample_data.word_classes import KnownNoun
from viz.subjects.embeddings.geometry import cosines
from viz.subjects.embeddings.points import Vocabulary

RIDGE = 1.0
"""The weight of the ridge penalty, for vectors with a total variance of 1."""
LEAST = 20
"""The number of nouns of each gender, and of each number, that both halves must have."""
BESIDE = 5
"""The number of a noun's neighbours whose gender is compared with its own."""


class Cut(NamedTuple):
    """A direction and its offset: positive on one side of the boundary, negative on the other."""

    weights: Float[np.ndarray, " d_model"]
    offset: float

    def of(self, vectors: Float[np.ndarray, "word d_model"]) -> Float[np.ndarray, " word"]:
        """Return the side of each vector and its distance: about 1 or −1."""
        return vectors @ self.weights + self.offset


@dataclass(frozen=True)
class Share:
    """How often a probe is right, and how often a constant answer would be."""

    right: float
    baseline: float
    """The share of the more frequent answer, or of chance."""
    nouns: int
    usual: bool
    """The more frequent answer."""

    @property
    def is_better(self) -> bool:
        """Whether chance does not explain the difference, which is over three standard errors."""
        error = (self.baseline * (1 - self.baseline) / self.nouns) ** 0.5
        return self.right - self.baseline > 3 * error


@dataclass(frozen=True, eq=False)
class NounPlane:
    """Nouns on two axes: across, masculine or feminine, and upwards, singular or plural."""

    words: tuple[str, ...]
    points: Float[np.ndarray, "word 2"]
    nouns: tuple[KnownNoun, ...]
    is_shown: Bool[np.ndarray, " word"]
    """Whether each noun was held out when the directions were fixed."""
    gender: Share
    number: Share
    near: Share
    """How many of the nouns nearest to a noun have its gender, against chance."""


def fit_cut(vectors: Float[np.ndarray, "word d_model"], answers: Bool[np.ndarray, " word"]) -> Cut:
    """Fit 1 to the vectors with the answer yes and −1 to the others, by ridge regression."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    size = float(centred.std()) or 1.0
    scaled = centred / size
    signs = np.where(answers, 1.0, -1.0)
    penalty = RIDGE * np.eye(scaled.shape[1])
    weights = np.linalg.solve(scaled.T @ scaled + penalty, scaled.T @ (signs - signs.mean()))
    weights = weights / size
    return Cut(weights, float(signs.mean() - mean @ weights))


def is_held_out(nouns: Sequence[KnownNoun]) -> Bool[np.ndarray, " word"]:
    """Choose every second French noun in alphabetical order, with all its words.

    A singular and its plural stay together because they have one gender.
    """
    order = {name: i for i, name in enumerate(sorted({noun.french for noun in nouns}))}
    return np.array([order[noun.french] % 2 == 0 for noun in nouns], bool)


def noun_plane(words: Vocabulary, known: Mapping[str, KnownNoun]) -> NounPlane | None:
    """Fit probes of gender and number to the nouns among some words; None if there are too few."""
    found = [i for i, token in enumerate(words.tokens) if token in known]
    nouns = tuple(known[words.tokens[i]] for i in found)
    feminine = np.array([noun.form.is_feminine for noun in nouns], bool)
    plural = np.array([noun.form.is_plural for noun in nouns], bool)
    shown = is_held_out(nouns)
    if any(
        np.count_nonzero(half & (answers == answer)) < LEAST
        for half in (shown, ~shown)
        for answers in (feminine, plural)
        for answer in (True, False)
    ):
        return None
    rows = words.rows[found].astype(np.float64)
    cuts = [fit_cut(rows[~shown], answers[~shown]) for answers in (feminine, plural)]
    points = np.stack([cut.of(rows) for cut in cuts], axis=1)
    return NounPlane(
        words=tuple(words.tokens[i] for i in found),
        points=points,
        nouns=nouns,
        is_shown=shown,
        gender=_share(points[shown, 0], feminine[shown]),
        number=_share(points[shown, 1], plural[shown]),
        near=_near(words.vectors[found], feminine),
    )


def _share(said: Float[np.ndarray, " word"], answers: Bool[np.ndarray, " word"]) -> Share:
    share = float(answers.mean())
    right = float(((said > 0) == answers).mean())
    return Share(right, max(share, 1 - share), len(answers), share > 0.5)


def _near(vectors: Float[np.ndarray, "word d_model"], answers: Bool[np.ndarray, " word"]) -> Share:
    """Compare each noun with those at the smallest angles to it."""
    alike = cosines(vectors)
    np.fill_diagonal(alike, -np.inf)
    nearest = np.argpartition(-alike, BESIDE, axis=1)[:, :BESIDE]
    same = answers[nearest] == answers[:, None]
    count = len(answers)
    of_answer = np.where(answers, answers.sum(), count - answers.sum())
    chance = float(((of_answer - 1) / (count - 1)).mean())
    return Share(float(same.mean()), chance, count, bool(answers.mean() > 0.5))
