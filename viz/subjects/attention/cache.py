"""The arithmetic of cells, worked out once: the card and its formulas ask for the same one."""

from viz.run.cached import cached
from viz.run.selection import Selection
from viz.run.view import View, per_view
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.cell.explain import explain_cell
from viz.subjects.attention.scaling import Scaling, product_variance, scaling, spreads


@per_view
def measured_scaling(view: View, chosen: Selection) -> Scaling:
    """Recompute every softmax of a run for other divisors, and the selected row."""
    return scaling(view.run, chosen.kind, chosen.layer, chosen.head, chosen.query)


@per_view
def variance_of_products(view: View) -> float:
    """Measure how far the dot products of a run spread."""
    return product_variance(view.run)


random_spreads = cached(spreads)
"""How far dot products of random vectors spread, drawn once."""


@per_view
def explained(view: View, chosen: Selection) -> CellArithmetic:
    """Take the selected cell out of a run, with every step between query, key and output."""
    return explain_cell(
        view.run,
        view.model,
        chosen.kind,
        chosen.layer,
        chosen.head,
        chosen.query,
        chosen.key,
    )
