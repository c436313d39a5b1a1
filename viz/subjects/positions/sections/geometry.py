"""A closer look at one encoding: waves, wavelengths, products, shifts, distances."""

from functools import partial

import numpy as np
import streamlit as st

from model.config import Positions
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.subjects.positions import latex
from viz.subjects.positions.distances import coincidences, distances
from viz.subjects.positions.figures.encoding import wave_strips, wavelength_dots
from viz.subjects.positions.figures.geometry import band, product_map
from viz.subjects.positions.figures.rotation import circles, turn_lines
from viz.subjects.positions.geometry import (
    EXACT,
    Turn,
    formula_angle,
    gram,
    products_by_offset,
    turn,
)
from viz.subjects.positions.report import summaries_table
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table, waves
from viz.subjects.positions.words import FAR, NAMES, say_coincidences, say_one_frequency, summarise

WAVES, PRODUCTS, SHIFT, ALIKE, COMPARED = (
    "Waves",
    "Dot products",
    "Shift by k",
    "Which look alike",
    "Formulas compared",
)
_MOST_WAVES = 6
_MOST_PAIRS = 3
_WIDE = 760
"""Pixels of the figure of distances, which has many."""
_CURVE = 12
"""Points of a drawn wave between two positions, at most."""


def show_closer(table: PositionTable, picked: tuple[int, int], text_length: int) -> None:
    """Let one way to look be chosen, and draw only that one."""
    sections = {
        WAVES: partial(_show_waves, table, picked, text_length),
        PRODUCTS: partial(_show_products, table, picked[0]),
        SHIFT: partial(_show_shift, table, picked[0]),
        ALIKE: partial(_show_alike, table),
        COMPARED: partial(_show_compared, table),
    }
    chosen = st.segmented_control(
        "A closer look",
        [*sections],
        default=WAVES,
        required=True,
        key="positions_closer",
        bind="query-params",
        label_visibility="collapsed",
    )
    sections[chosen]()


