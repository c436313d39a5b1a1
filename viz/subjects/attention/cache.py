"""The arithmetic of cells, worked out once: the card and its formulas ask for the same one."""

from viz.run.selection import Selection
from viz.run.view import View, per_view
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.cell.explain import explain_cell


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
