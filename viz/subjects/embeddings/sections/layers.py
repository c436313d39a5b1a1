"""One text's tokens layer by layer: their trails through a projection."""

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.figure import palette
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.trails import token_trails
from viz.subjects.embeddings.geometry import pca
from viz.subjects.embeddings.groups import group
from viz.subjects.embeddings.points import Side, States, stack_sides, states
from viz.subjects.embeddings.sections.pictures import show_picture


def show_trails(view: View) -> None:
    """Show how the tokens move from step to step, in one projection of all their states."""
    shown = _choose_text(view.run)
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
