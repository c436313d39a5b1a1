"""Interventions: what a person changes in a running model, as values to keep, link, list and undo.

    off = Intervention("zero", "encoder.layers.0.self_attn.heads", head=3)
    pull = Intervention("point", "decoder.layers.*.cross_attn.weights", rows=(4,), columns=(2,))
    trace = model(source, target, edits=edits_of((off, pull), model))

An intervention is no function: two that say the same are equal, and `edits_of` makes functions of
them for one model. Positions count from 0 in the whole text, so that they mean the same whether
decoding uses a cache or not.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from model.changes import (
    Fill,
    OnHead,
    Put,
    RowByRow,
    average,
    fill_with,
    hide,
    on_columns,
    paint,
    point,
)
from model.config import TransformerConfig
from model.edits import (
    Bypass,
    Edit,
    Edits,
    InTurn,
    OnAllRows,
    OnRows,
    PositionedEdit,
    ablate,
    of_pass,
    scale,
)
from model.intervention_words import change_text
from model.json_fields import shorten
from model.traces import HEAD_TENSORS, present, tensor_names
from model.transformer import Transformer
from texts import say

Kind = Literal[
    "zero",
    "mean",
    "scale",
    "set",
    "point",
    "paint",
    "cut",
    "fill",
    "patch",
    "skip",
    "reverse",
    "shuffle",
]

MOST_POSITIONS = 1024
"""Rows, columns or values that one intervention may name."""

MOST_AMOUNT = 1e9
"""Of an amount, either way: as large as what hides scores in a model whose mask is finite."""

_OF_WEIGHTS = frozenset({"point", "paint", "cut"})
_SUBLAYER_OUTPUT = re.compile(r"attn\.heads$|(attn|feed_forward)\.output$")
_MOVES = frozenset({"reverse", "shuffle"})


@dataclass(frozen=True)
class Intervention:
    """One change of one captured tensor. Raises ValueError where its parts do not fit together.

    kind      acts on             what stands there afterwards
    zero      any numbers         0
    mean      heads, sublayers    the average over other sentences, one vector for all positions
    scale     any numbers         `amount` times what was there
    set       anything            `amount`; in a mask, whether a key may be read
    point     weights             `amount` of each row's weight is at the first of `columns`
    paint     weights             `values`, divided by their sum
    cut       weights             none at `columns`, which are hidden before the softmax
    fill      scores of decoder   `amount` for each later token, none of which is masked any more
              self-attention
    patch     any numbers         what another run has there
    skip      a layer's output    the layer's input
    reverse   positions           the encodings of `rows`, the last first
    shuffle   positions           ..., in the order that is drawn with the seed `amount`
    """

    kind: Kind
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

    def __post_init__(self) -> None:
        if wrong := self._misfit():
            raise ValueError(wrong)
        for axis in ("rows", "columns", "origin_rows"):
            _check_positions(axis, getattr(self, axis))

    @property
    def anchored(self) -> bool:
        """Whether it names positions of a text, and so means nothing in another one."""
        return self.rows is not None or self.columns is not None or bool(self.values)

    @property
    def needs_material(self) -> bool:
        """Whether it puts numbers in place that are from elsewhere."""
        return self.kind in ("mean", "patch")

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

    def edit(self, material: Tensor | None = None) -> Edit | PositionedEdit | Bypass:
        """Make the function that does it: for a "cut" to scores, else to the tensor named.

        Args:
            material: What is put in place. For a "mean", a vector for each head, or one; for a
                "patch", the same tensor of another run; for positions, their encodings.
        """
        if self.kind == "skip":
            return Bypass()
        if self.kind == "fill":
            return Fill(self.amount)
        if material is not None and self.kind != "mean":
            return self._put(material)
        change = self._change(material)
        if self.columns is not None and self.kind in ("zero", "scale", "set"):
            change = on_columns(change, self.columns)
        found = change if self.rows is None else OnRows(self.rows, change)
        if self.name.endswith("self_attn.mask") and self.amount:
            return OnAllRows(of_pass(found, 0))
        return found if self.head is None else OnHead(self.head, found)

    def text(self, source: Sequence[str] = (), target: Sequence[str] = ()) -> str:
        """Say what it does, for people, naming positions by the tokens of a run if given."""
        return change_text(self, source, target)

    def _change(self, material: Tensor | None) -> Edit:
        match self.kind:
            case "zero":
                return ablate
            case "scale":
                return scale(self.amount)
            case "set":
                return fill_with(self.amount)
            case "point":
                return point(_first(self.columns), self.amount)
            case "paint":
                return paint(self.values)
            case "cut":
                return hide(self.columns or ())
            case _:
                if material is None:
                    raise ValueError(f"a {self.kind} needs the numbers that are put in place")
                return average(material if self.head is None else material[self.head])

    def _put(self, material: Tensor) -> PositionedEdit:
        if self.kind in _MOVES:
            return Put(material, self.rows, self._order())
        head = self.head if self.origin_head is None else self.origin_head
        if head is None:
            return Put(material, self.rows, self.origin_rows)
        put = Put(material[:, head], self.rows, self.origin_rows)
        return put if self.head is None else OnHead(self.head, put)

    def _order(self) -> tuple[int, ...]:
        rows = self.rows or ()
        if self.kind == "reverse":
            return rows[::-1]
        return tuple(rows[i] for i in drawn_order(len(rows), int(self.amount)))

    def _misfit(self) -> str | None:
        """Say what is wrong with it, if something is."""
        last = self.name.rpartition(".")[2]
        if self.kind in _OF_WEIGHTS and last != "weights":
            return f"{self.kind} acts on attention weights, got {self.name!r}"
        if self.kind == "fill" and not self.name.endswith("self_attn.scores"):
            return f"fill acts on the scores of self-attention, got {self.name!r}"
        if self.kind == "mean" and not _SUBLAYER_OUTPUT.search(self.name):
            return f"mean acts on heads and on outputs of sublayers, got {self.name!r}"
        if self.kind in _MOVES and (last != "positions" or not self.rows):
            return f"{self.kind} acts on rows of positions, got {self.name!r}"
        if self.kind in ("point", "cut") and not self.columns:
            return f"{self.kind} needs columns"
        if last == "mask" and self.kind != "set":
            return f"a mask can only be set, got {self.kind}"
        if self.head is not None and last not in HEAD_TENSORS:
            return f"{self.name} has no heads to choose from"
        if min(self.head or 0, self.origin_head or 0) < 0:
            return f"heads count from 0, got {self.head} and {self.origin_head}"
        if not all(0 <= value < math.inf for value in self.values):
            return f"values must be numbers from 0 on, got {list(self.values)}"
        if len(self.values) > MOST_POSITIONS:
            return f"a row has at most {MOST_POSITIONS} values, got {len(self.values)}"
        if self.kind == "paint" and not sum(self.values):
            return "paint needs a value that is not 0"
        if math.isnan(self.amount) or (math.isinf(self.amount) and self.kind != "fill"):
            return f"amount must be a number, got {self.amount}"
        if math.isfinite(self.amount) and abs(self.amount) > MOST_AMOUNT:
            return say("change.amount_large", most=MOST_AMOUNT, amount=self.amount)
        if self.kind == "point" and not 0 <= self.amount <= 1:
            return f"amount must be from 0 to 1, got {self.amount}"
        if self.origin_rows is not None and len(self.origin_rows) != len(self.rows or ()):
            return "origin_rows must name a row for each of rows"
        return None


Material = Callable[[Intervention, str], Tensor]
"""Gives what an intervention puts in place of a captured tensor: see `Intervention.edit`."""


def edits_of(
    interventions: Iterable[Intervention], model: Transformer, material: Material | None = None
) -> Edits:
    """Make the edits of one model that do all of these, each to what those before it left.

    Raises ValueError on a name or a head that the model lacks, and where numbers from elsewhere are
    needed and no material is given.
    """
    found: dict[str, list[Edit | PositionedEdit]] = {}
    skipped: dict[str, Bypass] = {}
    for intervention in interventions:
        for name, edit in _named_edits(intervention, model, material):
            if isinstance(edit, Bypass):
                skipped[name] = edit
            else:
                found.setdefault(name, []).append(edit)
    single = {n: e[0] if len(e) == 1 else InTurn(tuple(e)) for n, e in found.items()}
    return Edits({**single, **skipped})


def drawn_order(count: int, seed: int) -> list[int]:
    """Draw an order other than that of counting, where there is another one."""
    generator = torch.Generator().manual_seed(seed)
    order = own = list(range(count))
    while order == own and count > 1:
        order = torch.randperm(count, generator=generator).tolist()
    return order


def _named_edits(
    intervention: Intervention, model: Transformer, material: Material | None
) -> Iterator[tuple[str, Edit | PositionedEdit | Bypass]]:
    for name in intervention.names(model.config):
        given = None
        if intervention.kind in _MOVES:
            given = _encodings(model, name, max(intervention.rows or (0,)) + 1)
        elif intervention.needs_material:
            if material is None:
                raise ValueError(f"a {intervention.kind} needs numbers from elsewhere")
            given = material(intervention, name)
        attention = name.rpartition(".")[0]
        if intervention.kind == "cut":
            name = f"{attention}.scores"
        elif intervention.kind == "fill":
            yield f"{attention}.mask", OnAllRows(torch.ones_like)
        edit = intervention.edit(given)
        if model.config.causal_mask and re.match(r"decoder\..*self_attn\.weights$", name):
            assert not isinstance(edit, Bypass)
            edit = RowByRow(edit)
        yield name, edit


def _encodings(model: Transformer, name: str, count: int) -> Float[Tensor, "position d_model"]:
    embedding = model.source_embedding if name.startswith("source") else model.target_embedding
    return present(embedding).positions(0, count).detach()


def _first(columns: tuple[int, ...] | None) -> int:
    return (columns or (0,))[0]


def _check_positions(axis: str, positions: Sequence[int] | None) -> None:
    if positions is None:
        return
    if len(positions) > MOST_POSITIONS:
        raise ValueError(f"{axis} may name {MOST_POSITIONS} positions, got {len(positions)}")
    if not all(0 <= position < MOST_POSITIONS for position in positions):
        raise ValueError(f"{axis} must be from 0 to {MOST_POSITIONS - 1}, got {list(positions)}")
