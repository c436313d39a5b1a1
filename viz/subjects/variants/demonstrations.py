"""The demonstrations: whose checkpoints each needs, how it measures, and what says the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from viz.subjects.variants.depth import compare_depth
from viz.subjects.variants.facts import compare_scale, count_tied, remove_biases
from viz.subjects.variants.future import read_future
from viz.subjects.variants.heads import compare_heads
from viz.subjects.variants.material import Material
from viz.subjects.variants.norms import compare_norms
from viz.subjects.variants.order import shuffle
from viz.subjects.variants.padding import compare_fills, compare_padding
from viz.subjects.variants.positions import compare_frequencies, compare_movement
from viz.subjects.variants.report import Report
from viz.subjects.variants.words.depth import report_depth
from viz.subjects.variants.words.facts import report_biases, report_scale, report_tied
from viz.subjects.variants.words.future import report_future
from viz.subjects.variants.words.heads import report_uneven
from viz.subjects.variants.words.norms import report_norms
from viz.subjects.variants.words.order import report_order
from viz.subjects.variants.words.padding import report_empty_row, report_padding
from viz.subjects.variants.words.positions import report_frequencies, report_movement


@dataclass(frozen=True)
class Entry:
    """One demonstration on offer."""

    variants: tuple[str, ...]
    """Whose checkpoints it cannot do without; the difference shows in the first."""
    measure: Callable[[Material], Any]
    say: Callable[[Any], Report]
    """Puts what was measured into words, tables and lines."""


_BOTH, _PAPER = ("headlist", "paper"), ("paper",)
DEMONSTRATIONS = {
    "future": Entry(_BOTH, read_future, report_future),
    "frequency": Entry(_BOTH, compare_frequencies, report_frequencies),
    "movement": Entry(("addnorm",), compare_movement, report_movement),
    "order": Entry(_PAPER, shuffle, report_order),
    "norm": Entry(_PAPER, compare_norms, report_norms),
    "fill": Entry(_PAPER, compare_fills, report_empty_row),
    "padding": Entry(_PAPER, compare_padding, report_padding),
    "heads": Entry((), compare_heads, report_uneven),
    "depth": Entry(("paper", "prenorm"), compare_depth, report_depth),
    "tied": Entry(_PAPER, count_tied, report_tied),
    "scale": Entry(_PAPER, compare_scale, report_scale),
    "biases": Entry(_PAPER, remove_biases, report_biases),
}
"""By name, in the order in which they are offered."""
