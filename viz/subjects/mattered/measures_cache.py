"""What mattered for a token, measured once for all sessions, and how far that can be trusted."""

import numpy as np
from jaxtyping import Float

from model.attribution.logits import Part, addends, split_state
from model.attribution.measures import Measure
from sample_data.agreement import Agreements
from sample_data.swaps import Swaps, swaps_of
from viz.models import session
from viz.models.checkpoint_records import recorded_of
from viz.models.session import Stamp
from viz.run.result_cache import cached
from viz.run.view import View, per_view
from viz.subjects.mattered.row_measures import RunAgain, run_again, seen_measures
from viz.subjects.mattered.row_parts import Lead, make_lead


@per_view
def seen(view: View) -> dict[Measure, Float[np.ndarray, "row source"]]:
    """Measure every row from what the run computed."""
    return seen_measures(view.run, view.model)


@per_view
def again(view: View, row: int) -> RunAgain:
    """Measure one row by running the model again."""
    return run_again(view.run, view.model, row, _swaps(session.stamp(view.inputs.checkpoint)))


@per_view
def lead(view: View, step: int, other: int) -> Lead:
    """Describe what adds to the lead of the token written over another one."""
    written = view.run.steps[step].token
    found = addends(view.model, _parts(view), step, written, other)
    return make_lead(view.run, step, other, found)


def agreements(name: str) -> Agreements | None:
    """Read how well the measures agree; None where not these weights were measured."""
    return _agreements(session.stamp(name))


@per_view
def _parts(view: View) -> tuple[Part, ...]:
    return split_state(view.model, view.run.trace)


@cached
def _swaps(checkpoint: Stamp) -> Swaps:
    info = session.load_stamped(checkpoint, "cpu").info
    return swaps_of(info.task, info.tokenizers.source.vocabulary)


@cached
def _agreements(checkpoint: Stamp) -> Agreements | None:
    return recorded_of(checkpoint, Agreements)
