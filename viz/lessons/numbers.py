"""Numbers that lessons ask for: from two lists, two scores or places, or one tensor of a run."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model.traces import find_tensor, present
from model.transformer import Transformer
from viz.lessons.faults import nearest, refuse
from viz.lessons.lesson import Answer
from viz.run.record import Run
from viz.run.tensors import run_tensor_names

_SAME_ROW = 1e-5
"""Relative difference up to which a row counts as unchanged: float32 rounds a sum of a hundred
terms by about as much, and a change of another row may change the order of the terms."""


def given_number(answer: Answer, model: Transformer, plain: Run, run: Run) -> float:
    """Compute the number that a step asks for.

    Raises:
        LessonError: If the model has no such place or tensor.
    """
    match answer.of:
        case "dot product":
            return sum(one * other for one, other in zip(answer.query, answer.key, strict=True))
        case "times the weight":
            first, second = answer.numbers
            return math.exp(first - second)
        case "likeness of places":
            return _likeness(answer, model)
        case _:
            before, after = (_rows(answer, one).double() for one in (plain, run))
            return float(after.norm(dim=-1).mean() / before.norm(dim=-1).mean())


def counted(answer: Answer, plain: Run, run: Run, row: int | None) -> int:
    """Compute the count that a step asks for.

    Raises:
        LessonError: If the run has no such tensor or row.
    """
    if answer.of == "predictions in a pass":
        return present(run.trace.logits).size(1)
    rows = _rows(answer, run)
    if answer.of == "numbers above 0":
        if row is None or row >= len(rows):
            raise refuse("see", "needs_see", fields=("writes", "reads"))
        return int((rows[row] > 0).sum())
    before = _rows(answer, plain)
    if before.shape != rows.shape:
        raise refuse("answer.tensor", "other_shape", name=answer.tensor)
    moved = (rows - before).norm(dim=-1)
    return int((moved > _SAME_ROW * before.norm(dim=-1)).sum())


def _likeness(answer: Answer, model: Transformer) -> float:
    embedding = model.source_embedding or model.target_embedding
    config = model.config
    last = config.max_length - 1
    if not config.has_position_vectors:
        raise refuse("answer.numbers", "no_places")
    if not all(place == int(place) and 0 <= place <= last for place in answer.numbers):
        raise refuse("answer.numbers", "range", low=0, high=last, got=max(answer.numbers))
    one, other = map(int, answer.numbers)
    vectors = present(embedding).positions(0, max(one, other) + 1).detach().double()
    return float(vectors[one] @ vectors[other])


def _rows(answer: Answer, run: Run) -> Float[Tensor, "row number"]:
    """Return the rows of the tensor that an answer names: one vector for each token."""
    known = run_tensor_names(run)
    if answer.tensor not in known:
        near = nearest(answer.tensor, known)
        raise refuse("answer.tensor", "no_tensor", near, name=answer.tensor)
    tensor = find_tensor(run.trace, answer.tensor)
    if tensor.dim() != 3 or not torch.is_floating_point(tensor):
        raise refuse("answer.tensor", "not_of_tokens", name=answer.tensor)
    return tensor[0]
