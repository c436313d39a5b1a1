"""The choice of a projection: its method, its parameters, a plane or space."""

import streamlit as st

from viz.pictures import tokens
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

_MOST_NEIGHBOURS = 50
_WIDE = 190


def choose_method() -> tuple[str, Dimensions]:
    """Let a method be chosen, and a plane or space."""
    method = st.segmented_control(
        words.METHOD,
        list(words.METHODS.values()),
        default=words.METHODS["PCA"],
        required=True,
        key="embeddings_method",
        bind="query-params",
    )
    shown = st.segmented_control(
        words.DIMENSIONS,
        (words.FLAT, words.DEEP),
        default=words.FLAT,
        required=True,
        key="embeddings_dimensions",
        bind="query-params",
    )
    return method, 3 if shown == words.DEEP else 2


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
            words.PERPLEXITY,
            2,
            _MOST_NEIGHBOURS,
            30,
            key="embeddings_perplexity",
            bind="query-params",
            width=_WIDE,
            help=words.PERPLEXITY_HELP,
        )
        iterations = st.slider(
            words.ITERATIONS,
            250,
            2000,
            1000,
            50,
            key="embeddings_iterations",
            bind="query-params",
            width=_WIDE,
            help=words.ITERATIONS_HELP,
        )
        rate = st.number_input(
            words.RATE,
            1,
            1000,
            None,
            10,
            key="embeddings_rate",
            placeholder=words.AUTOMATIC,
            bind="query-params",
            width=_WIDE,
            help=words.RATE_HELP,
        )
        seed = _choose_seed()
    allowed = max(1, (points - 1) // 3)
    if perplexity > allowed:
        st.html(tokens.note(words.perplexity_words(points, allowed)))
    chosen = None if rate is None else float(rate)
    return TSNE(dimensions, min(perplexity, allowed), iterations, chosen, seed)


def _choose_umap(points: int, dimensions: Dimensions) -> Settings:
    with st.container(horizontal=True, gap="medium"):
        neighbours = st.slider(
            words.NEIGHBOURS,
            2,
            _MOST_NEIGHBOURS,
            15,
            key="embeddings_neighbours",
            bind="query-params",
            width=_WIDE,
            help=words.NEIGHBOURS_HELP,
        )
        minimal = st.slider(
            words.DISTANCE,
            0.0,
            0.95,
            0.1,
            0.05,
            key="embeddings_min_distance",
            bind="query-params",
            width=_WIDE,
            help=words.DISTANCE_HELP,
        )
        metric: Metric = st.segmented_control(
            words.METRIC,
            METRICS,
            default=UMAP().metric,
            required=True,
            key="embeddings_metric",
            bind="query-params",
        )
        seed = _choose_seed()
    allowed = max(2, points - 1)
    if neighbours > allowed:
        st.html(tokens.note(words.neighbours_words(points, allowed)))
    return UMAP(dimensions, min(neighbours, allowed), minimal, metric, seed=seed)


def _choose_seed() -> int:
    return st.number_input(
        words.SEED,
        0,
        9999,
        0,
        key="embeddings_seed",
        bind="query-params",
        width=110,
        help=words.SEED_HELP,
    )
