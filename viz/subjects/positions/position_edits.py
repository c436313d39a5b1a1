"""Removes or moves positions that are not vectors: edits of queries, keys and scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.attention import Where
from model.config import Side
from model.edits import Edit, Edits, PositionedEdit
from model.positions import turn
from model.traces import present

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Turned(PositionedEdit):
    """An edit that rotates the pairs of dimensions of each position further, by its own angle."""

    angles: Float[Tensor, "position pair"]

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a pass whose first row is the position `start`."""
        return lambda value: turn(value, self.angles[start : start + value.size(-2)])


@dataclass(frozen=True, eq=False)
class Added(PositionedEdit):
    """An edit that adds a number to the score of every two positions."""

    numbers: Float[Tensor, "1 head query key"]

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a pass whose first query is the position `start`."""

        def add(scores: Tensor) -> Tensor:
            queries, keys = scores.shape[-2:]
            return scores + self.numbers[..., start : start + queries, :keys].to(scores)

        return add


def moved(
    model: "Transformer",
    orders: Mapping[Side, Int[Tensor, " position"]],
    limit: int,
    *,
    zeroed: bool,
) -> Edits:
    """Move each position to the place of another one, in queries and keys or in the scores.

    Args:
        model: A model whose positions are rotary, alibi or relative.
        orders: The place that each position gets, for each changed side; positions beyond keep
            their own.
        limit: The largest number of positions of a text.
        zeroed: Whether to remove positions: nothing is rotated, and nothing added.
    """
    edits: dict[str, PositionedEdit] = {}
    for side, order in orders.items():
        stack = present(model.encoder if side == "source" else model.decoder)
        name = "encoder" if side == "source" else "decoder"
        count = max(limit, len(order))
        with torch.inference_mode():
            own = stack.where(count, device=model.device)
        order = torch.cat([order, torch.arange(len(order), count)])
        for layer in range(len(stack.layers)):
            path = f"{name}.layers.{layer}.self_attn"
            edits |= {f"{path}.{part}": edit for part, edit in _edits(own, order, zeroed).items()}
    return Edits(edits)


def _edits(own: Where, order: Int[Tensor, " position"], zeroed: bool) -> dict[str, PositionedEdit]:
    if own.angles is not None:
        other = torch.zeros_like(own.angles) if zeroed else own.angles[order]
        turned = Turned(other - own.angles)
        return {"query": turned, "key": turned}
    if own.bias is None:
        return {}
    other = torch.zeros_like(own.bias) if zeroed else own.bias[:, :, order][..., order]
    return {"scores": Added(other - own.bias)}
