"""Reruns with changed positions, once for each choice."""

from viz.run.view import View, per_view
from viz.subjects.positions.reruns import Change, Rerun, Where, order_gap, rerun

_SEED = 0
"""The seed of a shuffle."""


@per_view
def changed_run(view: View, change: Change, where: Where) -> Rerun:
    """Run the view's sentence with changed positions."""
    return rerun(view.run, view.model, change, where, _SEED)


@per_view
def order_gaps(view: View) -> tuple[float, float]:
    """Measure whether the encoder notices that a source is shuffled, with and without positions."""
    with_positions = order_gap(view.run, view.model, _SEED, zeroed=False)
    return with_positions, order_gap(view.run, view.model, _SEED, zeroed=True)
