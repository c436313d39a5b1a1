"""One encoding in a few numbers, to set beside others of its size."""

from dataclasses import dataclass

from model.config import Positions
from viz.run.encodings import STILL_OVER, still_dimensions
from viz.subjects.positions.distances import Coincidence, all_alike, coincidences, distances
from viz.subjects.positions.geometry import EXACT, gram, products_by_offset, turn
from viz.subjects.positions.table import PAPER_BASE, formula_table


@dataclass(frozen=True)
class Summary:
    """One encoding in numbers."""

    kind: Positions
    longest_wave: float | None
    still: int
    """Dimensions that hardly move."""
    nearest: Coincidence | None
    """The nearest two positions that are nearer than neighbours."""
    alike: bool
    """Whether all positions are the same."""
    rotates: bool
    """Whether a shift turns every pair of dimensions."""
    by_offset: bool
    """Whether the product of two encodings depends on nothing but how far apart they are."""


def summarise(
    kind: Positions, d_model: int, base: float = PAPER_BASE, *, length: int = 128
) -> Summary:
    """Measure one formula over so many positions."""
    table = formula_table(kind, length, d_model, base)
    measured = distances(table.values)
    near = coincidences(measured)
    waves = table.wavelengths
    spread = products_by_offset(gram(table.values)).spread
    return Summary(
        kind=kind,
        longest_wave=None if waves is None else float(waves.max()),
        still=len(still_dimensions(table.values[:STILL_OVER])),
        nearest=near[-1] if near else None,
        alike=all_alike(measured),
        rotates=all(turn(table.values, pair, 1).is_rotation for pair in range(d_model // 2)),
        by_offset=spread < EXACT * d_model,
    )
