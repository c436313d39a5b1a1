"""Attribution of a token, computed once for all sessions, and how far it can be trusted."""

import numpy as np
from jaxtyping import Float

from model.attribution.logits import Part, addends, split_state
from model.attribution.measures import Measure
from sample_data.agreement import Agreements
from sample_data.swaps import Swaps, swaps_of
from viz.models.checkpoint_records import recorded_of
from viz.run.view import View, per_model, per_view
from viz.subjects.mattered.row_measures import RunAgain, run_again, seen_measures
from viz.subjects.mattered.row_parts import Lead, make_lead


@per_view
def seen(view: View) -> dict[Measure, Float[np.ndarray, "row source"]]:
    """Measure every row from what the run computed."""
    return seen_measures(view.run, view.model)


@per_view
def again(view: View, row: int) -> RunAgain:
    """Measure one row by running the model again."""
    return run_again(view.run, view.model, row, _swaps(view))


@per_view
def lead(view: View, step: int, other: int) -> Lead:
    """Describe the contributions to the lead of the written token over another one."""
    written = view.run.steps[step].token
    found = addends(view.model, _parts(view), step, written, other)
    return make_lead(view.run, step, other, found)


@per_model
def agreements(view: View) -> Agreements | None:
    """Read how well the measures agree; None if these weights were not measured."""
    return recorded_of(view.stamp, Agreements)


@per_view
def _parts(view: View) -> tuple[Part, ...]:
    return split_state(view.model, view.run.trace)


@per_model
def _swaps(view: View) -> Swaps:
    info = view.opened.info
    return swaps_of(info.task, info.tokenizers.source.vocabulary)
