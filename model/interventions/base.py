"""The base of all interventions: their fields, checks and places."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, cast

from torch import Tensor

from model.config import Side, TransformerConfig
from model.edits import AnyEdit, Edit, OnRows, PositionedEdit
from model.files.json_fields import shorten
from model.interventions.changes import OnHead, on_columns
from model.interventions.words import axes, name_tokens, place_of
from model.tensor_names import HEAD_TENSORS, tensor_names
from texts import say, say_in, say_of
from texts.saying import written

INTERVENTIONS: dict[str, type["Intervention"]] = {}
"""The class of each kind by its name in links."""

MOST_POSITIONS = 1024
"""The largest number of rows, columns or values in one intervention."""

MOST_AMOUNT = 1e9
"""The largest amount, of either sign, which is as large as a finite mask value."""

_ENDS = dict.fromkeys(("rows", "columns", "origin_rows"), MOST_POSITIONS) | {"values": math.inf}
"""The limit of the numbers in each list; all numbers are at least 0."""


@dataclass(frozen=True)
class Intervention:
    """One change of one captured tensor. Raises ValueError if its fields do not fit together.

    `Intervention("zero", ...)` makes an object of the class named "zero". The attributes of a class
    define the tensors that it fits, `change` or `edits` its effect, and "change.says" in the texts
    or `says` its description.
    """

    kind: str
    name: str
    """The name of the captured tensor; `*` instead of a layer's number means all layers."""
    head: int | None = None
    """The head; None for all heads."""
    rows: tuple[int, ...] | None = None
    """Positions along the second-to-last axis; None for all."""
    columns: tuple[int, ...] | None = None
    """Positions along the last axis; None for all."""
    amount: float = 1.0
    values: tuple[float, ...] = ()
    """The weights of a painted row: a number for each key, none negative."""
    origin: str = ""
    """The source text of the run from which a patch is taken; empty for the unchanged run."""
    origin_rows: tuple[int, ...] | None = None
    """The position of each of `rows` in that run; None if the positions are equal."""
    origin_head: int | None = None
    """The head in that run; None if it is the same."""

    acts_on: ClassVar = r".+(?<!mask)"
    """A pattern for the names of the tensors that it fits; by default all tensors but masks."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The required fields."""
    amounts: ClassVar[tuple[float, float]] = (-MOST_AMOUNT, MOST_AMOUNT)
    infinities: ClassVar[tuple[float, ...]] = ()
    """The infinite amounts that it also accepts."""
    of_columns: ClassVar = False
    """Whether it changes each number independently, and only those at `columns`."""
    of_mask: ClassVar = False
    """Whether it can coexist with another change of the same place, because it changes the mask."""
    says_all: ClassVar = False
    """Whether its text describes all positions, with the chosen positions named after it."""
    needs_material: ClassVar = False
    """Whether it uses numbers from another run or place."""
    says: ClassVar[Mapping[str, str]] = {}
    """Its description by language for a kind that is not among the texts, with `{place}` in it."""

    def __init_subclass__(cls, kind: str) -> None:
        first = INTERVENTIONS.setdefault(kind, cls)
        if (first.__module__, first.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"the kind {kind!r} is already defined in {first.__module__}")
        INTERVENTIONS[kind] = cls  # a notebook may run a cell again

    def __new__(cls, kind: str = "", *_args: object, **_fields: object) -> "Intervention":
        """Make an object of the class of a kind."""
        found = class_of(kind) if cls is Intervention else None
        return super().__new__(cast("Any", found or cls))

    def __post_init__(self) -> None:
        if wrong := next(self._misfits(), None):
            raise ValueError(wrong)

    @property
    def anchored(self) -> bool:
        """Whether it names positions of a text, and so is meaningless in another text."""
        return self.rows is not None or self.columns is not None or bool(self.values)

    @property
    def place(self) -> tuple[object, ...]:
        """The place where it acts; a second intervention there replaces the first."""
        columns = self.columns if self.of_columns else None
        return self.name, self.head, self.rows, columns, self.of_mask

    def names(self, config: TransformerConfig) -> tuple[str, ...]:
        """Name its tensors, one in each layer. Raises ValueError if one is missing."""
        stack, star, rest = self.name.partition(".*.")
        encoder = stack == "encoder.layers"
        layers = config.n_encoder_layers if encoder else config.n_decoder_layers
        named = [f"{stack}.{layer}.{rest}" for layer in range(layers)] if star else [self.name]
        known = tensor_names(config)
        if wrong := [name for name in named if name not in known]:
            raise ValueError(say("change.no_tensor", name=shorten(wrong[0])))
        head = max(self.head or 0, self.origin_head or 0)
        is_shared = self.name.rpartition(".")[2] in ("key", "value")
        heads = config.key_value_heads if is_shared else config.n_heads
        if head >= heads:
            raise ValueError(say("change.no_head", last=heads - 1, head=head))
        return tuple(named)

    def edits(self, at: "Context") -> Mapping[str, AnyEdit]:
        """Make the functions that apply it to one tensor of a model."""
        return {at.name: self._placed(self._tried())}

    def text(self, source: Sequence[str] = (), target: Sequence[str] = ()) -> str:
        """Describe its effect in words.

        Args:
            source: The tokens of the source, which name positions.
            target: The tokens of the target from `<s>` on; a row of the decoder is named after the
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

    def change(self, value: Tensor) -> Tensor:
        """Compute the replacement for the chosen rows and head.

        `value` may be part of a text: decoding with a cache computes one new row at a time. What
        replaces a row may therefore depend on that row alone, not on the tensor's size.
        """
        raise NotImplementedError

    def _tried(self) -> Edit:
        """Return the change; a failing change of a plug-in names its package."""
        if "-" not in self.kind:
            return self.change
        from model.interventions.plugged import blamed

        return blamed(self)

    def _says(self, **where: object) -> str:
        """Describe it by the text of its kind, which names the place and perhaps the reader."""
        amounts = {"amount": self.amount, "percent": 100 * self.amount}
        if self.says:
            return say_in(self.says, **amounts, **where)
        return say_of("change.says", self.kind, **amounts, **where)

    def _placed(self, edit: Edit) -> Edit | PositionedEdit:
        """Restrict an edit to the chosen rows, columns and head."""
        if self.of_columns and self.columns is not None:
            edit = on_columns(edit, self.columns)
        found = edit if self.rows is None else OnRows(self.rows, edit)
        return found if self.head is None else OnHead(self.head, found)

    def _misfits(self) -> Iterator[str]:
        """Yield the faults of the fields, if there are any."""
        if class_of(self.kind) is not type(self):
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
                yield f"{field} may hold at most {MOST_POSITIONS} numbers, got {len(numbers)}"
            if not all(0 <= number < end for number in numbers):
                yield f"{field} must be at least 0 and below {end}, got {shorten(list(numbers))}"
        if self.origin_rows is not None and len(self.origin_rows) != len(self.rows or ()):
            yield "origin_rows must name a row for each of rows"


def class_of(kind: str) -> type[Intervention] | None:
    """Return the class of a kind; None if there is none. Only kinds of plug-ins have a hyphen."""
    if "-" not in kind:
        return INTERVENTIONS.get(kind)
    from model.interventions.plugged import find_kind

    return find_kind(kind)


Material = Callable[[Intervention, str], Tensor]
"""A function that returns the replacement for a captured tensor: for a "mean", one vector or one
for each head; for a "patch", the same tensor of another run."""


class Changeable(Protocol):
    """A model that interventions change; `model/transformer.py` is one."""

    config: TransformerConfig

    def encodings(self, side: Side, count: int) -> Tensor:
        """Return the positional encodings of the first positions of a side."""
        ...


class Context(NamedTuple):
    """The tensor to change, and the source of its new numbers."""

    name: str
    model: Changeable
    material: Material | None

    def given(self, made: Intervention) -> Tensor:
        """Return the replacement from elsewhere. Raises ValueError if there is no source for it."""
        if self.material is None:
            raise ValueError(f"a {made.kind} needs numbers from other runs, got none")
        return self.material(made, self.name)