def _show_waves(table: PositionTable, picked: tuple[int, int], text_length: int) -> None:
    d = table.d_model
    start = sorted({0, 1, d // 8, d // 4, d // 2, d - 1})
    chosen = st.multiselect(
        f"Dimensions, at most {_MOST_WAVES}",
        range(d),
        default=start,
        max_selections=_MOST_WAVES,
        key="positions_waves",
        bind="query-params",
    )
    dimensions = sorted(chosen) or [picked[1]]
    curve = None
    if table.frequencies is not None:
        points = (table.length - 1) * min(_CURVE, 4000 // table.length) + 1
        places = np.linspace(0, table.length - 1, points)
        curve = (places, waves(table.kind, places, d, table.base)[:, dimensions])
    with st.container(horizontal=True, gap="medium"):
        show_figure(
            wave_strips(
                table.values[:, dimensions],
                dimensions=dimensions,
                curve=curve,
                picked=picked[0],
                palette=palette(),
            ),
            key="positions_wave_strips",
            alt=f"Dimensions {', '.join(map(str, dimensions))} over the positions",
        )
        if table.wavelengths is not None:
            show_figure(
                wavelength_dots(
                    table.wavelengths, length=text_length, picked=picked[1], palette=palette()
                ),
                key="positions_wavelengths",
                alt="Wavelength of each dimension",
            )
    st.html(tokens.note(_say_waves(table, picked[0], text_length)))


def _say_waves(table: PositionTable, position: int, text_length: int) -> str:
    text = f"Left: the {table.length} positions as dots, the picked one, {position}, dotted through"
    lengths = table.wavelengths
    if lengths is None:
        return f"{text}. There is no wave, so there is no wavelength."
    whole = int((lengths <= text_length).sum())
    return (
        f"{text}; a line where the formula goes between them. Right: {whole} of {table.d_model} "
        f"dimensions come round at least once within the {text_length} positions of the text."
    )


def _show_products(table: PositionTable, picked: int) -> None:
    products = gram(table.values)
    by_offset = products_by_offset(products)
    st.html(tokens.heading("Dot products of every two positions", code="PE(i)·PE(j)"))
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
                x_title="k, positions apart",
                y_title="PE(i)·PE(i + k): mean, and range over i",
                name="mean product",
                palette=palette(),
            ),
            key="positions_products_by_offset",
            alt="Dot products by distance",
        )
    st.html(
        tokens.badges(
            [
                (
                    by_offset.spread < EXACT * table.d_model,
                    "the product depends on i − j alone",
                    f"± {by_offset.spread:.1g}",
                )
            ]
        )
    )


def _show_shift(table: PositionTable, picked: int) -> None:
    """Show pairs of dimensions as points, and what a step of k positions does to them."""
    with st.container(horizontal=True, gap="medium"):
        shift = 1
        if table.length > 2:
            shift = st.slider(
                "k, positions further",
                1,
                table.length - 1,
                min(3, table.length - 1),
                key="positions_shift",
                bind="query-params",
                width=280,
            )
        pairs = _choose_pairs(table.d_model)
    position = min(picked, table.length - 1 - shift)
    turns = [turn(table.values, pair, shift) for pair in pairs]
    show_figure(
        circles(
            [t.points for t in turns],
            pairs=pairs,
            position=position,
            shift=shift,
            titles=[_title(table, t) for t in turns],
            angles=[t.angle if t.is_rotation and not t.is_empty else None for t in turns],
            palette=palette(),
        ),
        key="positions_circles",
        alt=f"Pairs of dimensions at position {position} and {shift} further",
    )
    _show_turns(table, turns, position)


def _show_turns(table: PositionTable, turns: list[Turn], position: int) -> None:
    """Show the angle at every position, and whether one rotation does it all."""
    first = turns[0]
    left, right = st.columns(2, gap="medium")
    with left:
        st.html(tokens.heading(f"The turn from each position to the one {first.shift} further"))
        show_figure(
            turn_lines(
                [np.degrees(t.angles) for t in turns],
                pairs=[t.pair for t in turns],
                shift=first.shift,
                palette=palette(),
            ),
            key="positions_turns",
            alt=f"Angle that a shift by {first.shift} turns each pair by, at each position",
        )
    with right:
        if not first.is_rotation or first.is_empty:
            st.html(tokens.heading("Is it one rotation?"))
        else:
            st.html(tokens.heading(f"Pair {first.pair} of position {position}, turned"))
            st.latex(latex.turned(table, first.pair, position, first.shift, first.angle))
        st.html(tokens.badges([_rotation_badge(t) for t in turns]))
        st.html(tokens.note(_say_rotation(turns)))


def _choose_pairs(d_model: int) -> list[int]:
    count = d_model // 2
    pairs = st.multiselect(
        f"Pairs of dimensions, at most {_MOST_PAIRS}",
        range(count),
        default=sorted({0, count // 8, count // 4}),
        max_selections=_MOST_PAIRS,
        key="positions_pairs",
        bind="query-params",
        format_func=lambda pair: f"{pair}: {2 * pair}, {2 * pair + 1}",
    )
    return sorted(pairs) or [0]


def _title(table: PositionTable, found: Turn) -> str:
    angle = formula_angle(table, found.pair, found.shift)
    if found.is_empty:
        return f"pair {found.pair}: all zeros"
    if angle is None or not found.is_rotation:
        return f"pair {found.pair}: no rotation"
    degrees = float(np.degrees(angle))
    less = f" ≡ {degrees % 360:.2f}°" if degrees >= 360 else ""
    return f"pair {found.pair}: k·w = {degrees:,.2f}°{less}"


def _rotation_badge(found: Turn) -> tuple[bool, str, str]:
    words = f"pair {found.pair}: one rotation takes every pos to pos + {found.shift}"
    return found.is_rotation, words, f"± {found.error:.1g}"


def _say_rotation(turns: list[Turn]) -> str:
    if all(t.is_empty for t in turns):
        return "Every encoding is the zero vector: a shift changes nothing."
    if all(t.is_rotation for t in turns):
        text = (
            "The angle does not depend on pos: to look k positions further is one fixed linear "
            "map, which a head can learn."
        )
        if len(turns) > 1 and np.ptp([t.angle for t in turns]) < EXACT:
            text += " All these pairs turn by the same angle: each says what the others say."
        return text
    return (
        "The points lie on no circle and the angle changes with pos: no one rotation shifts them "
        "all. The nearest one misses by as much as the mark says."
    )


def _show_alike(table: PositionTable) -> None:
    values = table.values
    if table.kind != "learned" and table.length < FAR:
        values = formula_table(table.kind, FAR, table.d_model, table.base).values
    measured = distances(values)
    found = coincidences(measured)
    st.html(tokens.note(say_coincidences(measured)))
    if table.kind == "single_frequency":
        st.html(tokens.note(say_one_frequency(measured)))
    show_figure(
        band(
            measured.nearest,
            None,
            measured.farthest,
            first=1,
            x_title="k, positions apart",
            y_title="|PE(p) − PE(p + k)|: least, and range over p",
            name="least distance",
            wide=_WIDE,
            marked=[c.shift for c in found],
            palette=palette(),
        ),
        key="positions_distances",
        alt="Distance of two encodings by how far apart they are",
    )
    st.html(
        tokens.note(
            f"Over {len(values)} positions. Mean length of an encoding: {measured.length:.3f}."
        )
    )


def _show_compared(table: PositionTable) -> None:
    kinds: list[Positions] = [kind for kind in NAMES if kind != "learned"]
    base = table.base if table.kind == "sinusoidal" else PAPER_BASE
    st.html(
        tokens.heading("The formulas at this size", code=f"d_model = {table.d_model}")
        + summaries_table([summarise(kind, table.d_model, base) for kind in kinds], table.kind)
    )
