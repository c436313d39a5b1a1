"""The small pictures on the map: each a real tensor of the run, shrunk and put into bytes."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Int8
from torch import Tensor

from model.traces import find_tensor
from viz.run.copied_words import candidate_name
from viz.run.record import Run

MOST_ROWS = 16
MOST_COLUMNS = 64
CODE_LARGEST = 127
"""Code of the largest magnitude; its negative is -127."""
CODE_NAN = -128

CANDIDATES = 5
MOST_CANDIDATES = 600
"""Of all steps together: long targets show fewer for each step."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A matrix of signed numbers, coarsely."""

    codes: Int8[np.ndarray, "row column"]
    largest: float
    """The magnitude that 127 stands for: the largest of the whole matrix, drawn or not."""


def pictures(run: Run, names: Iterable[str]) -> dict[str, Picture]:
    """Draw each of the named tensors of a run, a row for each position."""
    return {name: _draw(find_tensor(run.trace, name)) for name in dict.fromkeys(names)}


def encode(
    values: Float[np.ndarray, "position dimension"], most_rows: int, most_columns: int
) -> Picture:
    """Scale a matrix by its largest magnitude and put each number into one signed byte.

    Of a matrix with more rows or columns, evenly spaced ones are kept: every cell is a number that
    the model computed.
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    kept = values[np.ix_(*map(_spaced, values.shape, (most_rows, most_columns)))]
    scaled = np.nan_to_num(kept, posinf=largest, neginf=-largest) / (largest or 1.0)
    codes = np.rint(scaled * CODE_LARGEST).astype(np.int8)
    codes[np.isnan(kept)] = CODE_NAN
    return Picture(codes, largest)


def candidates(run: Run) -> list[list[tuple[str, float, bool]]]:
    """List for each step the most probable tokens, the one that was written always among them.

    Each is its text, its probability, and whether it was written. Of an encoder alone for each
    position, and whether it stands there; none where the model predicts nothing.
    """
    if not run.steps:
        return _candidates_of_rows(run)
    count = max(2, min(CANDIDATES, MOST_CANDIDATES // len(run.steps)))
    target = run.info.tokenizers.target
    found = []
    for step in run.steps:
        best = [(each.token, each.probability) for each in step.candidates(count)]
        if step.token not in dict(best):
            best[-1] = (step.token, float(np.exp(step.log_probability)))
        texts = target.tokens([token for token, _ in best])
        rows = zip(texts, best, strict=True)
        found.append(
            [
                (candidate_name(run.info.tokenizers, text), p, token == step.token)
                for text, (token, p) in rows
            ]
        )
    return found


def _candidates_of_rows(run: Run) -> list[list[tuple[str, float, bool]]]:
    if run.trace.logits is None:
        return []
    probabilities = run.trace.logits[0].softmax(dim=-1)
    count = max(2, min(CANDIDATES, MOST_CANDIDATES // len(probabilities)))
    tokenizer = run.info.tokenizers.source
    found = []
    for row, own in zip(probabilities, run.source.ids, strict=True):
        best = row.topk(min(count, len(row))).indices.tolist()
        if own not in best:
            best[-1] = own
        texts = zip(tokenizer.tokens(best), best, strict=True)
        found.append([(text, float(row[token]), token == own) for text, token in texts])
    return found


def _draw(tensor: Tensor) -> Picture:
    """Draw the only sentence of the batch; positions have no batch axis."""
    values = tensor.reshape(tensor.shape[-2:]).numpy()
    return encode(values, MOST_ROWS, MOST_COLUMNS)


def _spaced(size: int, most: int) -> Int[np.ndarray, " kept"]:
    return np.arange(min(size, most)) * size // min(size, most)
