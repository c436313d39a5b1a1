"""What a page and the process that projects for it say to each other."""

import dataclasses

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.projection import PCA, TSNE, UMAP, Projection, Settings
from viz.work.messages import Message

_METHODS: dict[str, type[Settings]] = {method.__name__: method for method in (PCA, TSNE, UMAP)}


def pack_request(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Message:
    """Ask for a projection."""
    method = type(settings).__name__
    return {"vectors": vectors, "method": method, "settings": dataclasses.asdict(settings)}


def read_request(request: Message) -> tuple[Float[np.ndarray, "point d_model"], Settings]:
    """Read what `pack_request` wrote."""
    return request["vectors"], _METHODS[request["method"]](**request["settings"])


def pack_projection(projection: Projection) -> Message:
    """Answer with a projection."""
    return {f.name: getattr(projection, f.name) for f in dataclasses.fields(projection)}


def read_projection(answer: Message) -> Projection:
    """Read what `pack_projection` wrote."""
    return Projection(**answer)
