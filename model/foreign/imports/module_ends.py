"""The two ends of a user's module: its embedding of ids, and its map to logits.

Both are found from the values of one recorded pass.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from model.config import Output, Positions
from model.foreign.recording.embedding import tables_of
from model.foreign.recording.plan import EMBEDDINGS, Plan, Side
from model.positions import formula_of
from model.traces import TransformerTrace, present

LARGEST_DIFFERENCE = 1e-4
"""The largest difference of the copy, as a share of the largest number, in single precision."""


@dataclass(frozen=True, eq=False)
class FoundEmbedding:
    """How a module turns ids into the vectors that a stack reads."""

    weight: Tensor
    scaled: bool
    positions: Positions
    table: Tensor | None
    """The module's own position table; None if a formula gives the positions."""


@dataclass(frozen=True, eq=False)
class FoundGenerator:
    """How a module turns the last hidden states into its result."""

    weight: Tensor
    bias: Tensor | None
    output: Output


def find_embedding(
    module: nn.Module, plan: Plan, trace: TransformerTrace, side: Side
) -> FoundEmbedding:
    """Return the embedding that the recorder found. Raises ValueError if there is none."""
    name = EMBEDDINGS[side]
    found = getattr(trace, name)
    taps = ((call, tap) for call, taps in plan.leaving.items() for tap in taps)
    place = next(((call, tap) for call, tap in taps if tap.name == f"{name}.tokens"), None)
    if found is None or place is None or found.segments is not None:
        raise ValueError(
            "the stack must read the embedding of each id, optionally times sqrt(d_model), "
            "plus sinusoids, a table of positions or nothing; no embedding and no table of this "
            "module give that input"
        )
    (path, _), tap = place
    weight: Any = module.get_submodule(path).weight
    rows = found.positions
    if not rows.any():
        return FoundEmbedding(weight, tap.factor != 1, "none", None)
    if kind := formula_of(rows):
        return FoundEmbedding(weight, tap.factor != 1, kind, None)
    tables = tables_of(module, rows)
    table = next((each for each in tables if torch.equal(each[: len(rows)], rows)), None)
    if table is None:
        raise ValueError("no table of this module holds its positions")
    return FoundEmbedding(weight, tap.factor != 1, "learned", table)


def find_generator(
    module: nn.Module, trace: TransformerTrace, result: Tensor | None
) -> FoundGenerator | None:
    """Find the map that computes the module's result from the last hidden states.

    Returns None if the result is these states, or if an encoder has no logits. Raises ValueError if
    a decoder's result is something else.
    """
    hidden = present(trace.decoder or trace.encoder).output
    for part in module.modules():
        if not isinstance(part, nn.Linear | nn.Embedding):
            continue
        weight, bias = part.weight, getattr(part, "bias", None)
        if weight.size(1) != hidden.size(-1):
            continue
        logits = nn.functional.linear(hidden, weight, bias)
        made: dict[Output, Tensor] = {
            "logits": logits,
            "log_softmax": logits.log_softmax(dim=-1),
            "softmax": logits.softmax(dim=-1),
        }
        for kind, each in made.items():
            if _gives(result, each):
                return FoundGenerator(weight, bias, kind)
    if trace.decoder and not _gives(result, hidden):
        raise ValueError(
            "the module's result must be one nn.Linear of its decoder's output, or the product "
            "with an embedding, with or without a softmax; no part of it gives that result"
        )
    return None


def _gives(result: Tensor | None, made: Tensor) -> bool:
    """Return whether a result equals a tensor computed from hidden states, in either axis order."""
    orders = (made, made.transpose(0, 1))
    return result is not None and any(
        result.shape == each.shape and apart_by(result, each) <= LARGEST_DIFFERENCE
        for each in orders
    )


def apart_by(one: Tensor, other: Tensor) -> float:
    """Compute the largest difference of two tensors, as a share of the largest number."""
    return ((one - other).abs().max() / other.abs().max().clamp(min=1)).item()
