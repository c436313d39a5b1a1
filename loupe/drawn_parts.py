"""Describes the parts of a run that its picture shows: all heads, or some layers and rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from jaxtyping import Bool, Float

from loupe.records import AxisNames, Record, Tokens
from viz.run.axes import AttentionKind, AxisText

Rows = slice | Sequence[int] | None
"""Adjacent rows; None for all of them."""


class Pictured(Protocol):
    """A run, as far as its picture shows it; `loupe/run.py` has all of it."""

    @property
    def record(self) -> Record:
        """Return its tensors."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Return the tokens of both texts."""
        ...

    @property
    def model(self) -> str:
        """Return the name of its model."""
        ...

    @property
    def languages(self) -> tuple[str, str]:
        """Return the names of both texts."""
        ...

    @property
    def axes(self) -> Mapping[str, AxisNames]:
        """Return the names of rows and columns, by the name of an attention."""
        ...

    @property
    def writes(self) -> bool:
        """Return whether a decoder's row is named after the token that it writes."""
        ...

    @property
    def task(self) -> str:
        """Return the task of its model, if it is one of Loupe's."""
        ...

    @property
    def best_head(self) -> tuple[int, int] | None:
        """Return layer and head of the cross-attention that aligns best, if known."""
        ...

    @property
    def headline(self) -> str:
        """Return a sentence that describes it."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences on the parts that it leaves out."""
        ...


class Heads(NamedTuple):
    """The heads of one kind of attention that a picture shows."""

    kind: AttentionKind
    name: str
    """The name of the weights in the record, with `{layer}` instead of a layer's number."""
    weights: Float[np.ndarray, "layer head query key"]
    mask: Bool[np.ndarray, "layer query key"]
    """True for each pair (row, column) that at least one head may read."""
    queries: AxisText
    keys: AxisText
    whole: tuple[int, int]
    """The numbers of rows and columns in the record, before any were left out."""
    first: int = 0
    """The number of the first row."""
    layers: tuple[int, ...] | None = None
    """The numbers of the layers; None for all of them."""
    own: AxisNames | None = None
    """The names of rows and columns, if they differ from the tokens of both texts."""

    def names(self, tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the rows and the columns."""
        if self.own is not None:
            rows, columns = self.weights.shape[-2:]
            return self.own.rows[self.first : self.first + rows], self.own.columns[:columns]
        sides = zip((self.queries, self.keys), self.weights.shape[-2:], strict=True)
        rows, columns = (getattr(tokens, side)[at : at + size] for (side, at), size in sides)
        return rows, columns


def some_of(
    found: Sequence[Heads], layers: Sequence[int] | None, rows: Rows, most: int
) -> tuple[Heads, ...]:
    """Select layers and rows of every kind of attention, up to a number of cells.

    Leaves out the columns after the last one that a selected row may read. Raises ValueError if no
    kind has these layers or rows, TypeError if they are not numbers.
    """
    chosen = [each for heads in found if (each := _of_layers(heads, layers)) is not None]
    if not chosen:
        deepest = max(len(heads.weights) for heads in found) - 1
        raise ValueError(f"layers must be from 0 to {deepest}, got {list(layers or ())}")
    parts = [_of_rows(heads, rows) for heads in chosen]
    share = sum(heads.weights.size for heads in parts) / most
    if share <= 1:
        return tuple(parts)
    counts = [max(1, int(heads.weights.shape[2] / share)) for heads in parts]
    return tuple(
        heads._replace(weights=heads.weights[:, :, :count], mask=heads.mask[:, :count])
        for heads, count in zip(parts, counts, strict=True)
    )


def parts_drawn(found: Sequence[Heads]) -> Iterator[str]:
    """Yield sentences that name the layers and rows drawn, if the run has more."""
    for heads in found:
        if heads.layers is not None:
            numbers = ", ".join(map(str, heads.layers))
            yield f"Layers drawn of the {heads.kind}: {numbers}."
        count = heads.weights.shape[2]
        if heads.first or (heads.layers is not None and count < heads.whole[0]):
            last = heads.first + count - 1
            yield f"Rows drawn: {heads.first} to {last} of {heads.whole[0]}."


def _of_layers(heads: Heads, layers: Sequence[int] | None) -> Heads | None:
    """Return a kind of attention in some of its layers; None if it has none of them."""
    if layers is None:
        return heads
    if isinstance(layers, str) or not all(type(each) is int for each in layers):
        raise TypeError(f"layers must be a list of numbers, such as [0, 3], got {layers!r}")
    there = [each for each in dict.fromkeys(layers) if 0 <= each < len(heads.weights)]
    if not there:
        return None
    return heads._replace(weights=heads.weights[there], mask=heads.mask[there], layers=tuple(there))


def _of_rows(heads: Heads, rows: Rows) -> Heads:
    if rows is None:
        return heads
    size = heads.weights.shape[2]
    if not isinstance(rows, slice) and not isinstance(rows, Sequence | np.ndarray):
        raise TypeError(f"rows must be a slice or a list of adjacent rows, got {rows!r}")
    every = range(size)
    try:
        asked = list(every[rows]) if isinstance(rows, slice) else [every[int(i)] for i in rows]
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(f"rows must be from {-size} to {size - 1}, got {rows!r}") from error
    if not asked or asked != list(range(asked[0], asked[0] + len(asked))):
        raise ValueError(f"rows must be adjacent, and at least one of {size}, got {rows!r}")
    start, stop = asked[0], asked[-1] + 1
    mask = heads.mask[:, start:stop]
    columns = int(np.flatnonzero(mask.any(axis=(0, 1)))[-1]) + 1 if mask.any() else mask.shape[-1]
    side, at = heads.queries
    return heads._replace(
        weights=heads.weights[:, :, start:stop, :columns],
        mask=mask[:, :, :columns],
        queries=(side, at + start),
        first=start,
    )
