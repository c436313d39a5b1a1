"""A cut, or a patched cell, as a change of the run, which every page then shows."""

from model.attribution.patched_cells import Cell
from model.attribution.patching import Contest
from model.attribution.sublayers import How, Part
from model.interventions.kinds import Intervention


def as_change(part: Part, how: How) -> Intervention:
    """Return a cut as an intervention.

    Even weights are what scores give that are all 0.
    """
    if how == "even":
        return Intervention("scale", f"{part.sublayer}.scores", head=part.head, amount=0.0)
    name = f"{part.sublayer}.{'output' if part.head is None else 'heads'}"
    return Intervention(how, name, head=part.head)


def as_patch(cell: Cell, which: Contest, other: str) -> Intervention | None:
    """Describe what another sentence has in a cell as an intervention in the run in view.

    None where it has nothing to put there: a cell whose token has no partner; and a row of weights
    where the two sentences do not stand word for word beside each other.

    Args:
        cell: At a position of the other sentence.
        which: The run in view, which is the clean one, and the other.
        other: Source text of the other sentence.
    """
    is_aligned = which.partners == tuple(range(len(which.clean)))
    if cell.what == "row" and not is_aligned:
        return None
    if not cell.is_source or (is_aligned and cell.position is None):
        rows = None if cell.position is None else (cell.position,)
        return Intervention("patch", cell.name, head=cell.head, rows=rows, origin=other)
    places = range(len(which.corrupt)) if cell.position is None else (cell.position,)
    pairs = [(which.partners[place], place) for place in places]
    rows = tuple(own for own, _ in pairs if own is not None)
    if not rows:
        return None
    origin = tuple(place for own, place in pairs if own is not None)
    return Intervention(
        "patch", cell.name, head=cell.head, rows=rows, origin=other, origin_rows=origin
    )
