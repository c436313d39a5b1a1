"""What an encoding does, in sentences that are computed from its numbers."""

from dataclasses import dataclass

import numpy as np

from model.config import Positions
from viz.subjects.positions.distances import (
    MOVES,
    Coincidence,
    Distances,
    all_alike,
    coincidences,
    distances,
    idle_dimensions,
)
from viz.subjects.positions.geometry import EXACT, gram, products_by_offset, turn
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table

NAMES: dict[Positions, str] = {
    "sinusoidal": "Paper: sine, cosine",
    "double_sine": "addnorm: sine, sine",
    "single_frequency": "headlist: one frequency",
    "learned": "Learned",
    "none": "None",
}
IDLE_OVER = 50
"""Positions over which a dimension is watched, to say whether it moves."""
FAR = 128
"""Positions that are compared with each other, where the text is shorter."""
_NEAR = 0.2
"""Part of an encoding's length below which two positions are called nearly alike."""


@dataclass(frozen=True)
class Summary:
    """One encoding in numbers, to set beside others of its size."""

    kind: Positions
    longest_wave: float | None
    idle: int
    """Dimensions that hardly move over `IDLE_OVER` positions."""
    nearest: Coincidence | None
    """The nearest two positions that are nearer than neighbours, within `FAR`."""
    alike: bool
    """Whether all positions are the same."""
    rotates: bool
    """Whether a shift turns every pair of dimensions."""
    by_offset: bool
    """Whether the product of two encodings depends on nothing but how far apart they are."""


def summarise(kind: Positions, d_model: int, base: float = PAPER_BASE) -> Summary:
    """Measure one formula."""
    table = formula_table(kind, FAR, d_model, base)
    measured = distances(table.values)
    near = coincidences(measured)
    waves = table.wavelengths
    spread = products_by_offset(gram(table.values)).spread
    return Summary(
        kind=kind,
        longest_wave=None if waves is None else float(waves.max()),
        idle=len(idle_dimensions(table.values[:IDLE_OVER])),
        nearest=near[-1] if near else None,
        alike=all_alike(measured),
        rotates=all(turn(table.values, pair, 1).is_rotation for pair in range(d_model // 2)),
        by_offset=spread < EXACT * d_model,
    )


def describe(table: PositionTable) -> str:
    """Say what kind of encoding this is, and what its mistake does if it has one."""
    d = table.d_model
    waves = table.wavelengths
    if waves is None:
        if table.kind == "none":
            return (
                "No position is added. Attention weighs tokens by what they are, so an encoder "
                "without positions reads them as a bag: in any order alike."
            )
        return (
            f"A vector of {d} weights for each of {table.length} positions, trained with the rest "
            "of the model. No formula ties them to each other, and there is none beyond the last."
        )
    if table.kind == "single_frequency":
        return (
            f"A floor division makes every exponent 0, so all {d // 2} pairs of dimensions repeat "
            f"one wave of {waves[0]:.2f} positions: {d} numbers say no more than two would."
        )
    text = (
        f"The waves grow from {waves.min():.2f} positions in dimension 0 to "
        f"{waves.max():,.0f} in dimension {int(waves.argmax())}."
    )
    idle = len(idle_dimensions(formula_table(table.kind, IDLE_OVER, d, table.base).values))
    still = f"{idle} of {d} dimensions move by less than {MOVES} over {IDLE_OVER} positions"
    if table.kind == "sinusoidal":
        return f"{text} {still}."
    paper = len(idle_dimensions(formula_table("sinusoidal", IDLE_OVER, d).values))
    return (
        f"{text} The exponent doubles an index that already counts single dimensions, so they grow "
        f"twice as fast; and no cosine stands beside a sine, so position 0 is all zeros. {still}; "
        f"in the paper's formula {paper}."
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
            f"neighbours are ({measured.nearest[0]:.3f}): each can be told from every other."
        )
    listed = ", ".join(f"{c.shift} ({c.part:.1%})" for c in found)
    text = (
        f"Nearer than neighbours, and each nearer than any before: positions {listed} apart, in "
        "parts of a vector's length."
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
        f"{nearest} positions are {nearest / (2 * np.pi):.4f} waves of 2π, so positions {nearest} "
        f"apart nearly coincide; {farthest} are {farthest / (2 * np.pi):.4f} waves, so positions "
        f"{farthest} apart are nearly opposite."
    )
