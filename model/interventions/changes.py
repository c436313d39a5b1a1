"""The edits with which interventions change a tensor."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from model.edits import Edit, PositionedEdit, needs_all_rows, of_pass


@dataclass(frozen=True, eq=False)
class OnHead(PositionedEdit):
    """An edit of one head of a tensor whose second axis holds the heads."""

    head: int
    edit: Edit | PositionedEdit

    @property
    def needs_all_rows(self) -> bool:
        """Whether the edit of the head needs all rows."""
        return needs_all_rows(self.edit)

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a pass; the inner edit sees the one head, without the head axis."""
        edit = of_pass(self.edit, start)

        def on_head(value: Tensor) -> Tensor:
            value = value.clone()
            value[:, self.head] = edit(value[:, self.head])
            return value

        return on_head


@dataclass(frozen=True, eq=False)
class RowByRow(PositionedEdit):
    """An edit of attention weights that sees, in each row, only the row's token and earlier ones.

    A row under a causal mask therefore never reads a later token, and is the same before and after
    later tokens exist.
    """

    edit: Edit | PositionedEdit

    @property
    def needs_all_rows(self) -> bool:
        """Whether the inner edit needs all rows."""
        return needs_all_rows(self.edit)

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a pass whose first query is the position `start`."""

        def row_by_row(weights: Tensor) -> Tensor:
            weights = weights.clone()
            for row in range(weights.size(-2)):
                seen = (..., slice(row, row + 1), slice(start + row + 1))
                weights[seen] = of_pass(self.edit, start + row)(weights[seen])
            return weights

        return row_by_row


@dataclass(frozen=True, eq=False)
class Put(PositionedEdit):
    """An edit that replaces rows of this tensor by rows of another.

    Attention weights from a text of another length lack keys or have extra ones. The remaining
    weights of a row are divided by their sum.
    """

    given: Tensor
    """The other tensor, with the same axes; the second-to-last is that of the rows."""
    rows: tuple[int, ...] | None
    """The rows to replace; None for all."""
    origin_rows: tuple[int, ...] | None
    """The rows that replace them; None for the same ones."""

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a pass whose first row is the position `start`."""

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


def on_columns(change: Edit, columns: Sequence[int]) -> Edit:
    """Make an edit that acts only on some positions of the last axis."""

    def edit(value: Tensor) -> Tensor:
        there = [column for column in columns if column < value.size(-1)]
        value = value.clone()
        value[..., there] = change(value[..., there])
        return value

    return edit


def _fitted(row: Tensor, size: int) -> Tensor:
    if row.size(-1) == size:
        return row
    row = functional.pad(row[..., :size], (0, max(0, size - row.size(-1))))
    total = row.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, row / total, row)
