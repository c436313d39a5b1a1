"""The choice of a projection: its method, its parameters, a plane or space."""

import streamlit as st

from texts import say, say_of
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.address import bound
from viz.subjects.embeddings import words
from viz.subjects.embeddings.projection import (
    METRICS,
    PCA,
    TSNE,
    UMAP,
    Dimensions,
    Metric,
    Settings,
)

_NEIGHBOURS, _ITERATIONS, _RATES = (2, 50), (250, 2000), (1, 1000)
_DISTANCES = (0.0, 0.95)
_SEEDS = (0, 9999)
_WIDE = 190
_DIMENSIONS = ("2", "3")


def choose_method() -> tuple[str, Dimensions]:
    """Let a method be chosen, and a plane or space."""
    methods = list(words.METHODS.values())
    first = words.METHODS["PCA"]
    method = choose_one(say("embeddings.method"), methods, key="embeddings_method", first=first)
    shown = choose_one(
        say("embeddings.dimensions"),
        _DIMENSIONS,
        lambda dimensions: say_of("embeddings.dimension", dimensions),
        key="embeddings_dimensions",
        first="2",
    )
    return method, 3 if shown == "3" else 2


def choose_settings(method: str, dimensions: Dimensions, points: int) -> Settings:
    """Let the parameters of a method be chosen, as far as this many points allow them."""
    if method == words.METHODS["TSNE"]:
        return _choose_tsne(points, dimensions)
    if method == words.METHODS["UMAP"]:
        return _choose_umap(points, dimensions)
    return PCA(dimensions)


def _choose_tsne(points: int, dimensions: Dimensions) -> Settings:
    with st.container(horizontal=True, gap="medium"):
        perplexity = st.slider(
            say("embeddings.perplexity"),
            *_NEIGHBOURS,
            key=bound("embeddings_perplexity", 30, within=_NEIGHBOURS),
            width=_WIDE,
            help=say("embeddings.perplexity_help"),
        )
        iterations = st.slider(
            say("embeddings.iterations"),
            *_ITERATIONS,
            step=50,
            key=bound("embeddings_iterations", 1000, within=_ITERATIONS),
            width=_WIDE,
            help=say("embeddings.iterations_help"),
        )
        rate = st.number_input(
            say("embeddings.rate"),
            *_RATES,
            None,
            step=10,
            key=bound("embeddings_rate", None, within=_RATES),
            placeholder=say("embeddings.automatic"),
            width=_WIDE,
            help=say("embeddings.rate_help"),
        )
        seed = _choose_seed()
    allowed = max(1, (points - 1) // 3)
    if perplexity > allowed:
        st.html(tokens.note(say("embeddings.perplexity_lowered", count=points, allowed=allowed)))
    chosen = None if rate is None else float(rate)
    return TSNE(dimensions, min(perplexity, allowed), iterations, chosen, seed)


def _choose_umap(points: int, dimensions: Dimensions) -> Settings:
    with st.container(horizontal=True, gap="medium"):
        neighbours = st.slider(
            say("embeddings.neighbours"),
            *_NEIGHBOURS,
            key=bound("embeddings_neighbours", 15, within=_NEIGHBOURS),
            width=_WIDE,
            help=say("embeddings.neighbours_help"),
        )
        minimal = st.slider(
            say("embeddings.distance"),
            *_DISTANCES,
            step=0.05,
            key=bound("embeddings_min_distance", 0.1, within=_DISTANCES),
            width=_WIDE,
            help=say("embeddings.distance_help"),
        )
        metric: Metric = choose_one(
            say("embeddings.metric"),
            METRICS,
            lambda metric: say_of("embeddings.metric_name", metric),
            key="embeddings_metric",
            first=UMAP().metric,
        )
        seed = _choose_seed()
    allowed = max(2, points - 1)
    if neighbours > allowed:
        st.html(tokens.note(say("embeddings.neighbours_cut", count=points, allowed=allowed)))
    return UMAP(dimensions, min(neighbours, allowed), minimal, metric, seed=seed)


def _choose_seed() -> int:
    return st.number_input(
        say("embeddings.seed"),
        *_SEEDS,
        key=bound("embeddings_seed", 0, within=_SEEDS),
        width=110,
        help=say("embeddings.seed_help"),
    )
