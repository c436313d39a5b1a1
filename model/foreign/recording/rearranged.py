"""The places of an attention's numbers until a function reads them, and the axes that they prove.

One projection reads all heads that lie side by side. So Loupe follows the numbers of a mix to the
places that the code gives them, without looking at them: it runs the same functions on their
places. The numbers in one row of the projection's input belong to one text and one position, head
after head.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

Build = Callable[[Sequence[Tensor]], Tensor]
REARRANGING = frozenset(
    {
        *("transpose", "permute", "view", "reshape", "contiguous", "unsqueeze", "squeeze"),
        *("flatten", "unflatten", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "T", "mT"),
        *("clone", "adjoint"),
    }
)
"""Functions that give the numbers of one tensor in other places, and read nothing else."""
_ONE = REARRANGING | {"dropout", "view_as", "reshape_as", "data", "detach"}
_CASTS = {"to", "float", "half", "bfloat16", "double", "type_as", "type"}
_SEVERAL = {"cat", "concat", "concatenate", "stack", "hstack"}


def name_of(func: Callable) -> str:
    """Return the name of a function of torch, or of the attribute that it reads."""
    name = getattr(func, "__name__", "")
    return getattr(getattr(func, "__self__", None), "__name__", "") if name == "__get__" else name


@dataclass(frozen=True, eq=False)
class Moved:
    """A tensor made of the mixes of attentions by putting their numbers elsewhere."""

    tensor: Tensor
    leaves: tuple[Any, ...]
    """The attentions."""
    build: Build
    """Builds such a tensor from other results of these attentions."""
    where: str
    """The path of the module in which they were laid side by side, or mixed."""


def moved_on(
    func: Callable, args: tuple, kwargs: Mapping[str, Any], of: Callable[[object], Moved | None]
) -> tuple[tuple[Any, ...], Build] | None:
    """Return the mixes in a function's result, and a builder, if it only moves their numbers."""
    name = name_of(func)
    if name in _SEVERAL and args and isinstance(args[0], list | tuple):
        parts = [of(x) for x in args[0]]
        if not parts or any(x is None for x in parts):
            return None
        known = [x for x in parts if x is not None]
        leaves = tuple(leaf for x in known for leaf in x.leaves)

        def together(new: Sequence[Tensor]) -> Tensor:
            made, at = [], 0
            for x in known:
                made.append(x.build(new[at : at + len(x.leaves)]))
                at += len(x.leaves)
            return func(made, *args[1:], **kwargs)

        return leaves, together
    moved = of(args[0]) if args else None
    if moved is None or name not in _ONE | _CASTS or any(map(of, args[1:])):
        return None
    if name == "dropout" and (kwargs.get("training", True) or kwargs.get("inplace")):
        return None
    build = moved.build

    def alone(new: Sequence[Tensor]) -> Tensor:
        x = build(new)
        is_place = not x.is_floating_point()
        return x if name in _CASTS and is_place else func(x, *args[1:], **kwargs)

    return moved.leaves, alone


class Table(NamedTuple):
    """How the leading places of mixes are texts and heads."""

    places: Tensor
    """(text, head): which place, counted through all mixes one after another."""
    turned: bool
    """Whether the first axis of the tensor that was read holds positions, and the second texts."""


def table_of(moved: Moved, shapes: Sequence[torch.Size], *, is_projected: bool) -> Table | None:
    """Find which leading places of mixes are heads of one text, by the new places of their numbers.

    Each of `shapes` is (place, row, column) of a mix. Returns None if that is not proven. If no two
    heads lie side by side, only a projection, which reads all of one text, proves that there is
    just one head.
    """
    n, rows, columns = shapes[0]
    if any(shape != shapes[0] for shape in shapes):
        return None
    size = n * rows * columns
    flat = [torch.arange(size) + i * size for i in range(len(shapes))]
    made = moved.build([leaf.laid(x) for x, leaf in zip(flat, moved.leaves, strict=True)])
    last = made.size(-1) if made.dim() else 1
    if made.numel() != size * len(shapes) or last % columns:
        return None
    heads = last // columns
    if heads == 1 and not is_projected:
        return None
    for axes in ((heads, columns), (columns, heads)):
        cells = made.reshape(-1, *axes)
        cells = cells if axes == (heads, columns) else cells.transpose(1, 2)
        if (cells % columns == torch.arange(columns)).all():
            break
    else:
        return None
    which = cells[..., 0] // (columns * rows)
    row = cells[..., 0] // columns % rows
    if not (cells // (columns * rows) == which[..., None]).all() or not (row == row[:, :1]).all():
        return None
    places = which[row[:, 0] == 0]
    if sorted(places.flatten().tolist()) != list(range(n * len(shapes))):
        return None
    n_texts = len(places)
    turned = made.dim() == 3 and rows > 1 and made.size(0) == rows and made.size(1) == n_texts
    turned = turned and bool((row[:, 0].view(rows, n_texts) == torch.arange(rows)[:, None]).all())
    expected = (
        which.view(rows, n_texts, heads)[0] if turned else which.view(n_texts, rows, heads)[:, 0]
    )
    return Table(places, turned) if torch.equal(expected, places) else None


def row_table(moved: Moved, shapes: Sequence[torch.Size]) -> bool:
    """Return whether mixes were laid one after another along their rows, the first one first."""
    n, _, columns = shapes[0]
    if any(shape[0] != n or shape[2] != columns for shape in shapes):
        return False
    total = sum(shape[1] for shape in shapes)
    starts = [sum(shape[1] for shape in shapes[:i]) for i in range(len(shapes))]
    whole = torch.arange(n * total * columns).view(n, total, columns)
    parts = [
        leaf.laid(whole[:, start : start + shape[1]])
        for start, shape, leaf in zip(starts, shapes, moved.leaves, strict=True)
    ]
    made = moved.build(parts).reshape(-1)
    return made.numel() == whole.numel() and _is_one_by_one(made, n, total, columns)


def _is_one_by_one(made: Tensor, n: int, rows: int, columns: int) -> bool:
    """Return whether each place's rows follow one another, however places and rows are nested."""
    row, place = made // columns % rows, made // (columns * rows)
    wanted = torch.arange(rows)
    return all(torch.equal(row[place == i].unique_consecutive(), wanted) for i in range(n))
