"""What all sessions share: the words of a run's model, and pictures of whole vocabularies."""

import hashlib

import numpy as np
from jaxtyping import Float

from viz.run.result_cache import cached
from viz.run.view import View, per_view
from viz.subjects.embeddings.geometry import tsne
from viz.subjects.embeddings.points import Side, Vocabulary, vocabulary


@per_view
def words_of(view: View, side: Side) -> Vocabulary:
    """Take the embeddings of the words of one language, as they are compared."""
    return vocabulary(view.run, view.ran, side)


def _key(vectors: Float[np.ndarray, "point d_model"]) -> str:
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest()


placed = cached(tsne, key=_key)
"""Run t-SNE, once for equal vectors."""
