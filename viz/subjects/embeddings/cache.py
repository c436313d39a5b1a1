"""Results that all sessions share: the words of a model, and pictures of whole vocabularies."""

import hashlib
from collections.abc import Hashable, Mapping

import numpy as np
from jaxtyping import Float

from sample_data.word_classes import KnownNoun
from viz.heads.head_roles import word_classes
from viz.run.result_cache import cached
from viz.run.view import View, per_view
from viz.subjects.embeddings.geometry import tsne
from viz.subjects.embeddings.points import Side, Vocabulary, vocabulary
from viz.subjects.embeddings.probe import NounPlane, noun_plane


@per_view
def words_of(view: View, side: Side) -> Vocabulary:
    """Take the embeddings of the words of one language, prepared for comparison."""
    return vocabulary(view.run, view.opened.model, side)


def _key(vectors: Float[np.ndarray, "point d_model"]) -> str:
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest()


placed = cached(tsne, key=_key)
"""Run t-SNE, once for equal vectors."""


def nouns_of(view: View, words: Vocabulary) -> NounPlane | None:
    """Divide the nouns of one language by gender and number, once for each model."""
    return _plane(words, getattr(word_classes(view.run.info), f"{words.side}_nouns"))


def _key_of_nouns(words: Vocabulary, known: Mapping[str, KnownNoun]) -> Hashable:
    return (words.side, words.tokens, _key(words.rows), len(known))


_plane = cached(noun_plane, key=_key_of_nouns)
