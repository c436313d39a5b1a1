"""Interventions: what a person changes in a running model, as values to keep, link, list and undo.

    off = Intervention("zero", "encoder.layers.0.self_attn.heads", head=3)
    pull = Intervention("point", "decoder.layers.*.cross_attn.weights", rows=(4,), columns=(2,))
    trace = model(source, target, edits=edits_of((off, pull), model))

An intervention is no function: two that say the same are equal, and `edits_of` makes functions of
them for one model. Each kind is a class: what it fits, does and says. Positions count from 0 in the
whole text, so that they mean the same whether decoding uses a cache or not.
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
from model.interventions.base import Context, Intervention, Material
from model.interventions.changes import OnHead, Put, RowByRow
from model.interventions.words import origin_of, part_of
from model.traces import present
from model.transformer import Transformer
from texts import say, say_of
from texts.saying import written

_CAUSAL_WEIGHTS = r"decoder\..*self_attn\.weights"


class Zero(Intervention, kind="zero"):
    """0 in the place of any numbers."""

    says_all = True
    of_columns = True

    def _change(self, value: Tensor) -> Tensor:
        return torch.zeros_like(value)

    def _says(self, **where: object) -> str:
        part = self.name.rpartition(".")[2]
        if part in ("heads", "output", "positions") and not self.anchored:
            return say_of("change.off", part_of(self.name), **where)
        return super()._says(**where)


class Mean(Intervention, kind="mean"):
    """The average of heads or a sublayer over other sentences, one vector for all positions."""

    says_all = True
    acts_on = r".*(attn\.heads|(attn|feed_forward)\.output)"
    needs_material = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what puts it in place: of all heads, each has its own."""
        mean = at.given(self)
        mean = mean if self.head is None else mean[self.head]
        row = mean.unsqueeze(-2) if mean.dim() > 1 else mean
        return {at.name: self._placed(lambda value: row.to(value).expand_as(value).clone())}


class Scale(Intervention, kind="scale"):
    """`amount` times what any numbers were."""

    says_all = True
    of_columns = True

    def _change(self, value: Tensor) -> Tensor:
        return value * self.amount


class Set(Intervention, kind="set"):
    """`amount` in the place of anything; in a mask, whether a key may be read."""

    says_all = True
    acts_on = r".+"
    of_columns = True

    def _change(self, value: Tensor) -> Tensor:
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
    """`amount` of the weight of each row at the first of `columns`."""

    acts_on = r".*weights"
    needs = ("columns",)
    amounts = (0, 1)

    def _change(self, value: Tensor) -> Tensor:
        column = (self.columns or (0,))[0]
        if column >= value.size(-1):
            return value
        value = value * (1 - self.amount)
        value[..., column] += self.amount
        return value


class Paint(Intervention, kind="paint"):
    """`values` for weights, divided by the sum of those whose key is there.

    A row with none of its keys there stays as it is.
    """

    acts_on = r".*weights"

    def _misfits(self) -> Iterator[str]:
        yield from super()._misfits()
        if not any(self.values):
            yield "paint needs a value that is not 0"

    def _change(self, value: Tensor) -> Tensor:
        row = value.new_tensor(self.values[: value.size(-1)])
        if not row.sum() > 0:
            return value
        row = functional.pad(row / row.sum(), (0, value.size(-1) - len(row)))
        return row.expand_as(value).clone()


class Cut(Intervention, kind="cut"):
    """No weight at `columns`: their scores are hidden before the softmax."""

    acts_on = r".*weights"
    needs = ("columns",)
    of_columns = of_mask = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what hides the scores."""
        return {f"{at.name.removesuffix('weights')}scores": self._placed(self._change)}

    def _change(self, value: Tensor) -> Tensor:
        return torch.full_like(value, -math.inf)

    def _says(self, **where: object) -> str:
        return say("change.cut_for_all", **where) if self.rows is None else super()._says(**where)


class Fill(Intervention, kind="fill"):
    """`amount` for the scores of later tokens, none of which is masked any more."""

    acts_on = r".*self_attn\.scores"
    infinities = (-math.inf, math.inf)
    of_mask = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what opens the mask, and what fills the scores."""
        mask = f"{at.name.removesuffix('scores')}mask"
        return {mask: OnAllRows(torch.ones_like), at.name: OnAllRows(self._change)}

    def _change(self, value: Tensor) -> Tensor:
        later = torch.ones(value.shape[-2:], dtype=torch.bool, device=value.device).triu(1)
        return value.masked_fill(later, self.amount)

    def _says(self, **where: object) -> str:
        fill = written(f"{self.amount:.4g}".replace("-", "−").replace("inf", "∞"))
        return super()._says(fill=fill, **where)


class Patch(Intervention, kind="patch"):
    """What another run, another head or other rows have in the place of any numbers."""

    says_all = True
    needs_material = True

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what puts it in place."""
        given = at.given(self)
        head = self.head if self.origin_head is None else self.origin_head
        put = Put(given if head is None else given[:, head], self.rows, self.origin_rows)
        return {at.name: put if self.head is None else OnHead(self.head, put)}

    def _says(self, **where: object) -> str:
        head = None if self.origin_head == self.head else self.origin_head
        return super()._says(origin=origin_of(self.origin, head), **where)


class Skip(Intervention, kind="skip"):
    """A layer's input in the place of its output."""

    acts_on = r"(encoder|decoder)\.layers\.[^.]+\.output"

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what takes the place of the layer."""
        return {at.name: Bypass()}

    def _says(self, **where: object) -> str:
        return say_of("change.skipped", part_of(self.name), **where)


class Reverse(Intervention, kind="reverse"):
    """The positional encodings of `rows`, the last first."""

    acts_on = r".*positions"
    needs = ("rows",)

    def edits(self, at: Context) -> Mapping[str, AnyEdit]:
        """Make what puts them in place."""
        of_source = at.name.startswith("source")
        embedding = at.model.source_embedding if of_source else at.model.target_embedding
        order = self._order(self.rows or ())
        encodings = present(embedding).positions(0, max(order) + 1).detach()
        return {at.name: Put(encodings, self.rows, order)}

    def _order(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return rows[::-1]


class Shuffle(Reverse, kind="shuffle"):
    """The positional encodings of `rows`, in the order drawn with the seed `amount`."""

    def _order(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(rows[i] for i in drawn_order(len(rows), int(self.amount)))


def edits_of(
    interventions: Iterable[Intervention], model: Transformer, material: Material | None = None
) -> Edits:
    """Make the edits of one model that do all of these, each to what those before it left.

    Raises ValueError on a name or a head that the model lacks, and where numbers from elsewhere are
    needed and no material is given.
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
    """Draw an order other than that of counting, where there is another one."""
    generator = torch.Generator().manual_seed(seed)
    order = own = list(range(count))
    while order == own and count > 1:
        order = torch.randperm(count, generator=generator).tolist()
    return order


def _causal(name: str, edit: AnyEdit, model: Transformer) -> AnyEdit:
    """Let an edit of weights under a causal mask see no later token."""
    is_seen = not model.config.causal_mask or not re.fullmatch(_CAUSAL_WEIGHTS, name)
    return edit if is_seen or isinstance(edit, Bypass) else RowByRow(edit)
