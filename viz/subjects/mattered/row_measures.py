"""What mattered for the token of one step, in every measure: a number for each source token."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.gradients import STEPS, integrate_closely
from model.measures import Measure, measure_again, measure_trace
from model.passes import Pass
from model.transformer import Transformer
from sample_data.swaps import Swaps
from viz.run.record import Run
from viz.run.selection import Selection, aligned_selection

LONGEST = 60
"""Tokens of a source, and of a target, up to which the model is run again for each of them."""
_QUICK = 60
"""Tokens of both together up to which that takes well under a second."""
_CLOSE = 0.05
"""Nats by which the sum of integrated gradients may miss."""
_MOST_STEPS = 4 * STEPS
_LEAST_COST = 0.5
"""Nats that a swap must cost, for it to say something."""


@dataclass(frozen=True, eq=False)
class RunAgain:
    """What running the model again said of one row."""

    values: Mapping[Measure, Float[np.ndarray, " source"]]
    steps: int
    """Of integrated gradients: doubled until their sum is close, or there are many."""
    difference: float
    """Log-probability of the token with the source less that without it, in nats."""
    error: float
    """What their sum has too much."""


def chosen_head(run: Run, selection: Selection) -> tuple[int, int]:
    """Give a layer and a head across: the selected one, or else the one that aligns best."""
    if selection.kind != "cross-attention":
        selection = aligned_selection(run)
    return selection.layer, selection.head


def seen_measures(
    run: Run, model: Transformer, head: tuple[int, int]
) -> dict[Measure, Float[np.ndarray, "target source"]]:
    """Measure every row from what the run computed."""
    found = measure_trace(model, run.trace, run.target_ids[1:], head)
    return {name: values.numpy() for name, values in found.items()}


def runs_again(run: Run) -> bool:
    """Tell whether the sentence is short enough to be run again for each of its tokens."""
    return len(run.source.ids) <= LONGEST and len(run.steps) <= LONGEST


def takes_long(run: Run) -> bool:
    """Tell whether a person waits while the model is run again."""
    return len(run.source.ids) + len(run.steps) > _QUICK


def run_again(run: Run, model: Transformer, step: int, swaps: Swaps) -> RunAgain:
    """Measure the row of one step by running the model again, changed as the run was."""
    asked = Pass.of(model, run.source.ids, run.target_ids, (step,), run.edits)
    others = [swaps.of(id) for id in run.source.ids]
    integrated = integrate_closely(asked, close=_CLOSE, most_steps=_MOST_STEPS)
    unk_id = run.info.tokenizers.source.specials.unk
    values = measure_again(asked, others, integrated, unk_id=unk_id)
    return RunAgain(
        values={name: row[0].numpy() for name, row in values.items()},
        steps=integrated.steps,
        difference=float(integrated.difference),
        error=float(integrated.error),
    )


def first_places(
    seen: Mapping[Measure, Float[np.ndarray, "target source"]], again: RunAgain | None, step: int
) -> dict[Measure, int | None]:
    """Find the source token that each measure puts first; None where no number is above 0."""
    found: dict[Measure, int | None] = {n: _first_place(row[step]) for n, row in seen.items()}
    if again is not None:
        found.update({name: _first_place(row) for name, row in again.values.items()})
    return found


def looks_elsewhere(firsts: Mapping[Measure, int | None], again: RunAgain | None) -> bool:
    """Tell whether attention puts another word first than the one whose swap costs most.

    Only where that swap costs something, and the word that attention looks at can be swapped too.
    """
    looked, swapped = firsts.get("attention"), firsts.get("swapped")
    if again is None or looked is None or swapped is None or looked == swapped:
        return False
    costs = again.values["swapped"]
    return bool(np.isfinite(costs[looked]) and costs[swapped] > _LEAST_COST)


def _first_place(values: Float[np.ndarray, " source"]) -> int | None:
    known = np.nan_to_num(values, nan=-np.inf)
    place = int(known.argmax())
    return place if known[place] > 0 else None
