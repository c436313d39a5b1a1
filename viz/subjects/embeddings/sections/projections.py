"""The projection in view: its method and parameters, its progress, and how its picture is shown."""

import secrets
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from viz.frame.controls import palette
from viz.pictures import tokens
from viz.pictures.theme import template
from viz.subjects.embeddings.cache import projector
from viz.subjects.embeddings.jobs import Job, job_key
from viz.subjects.embeddings.projection import (
    METRICS,
    PCA,
    TSNE,
    UMAP,
    Dimensions,
    Metric,
    Settings,
)
from viz.subjects.embeddings.words import METHODS, method_name, progress_words

_JOB = "embeddings_job"
_STOPPED = "embeddings_stopped"
"""Key of the projection that this session stopped."""
_VISITOR = "embeddings_visitor"
_LOOK_EVERY = 0.5
"""Seconds between two looks at how far a projection is."""
_FLAT, _DEEP = "2-D", "3-D"
_MOST_NEIGHBOURS = 50
_WIDE = 190


def choose_method() -> tuple[str, Dimensions]:
    """Let a method be chosen, and a plane or space."""
    method = st.segmented_control(
        "Projection",
        list(METHODS.values()),
        default=METHODS["PCA"],
        required=True,
        key="embeddings_method",
        bind="query-params",
    )
    shown = st.segmented_control(
        "Dimensions",
        (_FLAT, _DEEP),
        default=_FLAT,
        required=True,
        key="embeddings_dimensions",
        bind="query-params",
    )
    return method, 3 if shown == _DEEP else 2


def choose_settings(method: str, dimensions: Dimensions, points: int) -> Settings:
    """Let the parameters of a method be chosen, as far as this many points allow them."""
    if method == METHODS["TSNE"]:
        return _choose_tsne(points, dimensions)
    if method == METHODS["UMAP"]:
        return _choose_umap(points, dimensions)
    return PCA(dimensions)


def _choose_tsne(points: int, dimensions: Dimensions) -> Settings:
    with st.container(horizontal=True, gap="medium"):
        perplexity = st.slider(
            "Perplexity",
            2,
            _MOST_NEIGHBOURS,
            30,
            key="embeddings_perplexity",
            bind="query-params",
            width=_WIDE,
            help="About how many neighbours each point tries to keep.",
        )
        iterations = st.slider(
            "Iterations",
            250,
            2000,
            1000,
            50,
            key="embeddings_iterations",
            bind="query-params",
            width=_WIDE,
            help="At most: it stops where nothing moves any more.",
        )
        rate = st.number_input(
            "Learning rate",
            1,
            1000,
            None,
            10,
            key="embeddings_rate",
            placeholder="automatic",
            bind="query-params",
            width=_WIDE,
            help="Automatic: a 48th of the number of points, at least 50.",
        )
        seed = _choose_seed()
    allowed = max(1, (points - 1) // 3)
    if perplexity > allowed:
        st.html(
            tokens.note(f"{points} points allow a perplexity of {allowed} at most: that is used.")
        )
    chosen = None if rate is None else float(rate)
    return TSNE(dimensions, min(perplexity, allowed), iterations, chosen, seed)


def _choose_umap(points: int, dimensions: Dimensions) -> Settings:
    with st.container(horizontal=True, gap="medium"):
        neighbours = st.slider(
            "Neighbours",
            2,
            _MOST_NEIGHBOURS,
            15,
            key="embeddings_neighbours",
            bind="query-params",
            width=_WIDE,
            help="Of each point in the graph that is laid out: few show detail, many the whole.",
        )
        minimal = st.slider(
            "Minimal distance",
            0.0,
            0.95,
            0.1,
            0.05,
            key="embeddings_min_distance",
            bind="query-params",
            width=_WIDE,
            help="Between points of the picture: small values draw tight clumps.",
        )
        metric: Metric = st.segmented_control(
            "Metric",
            METRICS,
            default=UMAP().metric,
            required=True,
            key="embeddings_metric",
            bind="query-params",
        )
        seed = _choose_seed()
    allowed = max(2, points - 1)
    if neighbours > allowed:
        st.html(tokens.note(f"{points} points have {allowed} neighbours at most: that is used."))
    return UMAP(dimensions, min(neighbours, allowed), minimal, metric, seed=seed)


def _choose_seed() -> int:
    return st.number_input(
        "Seed",
        0,
        9999,
        0,
        key="embeddings_seed",
        bind="query-params",
        width=110,
        help="The same seed draws the same picture; another one shows what was chance.",
    )


def project_or_wait(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Job | None:
    """Give the finished projection; else show how far it is, with a way to stop it."""
    visitor = st.session_state.setdefault(_VISITOR, secrets.token_hex(8))
    key = job_key(vectors, settings)
    job: Job | None = st.session_state.get(_JOB)
    if job is None or job.key != key:
        if job is not None:
            job.leave(visitor)
        st.session_state.pop(_STOPPED, None)
        job = st.session_state[_JOB] = projector().job(vectors, settings)
    if job.status == "done":
        return job
    if job.status == "failed":
        st.html(tokens.notice("This cannot be projected", job.problem))
    elif job.status == "stopped" or st.session_state.get(_STOPPED) == key:
        st.html(tokens.notice(f"Stopped after {job.seconds:.1f} s", "Nothing was drawn."))
    else:
        _show_progress(job, visitor)
        return None
    st.button("Start again", key="embeddings_again", on_click=_start_again)
    return None


@st.fragment(run_every=_LOOK_EVERY)
def _show_progress(job: Job, visitor: str) -> None:
    """Show how far a projection is until it ends; the rest of the page stays usable."""
    if job.ended or st.session_state.get(_STOPPED) == job.key:
        st.rerun()
    job.watch(visitor)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.done / job.total if job.total else 0.0, progress_words(job))
        st.button("Stop", key="embeddings_stop", on_click=_stop, args=(job, visitor))


def _stop(job: Job, visitor: str) -> None:
    job.leave(visitor)
    st.session_state[_STOPPED] = job.key


def _start_again() -> None:
    st.session_state.pop(_JOB, None)
    st.session_state.pop(_STOPPED, None)


def show_picture(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    name: str = "",
    in_space: bool = False,
    on_click: Callable[[], None] | None = None,
) -> None:
    """Show a figure as wide as there is room; with a name, plotly's buttons save it as a file.

    A plane is saved as SVG; space is drawn by WebGL, and saved as PNG.
    """
    figure.update_layout(template=template(palette()))
    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        theme=None,
        width="stretch",
        config={
            "displaylogo": False,
            "displayModeBar": "hover" if name else False,
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
            "toImageButtonOptions": {
                "format": "png" if in_space else "svg",
                "filename": name,
                "scale": 2 if in_space else 1,
            },
        },
        on_select=on_click or "ignore",
        selection_mode="points",
    )


def picture_name(checkpoint: str, what: str, settings: Settings) -> str:
    """Name the file of a projection."""
    return f"{checkpoint}-{what}-{method_name(settings).lower()}"
