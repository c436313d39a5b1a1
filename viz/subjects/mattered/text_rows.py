"""What mattered for one token of a model of one text, in every measure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.text_measures import (
    TextMeasure,
    TextPass,
    gradient_times_input,
    hidden,
    integrated,
    zeroed,
)
from model.traces import present
from model.transformer import Transformer
from viz.run.record import Run
from viz.run.selection import Selection

LONGEST = 60
"""Tokens of a text up to which the model is run again for each of them."""
_CLOSE = 0.05
"""Nats by which the sum of integrated gradients may miss."""
_MOST_STEPS = 256


@dataclass(frozen=True, eq=False)
class TextAgain:
    """What running the model again said of one row."""

    values: Mapping[TextMeasure, Float[np.ndarray, " position"]]
    steps: int
    """Of integrated gradients."""
    difference: float
    """Log-probability of the token with the text less that with average embeddings, in nats."""
    error: float
    """What their sum has too much."""


def row_in_view(run: Run, selection: Selection) -> int:
    """Give the row that is asked about: of a decoder the step's, of an encoder the query's."""
    return selection.step if run.steps else selection.query


def spoken_ids(run: Run) -> tuple[int, ...]:
    """Give the id that each row speaks of: what it writes, or puts at its place."""
    if run.steps:
        return run.target_ids[1:]
    return tuple(present(run.trace.logits)[0].argmax(dim=-1).tolist())


def runs_again(run: Run, row: int) -> bool:
    """Tell whether the row reads few enough tokens for the model to be run again for each."""
    return (row + 1 if run.steps else len(run.source.ids)) <= LONGEST


def again(run: Run, model: Transformer, row: int) -> TextAgain:
    """Measure one row by running the model again, changed as the run was."""
    ids = run.target_ids[: row + 1] if run.steps else run.source.ids
    on_device = torch.tensor([*ids], device=model.device)
    asked = TextPass(model, on_device, row, spoken_ids(run)[row], run.edits)
    summed = integrated(asked, close=_CLOSE, most_steps=_MOST_STEPS)
    found: dict[TextMeasure, Tensor] = {
        "gradient": gradient_times_input(asked),
        "integrated": summed.values,
        "hidden": hidden(asked),
        "zeroed": zeroed(asked),
    }
    return TextAgain(
        values={name: values.cpu().numpy() for name, values in found.items()},
        steps=summed.steps,
        difference=summed.difference,
        error=summed.error,
    )


def first_places(
    seen: Mapping[TextMeasure, Float[np.ndarray, "row position"]],
    found: TextAgain | None,
    row: int,
) -> dict[TextMeasure, int | None]:
    """Find the token that each measure puts first; None where no number is above 0."""
    rows: dict[TextMeasure, np.ndarray] = {name: values[row] for name, values in seen.items()}
    if found is not None:
        rows.update(found.values)
    return {
        name: int(values.argmax()) if values.max() > 0 else None for name, values in rows.items()
    }
