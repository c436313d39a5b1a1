"""The choice of a projection: its method, its parameters, a plane or space; and what it gives."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from texts import say, say_of
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.address import bound
from viz.subjects.embeddings import words
from viz.subjects.embeddings.cache import projected
from viz.subjects.embeddings.projection import PCA, TSNE, Dimensions, Projection, Settings

_NEIGHBOURS, _SEEDS = (2, 50), (0, 9999)
_DIMENSIONS = ("2", "3")


def choose_method() -> tuple[str, Dimensions]:
    """Let a method be chosen, and a plane or space."""
    method = choose_one(say("embeddings.method"), words.METHODS, key="embeddings_method")
    shown = choose_one(
        say("embeddings.dimensions"),
        _DIMENSIONS,
        lambda dimensions: say_of("embeddings.dimension", dimensions),
        key="embeddings_dimensions",
    )
    return method, 3 if shown == "3" else 2


def choose_settings(method: str, dimensions: Dimensions, points: int) -> Settings:
    """Let the parameters of a method be chosen, as far as this many points allow them."""
    if method == "PCA":
        return PCA(dimensions)
    with st.container(horizontal=True, gap="medium"):
        perplexity = st.slider(
            say("embeddings.perplexity"),
            *_NEIGHBOURS,
            key=bound("embeddings_perplexity", 30, within=_NEIGHBOURS),
            width=190,
            help=say("embeddings.perplexity_help"),
        )
        seed = st.number_input(
            say("embeddings.seed"),
            *_SEEDS,
            key=bound("embeddings_seed", 0, within=_SEEDS),
            width=110,
            help=say("embeddings.seed_help"),
        )
    allowed = max(1, (points - 1) // 3)
    if perplexity > allowed:
        st.html(tokens.note(say("embeddings.perplexity_lowered", count=points, allowed=allowed)))
    return TSNE(dimensions, min(perplexity, allowed), seed)


def project(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Projection | None:
    """Project, or explain why it cannot be done."""
    if problem := words.cannot_project(len(vectors), vectors.shape[1], settings):
        st.html(tokens.notice(say("embeddings.not_projected"), problem))
        return None
    if isinstance(settings, PCA):
        return projected(vectors, settings)
    with st.spinner(say("embeddings.projecting"), show_time=True):
        return projected(vectors, settings)
