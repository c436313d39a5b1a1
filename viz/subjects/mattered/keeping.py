"""A cut as a change of the run, which every page then shows."""

from model.ablation import How, Part
from model.intervention import Intervention


def as_change(part: Part, how: How) -> Intervention:
    """Say a cut as an intervention.

    Even weights are what scores give that are all 0.
    """
    if how == "even":
        return Intervention("scale", f"{part.sublayer}.scores", head=part.head, amount=0.0)
    name = f"{part.sublayer}.{'output' if part.head is None else 'heads'}"
    return Intervention(how, name, head=part.head)
