"""Attribution of one row's token by every measure: a number for each token read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from model.attribution.gradients import STEPS, average_embedding, integrate_closely
from model.attribution.measures import Measure, measure_again, measure_trace
from model.attribution.passes import Pass
from model.traces import present
from model.transformer import Transformer
from sample_data.swaps import Swaps
from viz.address.selection import Selection
from viz.run.record import Run

LONGEST = 60
"""The largest numbers of source and target tokens for which the model is run again for each."""
_QUICK = 60
"""The largest number of both together for which this takes well under a second."""
_CLOSE = 0.05
"""The error in nats that the sum of integrated gradients may have."""
_MOST_STEPS = 4 * STEPS
_LEAST_COST = 0.5
"""The cost in nats from which a swap says something."""


@dataclass(frozen=True, eq=False)
class RunAgain:
    """The findings on one row from running the model again."""

    values: Mapping[Measure, Float[np.ndarray, " source"]]
    steps: int
    """The number of steps of integrated gradients, doubled until their sum is close or a limit."""
    difference: float
    """The log-probability of the token with the source minus that without it, in nats."""
    error: float
    """The excess of their sum."""


def row_in_view(run: Run, selection: Selection) -> int:
    """Return the row in question: that of the step, or of the query in an encoder-only model."""
    return selection.step if run.steps else selection.query


def spoken_ids(run: Run) -> tuple[int, ...]:
    """Return the id that each row predicts: the written one, or the one at its position."""
    if run.steps:
        return run.target_ids[1:]
    return tuple(present(run.trace.logits)[0].argmax(dim=-1).tolist())


def tokens_read(run: Run) -> tuple[str, ...]:
    """Return the tokens that the rows read: those of the source, or of the only text."""
    return run.source.tokens if run.info.config.has_encoder else run.target_tokens[:-1]


def read_by(run: Run, row: int) -> int:
    """Count the tokens that a row reads."""
    return len(tokens_read(run)) if run.info.config.has_encoder else row + 1


def seen_measures(run: Run, model: Transformer) -> dict[Measure, Float[np.ndarray, "row source"]]:
    """Measure every row from what the run computed."""
    found = measure_trace(model, run.trace, spoken_ids(run))
    return {name: values.numpy() for name, values in found.items()}


def runs_again(run: Run, row: int) -> bool:
    """Return whether few enough tokens are read to run the model again for each of them."""
    written = len(run.steps) if run.anatomy.translates else 0
    return max(read_by(run, row), written) <= LONGEST


def takes_long(run: Run) -> bool:
    """Return whether running the model again takes so long that a reader would wait."""
    return len(tokens_read(run)) + len(run.steps) > _QUICK


def run_again(run: Run, model: Transformer, row: int, swaps: Swaps) -> RunAgain:
    """Measure one row by running the model again, with the changes of the run."""
    baseline, others = None, None
    if run.anatomy.translates:
        asked = Pass.of(model, run.source.ids, run.target_ids, (row,), run.edits)
        others = [swaps.of(id) for id in run.source.ids]
    else:
        ids = run.source.ids if run.info.config.has_encoder else run.target_ids[: row + 1]
        asked = Pass.of_text(model, ids, row, spoken_ids(run)[row], run.edits)
        baseline = average_embedding(asked)
    integrated = integrate_closely(asked, close=_CLOSE, most_steps=_MOST_STEPS, baseline=baseline)
    values = measure_again(asked, integrated, others)
    return RunAgain(
        values={name: found[0].float().numpy() for name, found in values.items()},
        steps=integrated.steps,
        difference=float(integrated.difference),
        error=float(integrated.error),
    )


def first_places(
    seen: Mapping[Measure, Float[np.ndarray, "row source"]], again: RunAgain | None, row: int
) -> dict[Measure, int | None]:
    """Find the token that each measure ranks first; None if no number is above 0."""
    found: dict[Measure, int | None] = {n: _first_place(rows[row]) for n, rows in seen.items()}
    if again is not None:
        found.update({name: _first_place(values) for name, values in again.values.items()})
    return found


def looks_elsewhere(firsts: Mapping[Measure, int | None], again: RunAgain | None) -> bool:
    """Return whether attention ranks another word first than the one with the costliest swap.

    This is True only if that swap costs something, and if the word that attention ranks first can
    be swapped too.
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
