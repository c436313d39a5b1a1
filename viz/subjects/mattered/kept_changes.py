"""A cut or a patched cell as a change of the run, which every page then shows."""

from model.attribution.patched_cells import Cell
from model.attribution.patching import Contest
from model.attribution.sublayers import How, Part
from model.interventions.kinds import Intervention


def as_change(part: Part, how: How) -> Intervention:
    """Return a cut as an intervention.

    Even weights result from scores that are all 0.
    """
    if how == "even":
        return Intervention("scale", f"{part.sublayer}.scores", head=part.head, amount=0.0)
    name = f"{part.sublayer}.{'output' if part.head is None else 'heads'}"
    return Intervention(how, name, head=part.head)


def as_patch(cell: Cell, which: Contest, other: str) -> Intervention | None:
    """Describe another sentence's value of a cell as an intervention in the run in view.

    Returns None if there is no value: the cell's token has no partner, or the cell is a row of
    weights and the two sentences do not correspond word for word.

    Args:
        cell: The cell, at a position of the other sentence.
        which: The run in view, which is the clean one, and the other.
        other: The source of the other sentence.
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
