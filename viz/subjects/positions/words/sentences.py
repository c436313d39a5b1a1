"""What an encoding does, in sentences that are computed from its numbers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from viz.pictures.numbers import error_text, number_text, percent_text
from viz.run.encodings import STILL_BELOW, STILL_OVER, still_dimensions
from viz.subjects.positions.distances import Distances, all_alike, coincidences
from viz.subjects.positions.geometry import EXACT, Turn, formula_angle
from viz.subjects.positions.reruns import Change, Where
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table
from viz.subjects.positions.words.labels import pair, wavelength

_NEAR = 0.2
"""Part of an encoding's length below which two positions are called nearly alike."""
_MOST_SHOWN = 16
"""Positions of a new order that are listed."""


def describe(table: PositionTable) -> str:
    """Say what kind of encoding this is, and what its mistake does if it has one."""
    d = table.d_model
    waves = table.wavelengths
    if waves is None:
        return _describe_without_waves(table)
    if table.kind == "single_frequency":
        return (
            f"A floor division makes every exponent 0, so all {d // 2} pairs of dimensions repeat "
            f"one wave of {wavelength(waves[0])} positions: {d} numbers say no more than two would."
        )
    grow = (
        f"The waves grow from {wavelength(waves.min())} positions in dimension 0 to "
        f"{wavelength(waves.max())} in dimension {int(waves.argmax())}."
    )
    still = len(still_dimensions(formula_table(table.kind, STILL_OVER, d, table.base).values))
    move = (
        f"{still} of {d} dimensions move by less than {STILL_BELOW:g} over {STILL_OVER} positions"
    )
    if table.kind == "sinusoidal":
        return f"{grow} {move}."
    paper = len(still_dimensions(formula_table("sinusoidal", STILL_OVER, d).values))
    return f"{grow} {_say_double_sine(table)} {move}; in the paper's formula {paper} do."


def _describe_without_waves(table: PositionTable) -> str:
    if table.kind == "none":
        return (
            "No position is added. Attention weighs tokens by what they are, so an encoder without "
            "positions reads them as a bag of words: their order makes no difference."
        )
    return (
        f"A vector of {table.d_model} weights for each of {table.length} positions, trained with "
        "the rest of the model. No formula ties them together, and there is none beyond the last."
    )


def _say_double_sine(table: PositionTable) -> str:
    """Compare how fast the waves grow with the dimension: by 2·log(1000) to log(10000)."""
    faster = number_text(2 * math.log(table.base) / math.log(PAPER_BASE)).rstrip("0")
    return (
        "The exponent doubles an index that already counts single dimensions, and the base is "
        f"{table.base:,.0f}: from one dimension to the next the logarithm of the wavelength grows "
        f"{faster} times as fast as in the paper's formula. No cosine stands beside a sine, so "
        "position 0 is all zeros."
    )


def say_waves(table: PositionTable, position: int, text_length: int) -> str:
    """Say what is drawn of the waves, and how many come round within the text."""
    dots = f"Left: the {table.length} positions as dots, with a dotted line at position {position}"
    lengths = table.wavelengths
    if lengths is None:
        return f"{dots}. There is no wave, so there is no wavelength."
    span = text_length - 1
    whole = int((lengths <= span).sum())
    return (
        f"{dots}, and the formula between them as a line. Right: {whole} of {table.d_model} "
        f"dimensions come round at least once in the text, whose {text_length} positions span "
        f"{span} steps."
    )


def say_coincidences(measured: Distances) -> str:
    """Say which positions come nearer to each other than any neighbours."""
    if all_alike(measured):
        return "All positions are the same vector: none can be told from another."
    found = coincidences(measured)
    last = len(measured.shifts)
    if not found:
        return (
            f"No two of these {last + 1} positions are as near to each other as the nearest "
            f"neighbours are ({number_text(measured.nearest[0])}): each can be told from every "
            "other."
        )
    listed = ", ".join(f"{c.shift} ({percent_text(c.part)})" for c in found)
    text = (
        f"Some positions lie nearer to each other than any two neighbours do: those {listed} "
        "apart. The distance is in brackets, as a share of the mean length of an encoding; each is "
        "smaller than any before it."
    )
    near = [c.shift for c in found if c.part < _NEAR]
    if near:
        text += f" So from {near[0]} positions on there are places that look nearly alike."
    return text


