"""Interventions: a user's changes to a running model, as values to keep, link, list and undo.

    off = Intervention("zero", "encoder.layers.0.self_attn.heads", head=3)
    pull = Intervention("point", "decoder.layers.*.cross_attn.weights", rows=(4,), columns=(2,))
    trace = model(source, target, edits=edits_of((off, pull), model))

An intervention is a value: two with the same fields are equal, and `edits_of` turns them into
functions for one model. Each kind is a class with the tensors that it fits, its effect and its
description. Positions count from 0 in the whole text, so they do not depend on a decoding cache.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional

from model.edits import (
    AnyEdit,
    Bypass,
    Edit,
    Edits,
    OnAllRows,
    PositionedEdit,
    in_turn,
    of_pass,
)
from model.interventions.base import Changeable, Context, Intervention, Material
from model.interventions.changes import OnHead, Put, RowByRow
from model.interventions.words import origin_of, part_of
from texts import say, say_of
from texts.saying import written

_CAUSAL_WEIGHTS = r"decoder\..*self_attn\.weights"


class Zero(Intervention, kind="zero"):
    """Replace numbers by 0."""

    says_all = True
    of_columns = True

    def change(self, value: Tensor) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(value)

    def _says(self, **where: object) -> str:
        part = self.name.rpartition(".")[2]
        if part in ("heads", "output", "positions") and not self.anchored:
            return say_of("change.off", part_of(self.name), **where)
        return super()._says(**where)


class Mean(Intervention, kind="mean"):
    """Replace heads or a sublayer by their mean over other sentences, one vector for all rows."""

    says_all = True
    acts_on = r".*(attn\.heads|(attn|feed_forward)\.output)"
    needs_material = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edit; if it concerns all heads, each has its own mean."""
        mean = at.given(self)
        mean = mean if self.head is None else mean[self.head]
        row = mean.unsqueeze(-2) if mean.dim() > 1 else mean
        return {at.name: self._placed(lambda value: row.to(value).expand_as(value).clone())}


class Scale(Intervention, kind="scale"):
    """Multiply numbers by `amount`."""

    says_all = True
    of_columns = True

    def change(self, value: Tensor) -> Tensor:
        """Return the numbers times `amount`."""
        return value * self.amount


class Set(Intervention, kind="set"):
    """Replace anything by `amount`; in a mask, it decides whether a key may be read."""

    says_all = True
    acts_on = r".+"
    of_columns = True

    def change(self, value: Tensor) -> Tensor:
        """Return `amount` everywhere."""
        return torch.full_like(value, self.amount)

    def _placed(self, edit: Edit) -> Edit | PositionedEdit:
        found = super()._placed(edit)
        lets_read_later = self.name.endswith("self_attn.mask") and self.amount
        return OnAllRows(of_pass(found, 0)) if lets_read_later else found

    def _says(self, **where: object) -> str:
        if self.name.endswith("mask"):
            return say("change.nothing_hidden" if self.amount else "change.all_hidden", **where)
        return super()._says(**where)


class Point(Intervention, kind="point"):
    """Move `amount` of each row's weight to the first of `columns`."""

    acts_on = r".*weights"
    needs = ("columns",)
    amounts = (0, 1)

    def change(self, value: Tensor) -> Tensor:
        """Return rows whose weight has moved."""
        column = (self.columns or (0,))[0]
        if column >= value.size(-1):
            return value
        value = value * (1 - self.amount)
        value[..., column] += self.amount
        return value


class Paint(Intervention, kind="paint"):
    """Replace weights by `values`, divided by the sum of those whose key exists.

    A row that has none of these keys is unchanged.
    """

    acts_on = r".*weights"

    def _misfits(self) -> Iterator[str]:
        yield from super()._misfits()
        if not any(self.values):
            yield "paint needs at least one value other than 0"

    def change(self, value: Tensor) -> Tensor:
        """Return the painted rows."""
        row = value.new_tensor(self.values[: value.size(-1)])
        if not row.sum() > 0:
            return value
        row = functional.pad(row / row.sum(), (0, value.size(-1) - len(row)))
        return row.expand_as(value).clone()


