"""What all interventions have: their fields, what fits together, where they act."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from torch import Tensor

from model.config import TransformerConfig
from model.edits import AnyEdit, Edit, OnRows, PositionedEdit
from model.files.json_fields import shorten
from model.interventions.changes import OnHead, on_columns
from model.interventions.words import axes, name_tokens, place_of
from model.traces import HEAD_TENSORS, tensor_names
from model.transformer import Transformer
from texts import say, say_of
from texts.saying import written

INTERVENTIONS: dict[str, type["Intervention"]] = {}
"""The class of each kind by its name in links."""

MOST_POSITIONS = 1024
"""Rows, columns or values that one intervention may name."""

MOST_AMOUNT = 1e9
"""Of an amount, either way: as large as what hides scores in a model whose mask is finite."""

_ENDS = dict.fromkeys(("rows", "columns", "origin_rows"), MOST_POSITIONS) | {"values": math.inf}
"""What the numbers of a list are below; all are from 0 on."""


@dataclass(frozen=True)
class Intervention:
    """One change of one captured tensor. Raises ValueError where its parts do not fit together.

    `Intervention("zero", ...)` makes an object of the class that is called "zero". A class has by
    attributes what it fits, in `_change` or `edits` what it does, and in the texts as
    "change.says" what it says.
    """

    kind: str
    name: str
    """Of the captured tensor; `*` in place of a layer's number stands for all layers."""
    head: int | None = None
    """None for all heads."""
    rows: tuple[int, ...] | None = None
    """Positions of the last axis but one; None for all."""
    columns: tuple[int, ...] | None = None
    """Positions of the last axis; None for all."""
    amount: float = 1.0
    values: tuple[float, ...] = ()
    """A row that is painted: a number for each key, none negative."""
    origin: str = ""
    """Source text of the run that a patch is from; empty for this one as it was."""
    origin_rows: tuple[int, ...] | None = None
    """Where each of `rows` is in that run; None where they are at the same places."""
    origin_head: int | None = None
    """None where it is the same head."""

    acts_on: ClassVar = r".+(?<!mask)"
    """Names of the tensors that it fits, as a pattern: those of numbers."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Fields that have to be given."""
    amounts: ClassVar[tuple[float, float]] = (-MOST_AMOUNT, MOST_AMOUNT)
    infinities: ClassVar[tuple[float, ...]] = ()
    """Amounts beyond those."""
    of_columns: ClassVar = False
    """Whether it changes each number by itself, and those at `columns` alone."""
    of_mask: ClassVar = False
    """Whether it stands beside another change of the same place, being one of the mask."""
    says_all: ClassVar = False
    """Whether its text is of all positions, and those that are named are said behind it."""
    needs_material: ClassVar = False
    """Whether it puts numbers in place that are from elsewhere."""

    def __init_subclass__(cls, kind: str) -> None:
        INTERVENTIONS[kind] = cls

    def __new__(cls, kind: str = "", *_args: object, **_fields: object) -> "Intervention":
        """Make an object of the class of a kind."""
        return super().__new__(INTERVENTIONS.get(kind, cls) if cls is Intervention else cls)

    def __post_init__(self) -> None:
        if wrong := next(self._misfits(), None):
            raise ValueError(wrong)

    @property
    def anchored(self) -> bool:
        """Whether it names positions of a text, and so means nothing in another one."""
        return self.rows is not None or self.columns is not None or bool(self.values)

    @property
    def place(self) -> tuple[object, ...]:
        """Where it acts: a second one there takes the place of the first."""
        columns = self.columns if self.of_columns else None
        return self.name, self.head, self.rows, columns, self.of_mask

    def names(self, config: TransformerConfig) -> tuple[str, ...]:
        """Name the tensors that it concerns, one in each layer; ValueError where one is lacking."""
        stack, star, rest = self.name.partition(".*.")
        encoder = stack == "encoder.layers"
        layers = config.n_encoder_layers if encoder else config.n_decoder_layers
        named = [f"{stack}.{layer}.{rest}" for layer in range(layers)] if star else [self.name]
        known = tensor_names(config)
        if wrong := [name for name in named if name not in known]:
            raise ValueError(say("change.no_tensor", name=shorten(wrong[0])))
        head = max(self.head or 0, self.origin_head or 0)
        if head >= config.n_heads:
            raise ValueError(say("change.no_head", last=config.n_heads - 1, head=head))
        return tuple(named)

    def edits(self, at: "Context") -> Mapping[str, AnyEdit]:
        """Make the functions that do it to one tensor of a model."""
        return {at.name: self._placed(self._change)}

    def text(self, source: Sequence[str] = (), target: Sequence[str] = ()) -> str:
        """Describe what it does, for people.

        Args:
            source: Tokens of the source, to name positions by.
            target: Tokens of the target from `<s>` on: a row of the decoder is named after the
                token that it writes.
        """
        axis_of_rows, axis_of_columns = axes(self.name, source, target)
        rows = name_tokens(self.rows, axis_of_rows)
        columns = name_tokens(self.columns, axis_of_columns)
        place, reader = place_of(self.name, self.head), rows or say("change.every_token")
        said = self._says(place=place, reader=reader, read=columns)
        if self.says_all and columns:
            said = say("change.at_columns", change=said, columns=columns)
        return say("change.for_rows", change=said, rows=rows) if self.says_all and rows else said

    def _change(self, value: Tensor) -> Tensor:
        """Compute what stands in the place of the rows and the head that are named."""
        raise NotImplementedError

    def _says(self, **where: object) -> str:
        """Describe it by the text of its kind, which names place, perhaps reader."""
        amounts = {"amount": self.amount, "percent": 100 * self.amount}
        return say_of("change.says", self.kind, **amounts, **where)

    def _placed(self, edit: Edit) -> Edit | PositionedEdit:
        """Let an edit act on the rows, the columns and the head that are named alone."""
        if self.of_columns and self.columns is not None:
            edit = on_columns(edit, self.columns)
        found = edit if self.rows is None else OnRows(self.rows, edit)
        return found if self.head is None else OnHead(self.head, found)

    def _misfits(self) -> Iterator[str]:
        """Yield what is wrong with it, if something is."""
        if INTERVENTIONS.get(self.kind) is not type(self):
            yield say("change.link_kind", text=shorten(self.kind))
        if not re.fullmatch(self.acts_on, self.name):
            yield f"{self.kind} does not act on {shorten(self.name)!r}"
        if self.head is not None and self.name.rpartition(".")[2] not in HEAD_TENSORS:
            yield f"{shorten(self.name)} has no heads to choose from"
        if min(self.head or 0, self.origin_head or 0) < 0:
            yield f"heads count from 0, got {self.head} and {self.origin_head}"
        yield from self._wrong_lists()
        least, most = self.amounts
        if not (least <= self.amount <= most or self.amount in self.infinities):
            named = written(f"{least:,.0f}".replace("-", "−"))
            yield say("change.amount_large", least=named, most=most, amount=self.amount)

    def _wrong_lists(self) -> Iterator[str]:
        for field in self.needs:
            if not getattr(self, field):
                yield f"{self.kind} needs {field}"
        for field, end in _ENDS.items():
            numbers = getattr(self, field) or ()
            if len(numbers) > MOST_POSITIONS:
                yield f"{field} may name {MOST_POSITIONS} numbers, got {len(numbers)}"
            if not all(0 <= number < end for number in numbers):
                yield f"{field} must be at least 0 and below {end}, got {shorten(list(numbers))}"
        if self.origin_rows is not None and len(self.origin_rows) != len(self.rows or ()):
            yield "origin_rows must name a row for each of rows"


Material = Callable[[Intervention, str], Tensor]
"""Gives what an intervention puts in the place of a captured tensor: for a "mean", a vector for
each head, or one; for a "patch", the same tensor of another run."""


class Context(NamedTuple):
    """The tensor that is changed, and where its new numbers may be from."""

    name: str
    model: Transformer
    material: Material | None

    def given(self, made: Intervention) -> Tensor:
        """Return what is put in place from elsewhere; ValueError where nothing gives it."""
        if self.material is None:
            raise ValueError(f"a {made.kind} needs numbers from elsewhere")
        return self.material(made, self.name)
