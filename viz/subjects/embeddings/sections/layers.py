"""One text's tokens layer by layer: their trails through a projection, similarities and norms."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.norms import norm_map
from viz.subjects.embeddings.figures.trails import token_trails
from viz.subjects.embeddings.geometry import cosines, kept_neighbours, points_csv
from viz.subjects.embeddings.jobs import Job
from viz.subjects.embeddings.points import Side, States, states
from viz.subjects.embeddings.sections.projections import (
    choose_method,
    choose_settings,
    picture_name,
    project_or_wait,
    show_picture,
)
from viz.subjects.embeddings.sections.vocabulary import choose_marks, show_variance
from viz.subjects.embeddings.words import axis_titles, kept_words, mean_words, trust_words

_SIDES: dict[str, Side] = {"Source, encoder": "source", "Target, decoder": "target"}
_NOBODY = "none"
_ALL = "all steps"
_NEAREST = 10
_MOST_IN_MATRIX = 128
"""Tokens whose similarities are drawn."""


def show_trails(view: View) -> None:
    """Show how the tokens move from step to step, in one projection of all their states."""
    with st.container(border=True, key="card_embeddings_trails", gap="small"):
        place = st.empty()
        with st.container(horizontal=True, gap="medium"):
            shown = _choose_text(view.run)
            method, dimensions = choose_method()
            marks = choose_marks(view.run, shown.side, shown.tokens, shown.ids)
            chosen = _choose_token(shown)
        settings = choose_settings(method, dimensions, len(shown.flat))
        count, d_model = shown.flat.shape
        place.html(
            tokens.heading(
                "A sentence on its way through the layers",
                code=f"{shown.names[0]} … {shown.names[-1]}",
                shape=f"{len(shown.steps)} × {len(shown.tokens)} × {d_model}",
            )
            + tokens.note(
                f"All {count:,} states are projected together, so points of different steps can "
                f"be compared.{_left_out(shown)}"
            )
        )
        job = project_or_wait(shown.flat, settings)
        if job is not None:
            _show_picture(view, shown, marks, chosen, job)


def show_similarities(view: View) -> None:
    """Show the cosines between the tokens after each step, and how long their vectors are."""
    with st.container(border=True, key="card_embeddings_similarity", gap="small"):
        st.html(tokens.heading("How alike the tokens are after each step: cosines"))
        with st.container(horizontal=True, gap="medium"):
            shown = _choose_text(view.run)
            chosen = st.segmented_control(
                "Step",
                (_ALL, *shown.steps),
                default=_ALL,
                required=True,
                key="embeddings_step",
                bind="query-params",
            )
        picked = range(len(shown.steps)) if chosen == _ALL else [shown.steps.index(chosen)]
        _show_matrices(shown, picked)
    with st.container(border=True, key="card_embeddings_norms", gap="small"):
        st.html(
            tokens.heading("How long the vectors are after each step: norms")
            + tokens.note(_norm_words(shown))
        )
        with st.container(key="embeddings_norms_scroll"):
            show_figure(
                norm_map(
                    np.linalg.norm(shown.vectors, axis=2),
                    steps=shown.steps,
                    tokens=shown.tokens,
                    palette=palette(),
                ),
                key="embeddings_norms",
                alt=_norm_words(shown),
            )


def _choose_text(run: Run) -> States:
    text = st.segmented_control(
        "Text",
        [*_SIDES],
        default=next(iter(_SIDES)),
        required=True,
        key="embeddings_text",
        bind="query-params",
    )
    return states(run, _SIDES[text])


def _choose_token(shown: States) -> int | None:
    labels = [_NOBODY, *(f"{i} · {token}" for i, token in enumerate(shown.tokens))]
    label = st.selectbox(
        "Highlight a token",
        labels,
        key=f"embeddings_{shown.side}_trail",
        bind="query-params",
        width=260,
    )
    return None if label == _NOBODY else labels.index(label) - 1


def _left_out(shown: States) -> str:
    return f" The last {shown.left_out:,} tokens are left out." if shown.left_out else ""


def _show_picture(view: View, shown: States, marks: Marks, chosen: int | None, job: Job) -> None:
    assert job.projection is not None
    steps, count, d_model = shown.vectors.shape
    points = job.projection.points.reshape(steps, count, -1)
    norms = np.linalg.norm(shown.vectors, axis=2)
    name = picture_name(view.inputs.checkpoint, f"{shown.side}-layers", job.settings)
    show_picture(
        token_trails(
            points,
            marks=marks,
            norms=norms,
            steps=shown.steps,
            titles=axis_titles(job.settings, job.projection),
            selected=chosen,
            palette=palette(),
        ),
        key="embeddings_trails",
        alt=f"{count} tokens at {steps} steps, from {shown.steps[0]} to {shown.steps[-1]}",
        name=name,
        in_space=points.shape[-1] == 3,
    )
    words = tokens.heading("How far to trust the picture")
    words += tokens.note(trust_words(job.settings, job.projection, d_model))
    if chosen is not None:
        state = (steps - 1) * count + chosen
        kept = kept_neighbours(shown.flat, job.projection.points, state, _NEAREST)
        at_end = f"{shown.tokens[chosen]}, {shown.steps[-1]}"
        words += tokens.note(kept_words(at_end, kept, min(_NEAREST, steps * count - 1)))
    st.html(words)
    show_variance(job)
    st.download_button(
        "Points as CSV",
        points_csv(
            job.projection.points,
            {
                "step": np.repeat(shown.steps, count).tolist(),
                "position": [*range(count)] * steps,
                "token": shown.tokens * steps,
                "id": shown.ids * steps,
                "group": [*marks.groups] * steps,
                "norm": [f"{norm:.6g}" for norm in norms.ravel()],
            },
        ),
        f"{name}.csv",
        "text/csv",
        key="embeddings_trails_csv",
        on_click="ignore",
    )


def _show_matrices(shown: States, picked: Sequence[int]) -> None:
    names = shown.tokens[:_MOST_IN_MATRIX]
    if len(names) < len(shown.tokens):
        st.html(tokens.note(f"The first {len(names)} of {len(shown.tokens)} tokens."))
    panels: list[Panel] = []
    for step in picked:
        matrix = cosines(shown.vectors[step, : len(names)])
        others = matrix[~np.eye(len(names), dtype=bool)]
        panels.append(
            Panel(
                title=shown.steps[step],
                code=shown.names[step],
                note=mean_words(float(others.mean())) if others.size else "",
                values=matrix,
                scale="signed",
                group="embeddings similarity",
                axes=("token", "other token"),
                row_tokens=names,
                column_tokens=names,
            )
        )
    alone = len(panels) == 1
    show_panels(
        panels,
        key="embeddings_similarity",
        width=520 if alone else 300,
        height=560 if alone else 340,
        cell=30,
    )


def _norm_words(shown: States) -> str:
    means = np.linalg.norm(shown.vectors, axis=2).mean(axis=1)
    parts = [f"{step} {mean:.2f}" for step, mean in zip(shown.steps, means, strict=True)]
    return f"On average: {', '.join(parts)}."