class Cut(Intervention, kind="cut"):
    """Remove the weight at `columns` by hiding their scores before the softmax."""

    acts_on = r".*weights"
    needs = ("columns",)
    of_columns = of_mask = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edit that hides the scores."""
        return {f"{at.name.removesuffix('weights')}scores": self._placed(self.change)}

    def change(self, value: Tensor) -> Tensor:
        """Return scores that hide the keys."""
        return torch.full_like(value, -math.inf)

    def _says(self, **where: object) -> str:
        return say("change.cut_for_all", **where) if self.rows is None else super()._says(**where)


class Fill(Intervention, kind="fill"):
    """Unmask all later tokens and set their scores to `amount`."""

    acts_on = r".*self_attn\.scores"
    infinities = (-math.inf, math.inf)
    of_mask = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edits that open the mask and fill the scores."""
        mask = f"{at.name.removesuffix('scores')}mask"
        return {mask: OnAllRows(torch.ones_like), at.name: OnAllRows(self.change)}

    def change(self, value: Tensor) -> Tensor:
        """Return scores with `amount` at all later tokens."""
        later = torch.ones(value.shape[-2:], dtype=torch.bool, device=value.device).triu(1)
        return value.masked_fill(later, self.amount)

    def _says(self, **where: object) -> str:
        fill = written(f"{self.amount:.4g}".replace("-", "−").replace("inf", "∞"))
        return super()._says(fill=fill, **where)


class Patch(Intervention, kind="patch"):
    """Replace numbers by those of another run, another head or other rows."""

    says_all = True
    needs_material = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edit that replaces them."""
        given = at.given(self)
        head = self.head if self.origin_head is None else self.origin_head
        put = Put(given if head is None else given[:, head], self.rows, self.origin_rows)
        return {at.name: put if self.head is None else OnHead(self.head, put)}

    def _says(self, **where: object) -> str:
        head = None if self.origin_head == self.head else self.origin_head
        return super()._says(origin=origin_of(self.origin, head), **where)


class Skip(Intervention, kind="skip"):
    """Replace a layer's output by its input."""

    acts_on = r"(encoder|decoder)\.layers\.[^.]+\.output"

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edit that bypasses the layer."""
        return {at.name: Bypass()}

    def _says(self, **where: object) -> str:
        return say_of("change.skipped", part_of(self.name), **where)


class Reverse(Intervention, kind="reverse"):
    """Reverse the positional encodings of `rows`."""

    acts_on = r".*positions"
    needs = ("rows",)

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make the edit that replaces them."""
        order = self._order(self.rows or ())
        side = "source" if at.name.startswith("source") else "target"
        encodings = at.model.encodings(side, max(order) + 1)
        return {at.name: Put(encodings, self.rows, order)}

    def _order(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return rows[::-1]


class Shuffle(Reverse, kind="shuffle"):
    """Shuffle the positional encodings of `rows`, with the seed `amount`."""

    def _order(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(rows[i] for i in drawn_order(len(rows), int(self.amount)))


def edits_of(
    interventions: Iterable[Intervention], model: Changeable, material: Material | None = None
) -> Edits:
    """Make the edits of one model for all of these, each applied to the result of those before.

    Raises ValueError if the model lacks a name or a head, or if numbers from elsewhere are needed
    and no material is given.
    """
    made = [
        (name, _causal(name, edit, model))
        for intervention in interventions
        for named in intervention.names(model.config)
        for name, edit in intervention.edits(Context(named, model, material)).items()
    ]
    made.sort(key=lambda each: isinstance(each[1], Bypass))  # a skipped layer has no output
    return Edits(in_turn(made))


def drawn_order(count: int, seed: int) -> list[int]:
    """Draw an order other than the original one, if there is another."""
    generator = torch.Generator().manual_seed(seed)
    order = own = list(range(count))
    while order == own and count > 1:
        order = torch.randperm(count, generator=generator).tolist()
    return order


def _causal(name: str, edit: AnyEdit, model: Changeable) -> AnyEdit:
    """Keep an edit of weights under a causal mask from seeing later tokens."""
    is_seen = not model.config.causal_mask or not re.fullmatch(_CAUSAL_WEIGHTS, name)
    return edit if is_seen or isinstance(edit, Bypass) else RowByRow(edit)
