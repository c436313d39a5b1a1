"""Direct logit attribution: a logit as the sum of what each part of a model adds to it."""

import torch
from torch import nn

from loupe.effects import Effects
from loupe.metrics import id_of
from loupe.native import Opened
from loupe.options import check_rows
from loupe.run import Run
from loupe.runners import Token, own, runner_of
from loupe.runs_of_models import runner_with_parts, trace_of
from model.attribution.logits import addends, split_state
from model.traces import present


def logit_attribution(
    model: "Opened | nn.Module",
    run: Run,
    token: Token,
    other: Token | None = None,
    *,
    row: int = -1,
    tokenizer: object = None,
) -> Effects:
    """Split a logit, or the difference of two, into the direct contribution of each part.

    The parts are the embedding, each head and each feed-forward network. The scale of every norm
    stays as in the run (Elhage et al. 2021), so the values sum to the logit or the difference.

    Args:
        model: The model of the run, as in `patch`.
        run: A run from `loupe.trace`, edited or not.
        token: The token whose logit is split.
        other: The token to compare it with.
        row: The row of the logits.
        tokenizer: As in `patch`, for a transformers model of a family that Loupe knows.

    Returns:
        The contribution of each part, in logits (part); `goal` is their sum.

    Raises:
        TypeError: If the model is of another kind.
        ValueError: If the model has no decoder, if the run is of another model, if the vocabulary
            lacks a token, or if the run lacks the row.
    """
    runner = runner_with_parts(model, tokenizer)
    trace = trace_of(runner_of(model, tokenizer), run)
    whole = own(runner)
    if trace.decoder is None:
        raise ValueError("logit_attribution needs a model with a decoder, and this model has none")
    check_rows([row], present(trace.logits).size(1), "row")
    logits = present(trace.logits)[0, row]
    ids = [id_of(runner, each) for each in (token, other) if each is not None]
    found = addends(whole.model, split_state(whole.model, trace), row, *ids)
    goal = float(logits[ids[0]] - (logits[ids[1]] if len(ids) > 1 else 0))
    names = tuple(each.name for each in found)
    return Effects(torch.tensor([each.value for each in found]), ("part",), (names,), 0.0, goal)
