"""A closer look at one encoding: waves, wavelengths, products, a shift."""

from functools import partial

import numpy as np
import streamlit as st

from texts import listed, say, say_of
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.run.address import bound
from viz.subjects.positions.figures.geometry import band, product_map
from viz.subjects.positions.figures.waves import MOST_WAVES, Curve, wave_strips, wavelength_dots
from viz.subjects.positions.geometry import EXACT, gram, products_by_offset
from viz.subjects.positions.sections.shift import show_shift
from viz.subjects.positions.table import PositionTable, waves
from viz.subjects.positions.words import labels
from viz.subjects.positions.words.sentences import say_waves

_BETWEEN = 12
"""Points of a drawn wave between two positions, at most."""
_MOST_POINTS = 4000


def show_closer(table: PositionTable, picked: tuple[int, int], text_length: int) -> None:
    """Let one way to look be chosen, and draw only that one."""
    chosen: labels.Closer = choose_one(
        say("positions.closer"),
        labels.CLOSER,
        lambda name: say_of("positions.closer_at", name),
        key="positions_closer",
        is_named=False,
    )
    shown = {
        "waves": partial(_show_waves, table, picked, text_length),
        "products": partial(_show_products, table, picked[0]),
        "shift": partial(show_shift, table, picked[0]),
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
                wave=_curve(table, dimensions),
                picked=position,
                palette=palette(),
            ),
            key="positions_wave_strips",
            alt=say("positions.strips_alt", dimensions=listed([*map(str, dimensions)])),
        )
        if table.wavelengths is not None:
            show_figure(
                wavelength_dots(
                    table.wavelengths, length=text_length, picked=dimension, palette=palette()
                ),
                key="positions_wavelengths",
                alt=say("positions.wavelengths_alt"),
            )
    st.html(tokens.note(say_waves(table, position, text_length)))


def _choose_dimensions(d_model: int) -> list[int]:
    usual = sorted({0, 1, d_model // 8, d_model // 4, d_model // 2, d_model - 1})
    chosen = st.multiselect(
        say("positions.dimensions", most=MOST_WAVES),
        range(d_model),
        max_selections=MOST_WAVES,
        key=bound("positions_waves", usual, range(d_model)),
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
    st.html(tokens.heading(say("positions.products"), code="PE(i)·PE(j)"))
    with st.container(horizontal=True, gap="medium"):
        show_figure(
            product_map(products, picked=picked, palette=palette()),
            key="positions_products",
            alt=say("positions.products_alt"),
        )
        show_figure(
            band(
                by_offset.lowest,
                by_offset.mean,
                by_offset.highest,
                palette=palette(),
            ),
            key="positions_products_by_offset",
            alt=say("positions.offsets_alt"),
        )
    holds = by_offset.spread < EXACT * table.d_model
    st.html(
        tokens.badges([(holds, say("positions.by_offset_badge"), error_text(by_offset.spread))])
    )
