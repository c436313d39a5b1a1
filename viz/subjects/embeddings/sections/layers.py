"""One text's tokens layer by layer: their trails through a projection, and similarities."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.trails import token_trails
from viz.subjects.embeddings.geometry import cosines, kept_neighbours
from viz.subjects.embeddings.points import Side, States, stack_sides, states
from viz.subjects.embeddings.projection import Projection, Settings
from viz.subjects.embeddings.sections.method import choose_method, choose_settings, project
from viz.subjects.embeddings.sections.pictures import choose_marks, show_picture

_NEAREST = 10
_MOST_IN_MATRIX = 128
"""Tokens whose similarities are drawn."""
_MATRIX_AXES = ("token", "other token")
"""By which matrices answer the pointer together."""
_EVERY = -1
"""In place of the number of one step."""


def show_trails(view: View) -> None:
    """Show how the tokens move from step to step, in one projection of all their states."""
    with st.container(border=True, key="card_embeddings_trails", gap="small"):
        place = st.empty()
        with st.container(horizontal=True, gap="medium"):
            shown = _choose_text(view.run)

            def says(step: int) -> str:
                return say("embeddings.all_steps") if step < 0 else shown.steps[step]

            method, dimensions = choose_method()
            marks = choose_marks(view.run, shown.side, shown.tokens, shown.ids)
            chosen = _choose_token(shown)
        settings = choose_settings(method, dimensions, len(shown.flat))
        count, d_model = shown.flat.shape
        place.html(
            tokens.heading(
                say("embeddings.trails_heading"),
                code=f"{shown.names[0]} … {shown.names[-1]}",
                shape=f"{len(shown.steps)} × {len(shown.tokens)} × {d_model}",
            )
            + tokens.note(words.trails_words(count, shown.left_out))
        )
        found = project(shown.flat, settings)
        if found is not None:
            _show_picture(shown, marks, chosen, settings, found)
            _show_trust(shown, chosen, settings, found)


def show_similarities(view: View) -> None:
    """Show the cosines between the tokens after each step, and how long their vectors are."""
    with st.container(border=True, key="card_embeddings_similarity", gap="small"):
        st.html(tokens.heading(say("embeddings.similarity_heading")))
        with st.container(horizontal=True, gap="medium"):
            shown = _choose_text(view.run)
            chosen = choose_one(
                say("embeddings.step"),
                (_EVERY, *range(len(shown.steps))),
                lambda i: say("embeddings.all_steps") if i < 0 else shown.steps[i],
                key="embeddings_step",
            )
        norms = np.linalg.norm(shown.vectors, axis=2).mean(axis=1).tolist()
        said = words.norm_words(dict(zip(shown.steps, norms, strict=True)))
        st.html(tokens.note(said))
        _show_matrices(shown, range(len(shown.steps)) if chosen == _EVERY else [chosen])


def _choose_text(run: Run) -> States:
    sides = stack_sides(run.info.config)
    if len(sides) == 1:
        return states(run, sides[0])
    side: Side = choose_one(
        say("embeddings.text"),
        sides,
        lambda side: say_of("embeddings.text_of", side),
        key="embeddings_text",
    )
    return states(run, side)


def _choose_token(shown: States) -> int | None:
    labels = ["", *(f"{i} · {token}" for i, token in enumerate(shown.tokens))]
    label = st.selectbox(
        say("embeddings.highlight"),
        labels,
        format_func=lambda label: label or say("embeddings.nobody"),
        key=bound(f"embeddings_{shown.side}_trail", "", labels),
        width=260,
    )
    return labels.index(label) - 1 if label else None


def _show_picture(
    shown: States, marks: Marks, chosen: int | None, settings: Settings, found: Projection
) -> None:
    points = found.points.reshape(*shown.vectors.shape[:2], -1)
    show_picture(
        token_trails(
            points,
            marks=marks,
            norms=np.linalg.norm(shown.vectors, axis=2),
            steps=shown.steps,
            titles=words.axis_titles(settings, found),
            selected=chosen,
            palette=palette(),
        ),
        key="embeddings_trails",
        alt=words.trails_alt(len(shown.tokens), shown.steps),
    )


def _show_trust(shown: States, chosen: int | None, settings: Settings, found: Projection) -> None:
    steps, count, d_model = shown.vectors.shape
    told = tokens.heading(say("embeddings.trust_heading"))
    told += tokens.note(words.trust_words(settings, found, d_model))
    if chosen is not None:
        kept = kept_neighbours(shown.flat, found.points, (steps - 1) * count + chosen, _NEAREST)
        at_end = say("embeddings.at_step", token=shown.tokens[chosen], step=shown.steps[-1])
        told += tokens.note(words.kept_words(at_end, kept, min(_NEAREST, steps * count - 1)))
    st.html(told)


def _show_matrices(shown: States, picked: Sequence[int]) -> None:
    names = shown.tokens[:_MOST_IN_MATRIX]
    if len(names) < len(shown.tokens):
        st.html(
            tokens.note(say("embeddings.first_tokens", count=len(names), all=len(shown.tokens)))
        )
    alone = len(picked) == 1
    show_panels(
        [_matrix(shown, step, names) for step in picked],
        key="embeddings_similarity",
        width=520 if alone else 300,
        height=560 if alone else 340,
        cell=30,
    )


def _matrix(shown: States, step: int, names: tuple[str, ...]) -> Panel:
    matrix = cosines(shown.vectors[step, : len(names)])
    others = matrix[~np.eye(len(names), dtype=bool)]
    return Panel(
        title=shown.steps[step],
        code=shown.names[step],
        note=words.mean_words(float(others.mean())) if others.size else "",
        values=matrix,
        scale="signed",
        group="embeddings similarity",
        axes=_MATRIX_AXES,
        row_tokens=names,
        column_tokens=names,
    )
