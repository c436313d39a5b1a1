"""What an intervention does to a tensor: the edits by which a run is changed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from model.edits import Edit, PositionedEdit, needs_all_rows, of_pass


@dataclass(frozen=True, eq=False)
class OnHead:
    """An edit of one head of a tensor whose second axis is the heads'."""

    head: int
    edit: Edit | PositionedEdit

    @property
    def needs_all_rows(self) -> bool:
        """Whether the edit does."""
        return needs_all_rows(self.edit)

    def of_pass(self, start: int) -> Edit:
        """Give it for a pass; it sees one head, without the axis."""
        edit = of_pass(self.edit, start)

        def on_head(value: Tensor) -> Tensor:
            value = value.clone()
            value[:, self.head] = edit(value[:, self.head])
            return value

        return on_head


@dataclass(frozen=True, eq=False)
class Fill:
    """A number in the place of each score that the causal mask would hide."""

    amount: float
    needs_all_rows = True

    def of_pass(self, start: int) -> Edit:
        """Give it for a pass whose first query is the position `start`."""

        def fill(scores: Tensor) -> Tensor:
            queries, keys = scores.shape[-2:]
            later = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
            return scores.masked_fill(later.triu(start + 1), self.amount)

        return fill


@dataclass(frozen=True, eq=False)
class RowByRow:
    """An edit of attention weights that shows each row only itself and the tokens before it.

    So a row that a causal mask keeps from later tokens is not made to read one, and is the same
    whether those tokens are there yet or not.
    """

    edit: Edit | PositionedEdit

    @property
    def needs_all_rows(self) -> bool:
        """Whether the edit does."""
        return needs_all_rows(self.edit)

    def of_pass(self, start: int) -> Edit:
        """Give it for a pass whose first query is the position `start`."""

        def row_by_row(weights: Tensor) -> Tensor:
            weights = weights.clone()
            for row in range(weights.size(-2)):
                seen = (..., slice(row, row + 1), slice(start + row + 1))
                weights[seen] = of_pass(self.edit, start + row)(weights[seen])
            return weights

        return row_by_row


@dataclass(frozen=True, eq=False)
class Put:
    """Rows of another tensor in the place of rows of this one.

    Attention weights of a text of another length lack keys, or have more: what is there of a row
    is divided by its sum.
    """

    given: Tensor
    """With the axes of what it is put into; its last axis but one is that of the rows."""
    rows: tuple[int, ...] | None
    """Rows that are replaced; None for all that it has."""
    origin_rows: tuple[int, ...] | None
    """Rows that they are replaced by; None for the same ones."""
    needs_all_rows = False

    def of_pass(self, start: int) -> Edit:
        """Give it for a pass whose first row is the position `start`."""

        def put(value: Tensor) -> Tensor:
            rows = range(start, start + value.size(-2)) if self.rows is None else self.rows
            origin_rows = rows if self.origin_rows is None else self.origin_rows
            value = value.clone()
            for to, of in zip(rows, origin_rows, strict=True):
                if 0 <= to - start < value.size(-2) and of < self.given.size(-2):
                    row = _fitted(self.given[..., of, :], value.size(-1))
                    value[..., to - start, :] = row.to(value)
            return value

        return put


def fill_with(amount: float) -> Edit:
    """Make an edit that gives every number one value; of a mask, True where it is not 0."""
    return lambda tensor: torch.full_like(tensor, amount)


def average(mean: Float[Tensor, "*head size"]) -> Edit:
    """Make an edit that gives all positions one vector, of each head its own."""
    if mean.dim() > 1:
        mean = mean.unsqueeze(-2)
    return lambda tensor: mean.to(tensor).expand_as(tensor).clone()


def point(column: int, share: float) -> Edit:
    """Make an edit that moves a share of each row's weight to one key."""

    def pointed(weights: Tensor) -> Tensor:
        if column >= weights.size(-1):
            return weights
        weights = weights * (1 - share)
        weights[..., column] += share
        return weights

    return pointed


def paint(values: Sequence[float]) -> Edit:
    """Make an edit that gives rows these weights, divided by the sum of those whose key is there.

    A row with none of its keys there stays as it is.
    """

    def painted(weights: Tensor) -> Tensor:
        row = weights.new_tensor(values[: weights.size(-1)])
        if not row.sum() > 0:
            return weights
        row = functional.pad(row / row.sum(), (0, weights.size(-1) - len(row)))
        return row.expand_as(weights).clone()

    return painted


def hide(columns: Sequence[int]) -> Edit:
    """Make an edit of scores that leaves keys no weight in the softmax that follows."""

    def hidden(scores: Tensor) -> Tensor:
        scores = scores.clone()
        scores[..., _there(columns, scores)] = -math.inf
        return scores

    return hidden


def on_columns(change: Edit, columns: Sequence[int]) -> Edit:
    """Make an edit that acts on some positions of the last axis alone."""

    def edit(value: Tensor) -> Tensor:
        there = _there(columns, value)
        value = value.clone()
        value[..., there] = change(value[..., there])
        return value

    return edit


def _there(columns: Sequence[int], value: Tensor) -> list[int]:
    return [column for column in columns if column < value.size(-1)]


def _fitted(row: Tensor, size: int) -> Tensor:
    if row.size(-1) == size:
        return row
    row = functional.pad(row[..., :size], (0, max(0, size - row.size(-1))))
    total = row.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, row / total, row)
