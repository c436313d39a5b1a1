"""The sum that enters the model: embeddings before and after positions are added."""

import numpy as np
import streamlit as st

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.run.view import View
from viz.subjects.positions.figures.addition import addition_maps, length_dots
from viz.subjects.positions.lengths import Sum, Text, embedding_sum, mean_length
from viz.subjects.positions.report import ratios_table
from viz.subjects.positions.words import labels

_SAME = 1e-4
"""What float32 may differ by between two ways to the same sum."""


def show_addition(view: View) -> None:
    """Show the embeddings before and after positions are added, and how long the vectors are."""
    run = view.run
    with st.container(horizontal=True, gap="medium"):
        text: Text = st.segmented_control(
            "Text",
            run.anatomy.sides,
            default=run.anatomy.sides[0],
            required=True,
            format_func=str.capitalize,
            key="positions_sum_text",
            bind="query-params",
        )
        what = st.segmented_control(
            "Show",
            (labels.MAPS, labels.LENGTHS),
            default=labels.MAPS,
            required=True,
            key="positions_sum_view",
            bind="query-params",
        )
    parts = embedding_sum(run, text, view.model.embedding_of(text).norm)
    root = f"× √{run.info.config.d_model}"
    if what == labels.MAPS:
        _show_maps(parts, text, root)
    else:
        _show_lengths(parts, text, root)
    st.html(_ratios(parts, text, root))


def _show_maps(parts: Sum, text: Text, root: str) -> None:
    """Draw the vectors; a scale that this model does not use would drown the rest."""
    scaled = {root: parts.scaled} if parts.scales else {}
    vectors = {"embedding": parts.embedding, **scaled}
    vectors |= {"encoding": parts.encoding, **_kind_of_text(parts), _sum_name(parts): parts.output}
    show_figure(
        addition_maps(vectors, tokens=parts.tokens, palette=palette()),
        key="positions_sum_maps",
        alt=f"Embeddings of the {text}, their positions, and the sum",
    )


def _show_lengths(parts: Sum, text: Text, root: str) -> None:
    vectors = {
        "embedding": parts.embedding,
        root if parts.scales else f"{root} (not by this model)": parts.scaled,
        "encoding": parts.encoding,
        **_kind_of_text(parts),
        _sum_name(parts): parts.output,
    }
    lengths = {name: np.linalg.norm(values, axis=1) for name, values in vectors.items()}
    show_figure(
        length_dots(lengths, tokens=parts.tokens, palette=palette()),
        key="positions_sum_lengths",
        alt=f"Length of each {text} token's vectors",
    )


def _kind_of_text(parts: Sum) -> dict[str, np.ndarray]:
    return {} if parts.segment is None else {"kind of text": parts.segment}


def _sum_name(parts: Sum) -> str:
    return "their sum" if parts.norm is None else "the norm of their sum"


def _ratios(parts: Sum, text: Text, root: str) -> str:
    rows = [
        (
            f"scale {root} {'on' if on else 'off'}",
            mean_length(parts.scaled if on else parts.embedding),
            mean_length(parts.encoding),
            parts.ratio(scaled=on),
            on == parts.scales,
        )
        for on in (True, False)
    ]
    what = "the sum" if parts.norm is None else "the norm of the sum"
    check = (parts.error < _SAME, f"{text}_embedding.output is {what}", error_text(parts.error))
    return ratios_table(rows) + tokens.badges([check])