def say_one_frequency(measured: Distances) -> str:
    """Explain the nearest and the farthest positions of a single wave by its length, 2 pi."""
    nearest = int(measured.shifts[1:][measured.nearest[1:].argmin()])
    farthest = int(measured.shifts[measured.nearest.argmax()])
    return (
        f"{nearest} positions are {_in_waves(nearest)} waves of 2π, so positions {nearest} "
        f"apart nearly coincide; {farthest} are {_in_waves(farthest)} waves, so positions "
        f"{farthest} apart are nearly opposite."
    )


def _in_waves(positions: int) -> str:
    return number_text(positions / (2 * math.pi))


def say_distances(count: int, length: float) -> str:
    """Say over what the distances were measured."""
    return f"Over {count} positions. Mean length of an encoding: {number_text(length)}."


def say_rotation(turns: Sequence[Turn]) -> str:
    """Say whether one rotation does for all positions."""
    if all(t.is_empty for t in turns):
        return "Every encoding is the zero vector: a shift changes nothing."
    if not all(t.is_rotation for t in turns):
        return (
            "The points lie on no circle and the angle changes with pos: no one rotation shifts "
            "them all. The number beside each ✗ is how far the nearest rotation misses."
        )
    text = (
        "The angle does not depend on pos: looking k positions further is one fixed linear map, "
        "which a head can learn."
    )
    if len(turns) > 1 and np.ptp([t.angle for t in turns]) < EXACT:
        text += " All these pairs turn by the same angle, so none adds anything to the others."
    return text


def turn_title(table: PositionTable, found: Turn) -> str:
    """Name a pair, with the angle that the formula turns it by."""
    angle = formula_angle(table, found.pair, found.shift)
    if found.is_empty:
        return f"{pair(found.pair)}: all zeros"
    if angle is None or not found.is_rotation:
        return f"{pair(found.pair)}: no rotation"
    degrees = math.degrees(angle)
    whole_turns = f" ≡ {degrees % 360:.2f}°" if degrees >= 360 else ""
    return f"{pair(found.pair)}: k·w = {degrees:,.2f}°{whole_turns}"


def rotation_badge(found: Turn) -> tuple[bool, str, str]:
    """Check whether one rotation shifts a pair at every position."""
    words = f"{pair(found.pair)}: one rotation takes every pos to pos + {found.shift}"
    return found.is_rotation, words, error_text(found.error)


def say_orders(orders: Mapping[str, Sequence[int]]) -> str:
    """List for each side that was moved which position's encoding each position got."""
    return "".join(_say_order(side, order) for side, order in orders.items())


def _say_order(side: str, order: Sequence[int]) -> str:
    if list(order) == sorted(order):
        return ""
    shown = ", ".join(map(str, order[:_MOST_SHOWN])) + (" …" if len(order) > _MOST_SHOWN else "")
    return f" The {side} positions got the encodings of positions {shown}."


def answer(asked: tuple[Change, Where] | None, text: str = "", *, same: bool, added: bool) -> str:
    """Say what positions are for, by what the model writes with them changed.

    Args:
        asked: What was changed in the run beside it, and where; None where there is none.
        text: What that writes.
        same: Whether that is the same as the model writes as it is.
        added: Whether the model adds positions at all.
    """
    if not added:
        return "This model is given no positions: to its encoder a sentence is a bag of words."
    told = (
        "Attention reads all words at once and sees no order. What it knows of it are numbers that "
        "are added to each word, other ones at each place."
    )
    if asked != ("zeroed", "both"):
        return told
    if same:
        return f"{told} Here it writes the same without them."
    if not text.strip():
        return f"{told} Without them it writes no word at all."
    return f"{told} Without them it writes another sentence."
