"""The sum that enters the model: embeddings before and after positions are added."""

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import error_text, number_text
from viz.run.view import View
from viz.subjects.positions.figures.addition import addition_maps
from viz.subjects.positions.lengths import Sum, Text, embedding_sum, mean_length

_SAME = 1e-4
"""What float32 may differ by between two ways to the same sum."""


def show_addition(view: View) -> None:
    """Show the embeddings before and after positions are added, and how long the vectors are."""
    run = view.run
    text: Text = choose_one(
        say("positions.text"),
        run.anatomy.sides,
        lambda name: say_of("positions.text_of", name),
        key="positions_sum_text",
    )
    parts = embedding_sum(run, text, view.model.embedding_of(text).norm)
    root = f"× √{run.info.config.d_model}"
    _show_maps(parts, text, root)
    st.html(_lengths(parts, text))


def _show_maps(parts: Sum, text: Text, root: str) -> None:
    """Draw the vectors; a scale that this model does not use would drown the rest."""
    scaled = {root: parts.scaled} if parts.scales else {}
    vectors = {say("positions.part.embedding"): parts.embedding, **scaled}
    vectors |= {
        say("positions.part.encoding"): parts.encoding,
        **_kind_of_text(parts),
        _sum_name(parts): parts.output,
    }
    show_figure(
        addition_maps(vectors, tokens=parts.tokens, palette=palette()),
        key="positions_sum_maps",
        alt=say_of("positions.sum_alt", text),
    )


def _kind_of_text(parts: Sum) -> dict[str, np.ndarray]:
    return {} if parts.segment is None else {say("positions.part.segment"): parts.segment}


def _sum_name(parts: Sum) -> str:
    return say("positions.part.sum" if parts.norm is None else "positions.part.norm")


def _lengths(parts: Sum, text: Text) -> str:
    added = parts.scaled if parts.scales else parts.embedding
    said = say(
        "positions.lengths",
        embedding=number_text(mean_length(added)),
        encoding=number_text(mean_length(parts.encoding)),
    )
    badge = "sum" if parts.norm is None else "norm"
    name = say_of("positions.badge", badge, name=f"{text}_embedding.output")
    return tokens.note(said) + tokens.badges([(parts.error < _SAME, name, error_text(parts.error))])
