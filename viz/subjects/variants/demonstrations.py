"""The demonstrations: whose checkpoints each needs, how it measures, and what says the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from viz.subjects.variants.depth import compare_depth
from viz.subjects.variants.future import read_future
from viz.subjects.variants.material import Material
from viz.subjects.variants.report import Report
from viz.subjects.variants.words.depth import report_depth
from viz.subjects.variants.words.future import report_future


@dataclass(frozen=True)
class Entry:
    """One demonstration on offer."""

    variants: tuple[str, ...]
    """Whose checkpoints it cannot do without; the difference shows in the first."""
    measure: Callable[[Material], Any]
    say: Callable[[Any], Report]
    """Puts what was measured into words, tables and lines."""


DEMONSTRATIONS = {
    "future": Entry(("headlist", "paper"), read_future, report_future),
    "depth": Entry(("paper", "prenorm"), compare_depth, report_depth),
}
"""By name, in the order in which they are offered."""
