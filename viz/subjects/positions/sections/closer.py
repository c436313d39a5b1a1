"""A closer look at one encoding: waves, wavelengths, products, distances, other formulas."""

from functools import partial

import numpy as np
import streamlit as st

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.subjects.positions.distances import coincidences, distances
from viz.subjects.positions.figures.geometry import band, product_map
from viz.subjects.positions.figures.waves import MOST_WAVES, Curve, wave_strips, wavelength_dots
from viz.subjects.positions.geometry import EXACT, gram, products_by_offset
from viz.subjects.positions.report import summaries_table
from viz.subjects.positions.sections.shift import show_shift
from viz.subjects.positions.summary import summarise
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table, waves
from viz.subjects.positions.words import labels
from viz.subjects.positions.words.sentences import (
    say_coincidences,
    say_distances,
    say_one_frequency,
    say_waves,
)

_WIDE = 760
"""Pixels of the figure of distances, which has many."""
_BETWEEN = 12
"""Points of a drawn wave between two positions, at most."""
_MOST_POINTS = 4000


def show_closer(table: PositionTable, picked: tuple[int, int], text_length: int) -> None:
    """Let one way to look be chosen, and draw only that one."""
    chosen: labels.Closer = st.segmented_control(
        "A closer look",
        labels.CLOSER,
        default=labels.CLOSER[0],
        required=True,
        key="positions_closer",
        bind="query-params",
        label_visibility="collapsed",
    )
    shown = {
        "Waves": partial(_show_waves, table, picked, text_length),
        "Dot products": partial(_show_products, table, picked[0]),
        "Shift by k": partial(show_shift, table, picked[0]),
        "Which look alike": partial(_show_alike, table),
        "Formulas compared": partial(_show_compared, table),
    }
    shown[chosen]()


def _show_waves(table: PositionTable, picked: tuple[int, int], text_length: int) -> None:
    position, dimension = picked
    dimensions = _choose_dimensions(table.d_model) or [dimension]
    with st.container(horizontal=True, gap="medium"):
        show_figure(
            wave_strips(
                table.values[:, dimensions],
                dimensions=dimensions,
                curve=_curve(table, dimensions),
                picked=position,
                palette=palette(),
            ),
            key="positions_wave_strips",
            alt=f"Dimensions {', '.join(map(str, dimensions))} over the positions",
        )
        if table.wavelengths is not None:
            show_figure(
                wavelength_dots(
                    table.wavelengths, length=text_length, picked=dimension, palette=palette()
                ),
                key="positions_wavelengths",
                alt="Wavelength of each dimension",
            )
    st.html(tokens.note(say_waves(table, position, text_length)))


def _choose_dimensions(d_model: int) -> list[int]:
    chosen = st.multiselect(
        f"Dimensions, at most {MOST_WAVES}",
        range(d_model),
        default=sorted({0, 1, d_model // 8, d_model // 4, d_model // 2, d_model - 1}),
        max_selections=MOST_WAVES,
        key="positions_waves",
        bind="query-params",
    )
    return sorted(chosen)


def _curve(table: PositionTable, dimensions: list[int]) -> Curve | None:
    """Evaluate the formula between the positions too, where there is one."""
    if table.frequencies is None:
        return None
    last = table.length - 1
    points = last * min(_BETWEEN, _MOST_POINTS // table.length) + 1
    places = np.linspace(0, last, points)
    return places, waves(table.kind, places, table.d_model, table.base)[:, dimensions]


def _show_products(table: PositionTable, picked: int) -> None:
    products = gram(table.values)
    by_offset = products_by_offset(products)
    st.html(tokens.heading(labels.PRODUCTS, code="PE(i)·PE(j)"))
    with st.container(horizontal=True, gap="medium"):
        show_figure(
            product_map(products, picked=picked, palette=palette()),
            key="positions_products",
            alt="Dot product of every two encodings",
        )
        show_figure(
            band(
                by_offset.lowest,
                by_offset.mean,
                by_offset.highest,
                first=0,
                y_title=labels.PRODUCTS_AXIS,
                name=labels.MEAN_PRODUCT,
                palette=palette(),
            ),
            key="positions_products_by_offset",
            alt="Dot products by distance",
        )
    holds = by_offset.spread < EXACT * table.d_model
    st.html(tokens.badges([(holds, labels.BY_OFFSET_BADGE, error_text(by_offset.spread))]))


def _show_alike(table: PositionTable) -> None:
    values = table.values
    if table.kind != "learned" and table.length < labels.FAR:
        values = formula_table(table.kind, labels.FAR, table.d_model, table.base).values
    measured = distances(values)
    st.html(tokens.note(say_coincidences(measured)))
    if table.kind == "single_frequency":
        st.html(tokens.note(say_one_frequency(measured)))
    show_figure(
        band(
            measured.nearest,
            None,
            measured.farthest,
            first=1,
            y_title=labels.DISTANCES_AXIS,
            name=labels.LEAST_DISTANCE,
            wide=_WIDE,
            marked=[c.shift for c in coincidences(measured)],
            palette=palette(),
        ),
        key="positions_distances",
        alt="Distance of two encodings by how far apart they are",
    )
    st.html(tokens.note(say_distances(len(values), measured.length)))


def _show_compared(table: PositionTable) -> None:
    base = table.base if table.kind == "sinusoidal" else PAPER_BASE
    found = [
        summarise(kind, table.d_model, base, length=labels.FAR)
        for kind in labels.NAMES
        if kind != "learned"
    ]
    st.html(
        tokens.heading(labels.COMPARED, code=f"d_model = {table.d_model}")
        + summaries_table(found, table.kind)
    )
