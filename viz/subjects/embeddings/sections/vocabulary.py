"""A vocabulary's embeddings as a cloud of points, and the tokens nearest to a chosen one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from viz.frame.controls import palette
from viz.pictures import tokens
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.embeddings.figures.bars import neighbour_bars, variance_bars
from viz.subjects.embeddings.figures.cloud import token_cloud
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.geometry import Neighbour, kept_neighbours, neighbours, points_csv
from viz.subjects.embeddings.groups import criteria, group
from viz.subjects.embeddings.jobs import Job
from viz.subjects.embeddings.points import (
    Side,
    Vocabulary,
    text_ids,
    tying_words,
    vocabulary,
    vocabulary_sides,
)
from viz.subjects.embeddings.projection import PCA, Settings
from viz.subjects.embeddings.sections.projections import (
    choose_method,
    choose_settings,
    picture_name,
    project_or_wait,
    show_picture,
)
from viz.subjects.embeddings.words import axis_titles, kept_words, trust_words, variance_words

_NEAREST = 10
_VARIANCE_WIDTH = 420
_CLOUD = "embeddings_cloud"


def show_vocabulary(view: View) -> None:
    """Show the embeddings of one side, projected, beside the neighbours of one token."""
    run = view.run
    with st.container(border=True, key="card_embeddings_cloud", gap="small"):
        place = st.empty()
        with st.container(horizontal=True, gap="medium"):
            side = _choose_side(run)
            shown = vocabulary(run, view.model, side)
            method, dimensions = choose_method()
            marks = choose_marks(run, side, shown.tokens, shown.ids.tolist())
        settings = choose_settings(method, dimensions, len(shown.ids))
        rows, d_model = shown.vectors.shape
        place.html(
            tokens.heading("A vocabulary as points", code=shown.name, shape=f"{rows:,} × {d_model}")
            + tokens.note(_about(run, side, shown))
        )
        picture, beside = st.columns([0.68, 0.32], gap="medium")
        with beside:
            chosen = _choose_token(run, side, shown)
            found = neighbours(shown.vectors, chosen, min(_NEAREST, rows - 1))
            _show_neighbours(marks, chosen, found)
        with picture:
            job = project_or_wait(shown.vectors, settings)
            if job is not None:
                _show_cloud(view, side, shown, marks, chosen, found, job)
        with beside:
            if job is not None:
                _show_measures(shown, chosen, len(found), job)


def choose_marks(run: Run, side: Side, names: Sequence[str], ids: Sequence[int]) -> Marks:
    """Let it be chosen what the colours mean."""
    criterion = st.segmented_control(
        "Colour by",
        criteria(run.info, side),
        default=criteria(run.info, side)[0],
        required=True,
        key="embeddings_colour",
        bind="query-params",
    )
    groups = group(run.info, side, names, ids, criterion)
    return Marks(names, ids, groups.of, groups.names, groups.ordered)


def _choose_side(run: Run) -> Side:
    sides = vocabulary_sides(run.info.config)
    if len(sides) == 1:
        return sides[0]
    return st.segmented_control(
        "Vocabulary",
        sides,
        default=sides[0],
        required=True,
        format_func=str.capitalize,
        key="embeddings_side",
        bind="query-params",
    )


def _about(run: Run, side: Side, shown: Vocabulary) -> str:
    words = tying_words(run.info.config, side)
    if shown.left_out:
        words += f" {shown.left_out:,} less frequent tokens are left out."
    return words


def _choose_token(run: Run, side: Side, shown: Vocabulary) -> int:
    """Let a token be found by its name, or clicked; the rarest of the text comes first."""
    labels = _labels(shown)
    of_text = np.flatnonzero(np.isin(shown.ids, text_ids(run, side)))[::-1].tolist()
    order = dict.fromkeys([*of_text, *range(len(labels))])
    label = st.selectbox(
        "Token (type to search, or click a point)",
        [labels[i] for i in order],
        key=_token_key(side),
        bind="query-params",
    )
    return labels.index(label)


def _labels(shown: Vocabulary) -> list[str]:
    """Name each token by itself and its id: two may look alike."""
    return [f"{token} · {i}" for token, i in zip(shown.tokens, shown.ids.tolist(), strict=True)]


def _token_key(side: Side) -> str:
    return f"embeddings_{side}_token"


def _show_neighbours(marks: Marks, chosen: int, found: Sequence[Neighbour]) -> None:
    st.html(tokens.heading(f"Nearest to “{marks.tokens[chosen]}” by cosine"))
    looks = marks.looks(palette())
    groups = [marks.groups[i] for i, _ in found]
    show_picture(
        neighbour_bars(
            [marks.tokens[i] for i, _ in found],
            [cosine for _, cosine in found],
            colours=[looks[name].colour for name in groups],
            groups=groups,
            palette=palette(),
        ),
        key="embeddings_nearest",
        alt="The nearest tokens with their cosines: "
        + ", ".join(f"{marks.tokens[i]} {cosine:.3f}" for i, cosine in found),
    )


def _show_cloud(
    view: View,
    side: Side,
    shown: Vocabulary,
    marks: Marks,
    chosen: int,
    found: Sequence[Neighbour],
    job: Job,
) -> None:
    assert job.projection is not None
    points, norms = job.projection.points, np.linalg.norm(shown.vectors, axis=1)
    labels = _labels(shown)

    def take_click() -> None:
        index = clicked_token(st.session_state[_CLOUD])
        if index is not None:
            st.session_state[_token_key(side)] = labels[index]

    name = picture_name(view.inputs.checkpoint, f"{side}-vocabulary", job.settings)
    show_picture(
        token_cloud(
            points,
            marks=marks,
            norms=norms,
            titles=axis_titles(job.settings, job.projection),
            selected=chosen,
            neighbours=[i for i, _ in found],
            palette=palette(),
        ),
        key=_CLOUD,
        alt=f"{len(points)} tokens as points; {marks.tokens[chosen]} is marked",
        name=name,
        in_space=points.shape[-1] == 3,
        on_click=take_click,
    )
    st.download_button(
        "Points as CSV",
        points_csv(
            points,
            {
                "token": shown.tokens,
                "id": shown.ids.tolist(),
                "group": marks.groups,
                "norm": [f"{norm:.6g}" for norm in norms],
            },
        ),
        f"{name}.csv",
        "text/csv",
        key="embeddings_cloud_csv",
        on_click="ignore",
    )


def clicked_token(event: Mapping[str, Any]) -> int | None:
    """Find the token in what the chart says of a click; nothing where it says that none is left."""
    points = event["selection"]["points"]
    found = np.ravel(points[0].get("customdata", [])) if points else []
    return int(found[0]) if len(found) else None


def _show_measures(shown: Vocabulary, chosen: int, count: int, job: Job) -> None:
    assert job.projection is not None
    kept = kept_neighbours(shown.vectors, job.projection.points, chosen, count)
    st.html(
        tokens.heading("How far to trust the picture")
        + tokens.note(kept_words(shown.tokens[chosen], kept, count))
        + tokens.note(trust_words(job.settings, job.projection, shown.vectors.shape[1]))
    )
    show_variance(job)


def show_variance(job: Job) -> None:
    """Show how much of the variance a PCA's axes show; nothing for the other methods."""
    assert job.projection is not None
    settings: Settings = job.settings
    if not isinstance(settings, PCA) or job.projection.explained is None:
        return
    st.html(tokens.note(variance_words(settings, job.projection)))
    with st.container(width=_VARIANCE_WIDTH):
        show_picture(
            variance_bars(job.projection.explained, shown=settings.dimensions, palette=palette()),
            key="embeddings_variance",
            alt=variance_words(settings, job.projection),
        )
