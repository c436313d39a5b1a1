"""One text's tokens layer by layer: their trails through a projection, and similarities."""

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import fixed
from viz.pictures.panels import Panel, show_panels
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.trails import token_trails
from viz.subjects.embeddings.geometry import cosines, mean_cosine, pca
from viz.subjects.embeddings.groups import group
from viz.subjects.embeddings.points import Side, States, stack_sides, states
from viz.subjects.embeddings.sections.pictures import show_picture

_MOST_IN_MATRIX = 128
"""Tokens whose similarities are drawn."""
_MATRIX_AXES = ("token", "other token")
"""By which matrices answer the pointer together."""


def show_trails(view: View) -> None:
    """Show how the tokens move from step to step, in one projection of all their states."""
    shown = _choose_text(view.run, "text")
    if len(shown.flat) < 3:
        st.html(tokens.note(say("embeddings.too_few")))
        return
    points, shares = pca(shown.flat)
    steps, count, d_model = shown.vectors.shape
    st.html(
        tokens.heading(
            say("embeddings.trails_heading"),
            code=f"{shown.names[0]} … {shown.names[-1]}",
            shape=f"{steps} × {count} × {d_model}",
        )
        + tokens.note(words.trails_words(len(points), shown.left_out, shares.tolist()))
    )
    show_picture(
        token_trails(
            points.reshape(steps, count, 2),
            marks=Marks(shown.tokens, group(view.run.info, shown.side, shown.tokens, shown.ids)),
            norms=np.linalg.norm(shown.vectors, axis=2),
            steps=shown.steps,
            titles=words.axis_titles(shares.tolist()),
            palette=palette(),
        ),
        key="embeddings_trails",
        alt=words.trails_alt(count, shown.steps),
    )


def show_similarities(view: View) -> None:
    """Show the cosines between the tokens after each step, and how long their vectors are."""
    shown = _choose_text(view.run, "likeness_text")
    norms = np.linalg.norm(shown.vectors, axis=2).mean(axis=1).tolist()
    st.html(tokens.note(words.norm_words(dict(zip(shown.steps, norms, strict=True)))))
    names = shown.tokens[:_MOST_IN_MATRIX]
    if len(names) < len(shown.tokens):
        said = say("embeddings.first_tokens", count=len(names), all=len(shown.tokens))
        st.html(tokens.note(said))
    show_panels(
        [_matrix(shown, step, names) for step in range(len(shown.steps))],
        key="embeddings_similarity",
        width=300,
        height=340,
        cell=30,
    )


def _choose_text(run: Run, name: str) -> States:
    sides = stack_sides(run.info.config)
    if len(sides) == 1:
        return states(run, sides[0])
    side: Side = choose_one(
        say("embeddings.text"),
        sides,
        lambda side: say_of("embeddings.text_of", side),
        key=f"embeddings_{name}",
    )
    return states(run, side)


def _matrix(shown: States, step: int, names: tuple[str, ...]) -> Panel:
    vectors = shown.vectors[step, : len(names)]
    said = say("embeddings.mean", cosine=fixed(mean_cosine(vectors), 2)) if names[1:] else ""
    return Panel(
        title=shown.steps[step],
        code=shown.names[step],
        note=said,
        values=cosines(vectors),
        scale="signed",
        group="embeddings similarity",
        axes=_MATRIX_AXES,
        row_tokens=names,
        column_tokens=names,
    )
