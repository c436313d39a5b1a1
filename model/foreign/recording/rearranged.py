"""Follows where code moves an attention's numbers until a function reads them, to prove its axes.

One projection reads all heads side by side. So Loupe follows the numbers of a mix to the places to
which the code moves them: it runs the same functions on the places instead of the numbers. The
numbers in one row of the projection's input belong to one text and one position, head after head.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import torch
from torch import Tensor

from model.foreign.recording.function_kinds import CASTS, kind_of
from model.foreign.recording.products import inverse_order


class Layout(NamedTuple):
    """The axes of a mix; those before the last two are counted as places."""

    shape: torch.Size
    """(..., row, column)"""
    order: tuple[int, ...] | None = None
    """The order of these axes in the code; None for the same order."""

    @property
    def sizes(self) -> torch.Size:
        """The numbers of places, rows and columns."""
        return torch.Size((self.shape[:-2].numel(), *self.shape[-2:]))

    def own(self, x: Tensor) -> Tensor:
        """Bring a tensor from the axes of the code to (..., row, column)."""
        return x if self.order is None else x.permute(inverse_order(self.order))

    def laid(self, x: Tensor) -> Tensor:
        """Bring a tensor from (place, row, column) to the axes of the code."""
        x = x.reshape(self.shape)
        return x if self.order is None else x.permute(self.order)


class Form(NamedTuple):
    """How a tensor was made from mixes: by a function, from tensors that have forms themselves."""

    func: Callable | None = None
    """The function; None for the mix itself."""
    args: tuple = ()
    """All its arguments but the first."""
    kwargs: tuple[tuple[str, Any], ...] = ()
    parts: tuple["Form", ...] = ()
    joins: bool = False
    leaves: int = 1
    """The number of mixes in the tensor."""
    is_fixed: bool = True
    """Whether no argument is a tensor, so that equal forms make equal tensors."""

    def build(self, new: Sequence[Tensor]) -> Tensor:
        """Build such a tensor from other mixes, or from their places."""
        if self.func is None:
            return new[0]
        if not self.joins:
            x = self.parts[0].build(new)
            is_cast_of_places = not x.is_floating_point() and kind_of(self.func).name in CASTS
            return x if is_cast_of_places else self.func(x, *self.args, **dict(self.kwargs))
        made, at = [], 0
        for part in self.parts:
            made.append(part.build(new[at : at + part.leaves]))
            at += part.leaves
        return self.func(made, *self.args, **dict(self.kwargs))


MIX = Form()
_PLAIN = (int, float, str, type(None), torch.dtype, torch.device, torch.memory_format, torch.layout)


def _form(func: Callable, args: tuple, kwargs: Mapping[str, Any], parts: Sequence[Form]) -> Form:
    kind = kind_of(func)
    if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
        like = args[0]
        if kind.name in ("view_as", "reshape_as"):
            func, args = Tensor.reshape, (like.shape,)
        elif kind.name in CASTS:
            func, args = Tensor.to, (like.device, like.dtype)
    rest, named = _frozen(args), tuple(kwargs.items())
    return Form(
        func=func,
        args=rest,
        kwargs=named,
        parts=tuple(parts),
        joins=kind.joins,
        leaves=sum(part.leaves for part in parts),
        is_fixed=_are_fixed((*rest, *kwargs.values())) and all(part.is_fixed for part in parts),
    )


def _frozen(args: tuple) -> tuple:
    """Return arguments with tuples instead of lists, so that forms can be compared."""
    return tuple(tuple(x) if type(x) is list else x for x in args)


def _are_fixed(args: tuple) -> bool:
    return all(_are_fixed(x) if isinstance(x, tuple) else isinstance(x, _PLAIN) for x in args)


@dataclass(frozen=True, eq=False)
class Moved:
    """A tensor made from the mixes of attentions by moving their numbers."""

    tensor: Tensor
    leaves: tuple[Any, ...]
    """The mixes."""
    form: Form
    """How it was made from them."""
    where: str
    """The path of the module that joined the mixes, or that computed the only one."""


def moved_on(
    func: Callable, args: tuple, kwargs: Mapping[str, Any], of: Callable[[object], Moved | None]
) -> tuple[tuple[Any, ...], Form] | None:
    """Return the mixes in a function's result, and its form, if it only moves their numbers."""
    kind = kind_of(func)
    if kind.joins and args and isinstance(args[0], list | tuple):
        parts = [of(x) for x in args[0]]
        if not parts or any(x is None for x in parts):
            return None
        known = [x for x in parts if x is not None]
        leaves = tuple(leaf for x in known for leaf in x.leaves)
        return leaves, _form(func, args[1:], kwargs, [x.form for x in known])
    moved = of(args[0]) if args else None
    if moved is None or not kind.moves or any(map(of, args[1:])):
        return None
    if kind.name == "dropout" and (kwargs.get("training", True) or kwargs.get("inplace")):
        return None
    return moved.leaves, _form(func, args[1:], kwargs, [moved.form])


@dataclass(frozen=True, eq=False)
class Places:
    """The text and the head of each leading place of a mix."""

    numbers: Tensor
    """(text, head): the number of the place, counted through all mixes in turn."""
    turned: bool = False
    """Whether the tensor that was read has positions in its first axis, and texts in the second."""

    @cached_property
    def are_by_texts(self) -> bool:
        """Whether places are numbered text by text."""
        return torch.equal(self.numbers.flatten(), torch.arange(self.numbers.numel()))

    @cached_property
    def are_by_heads(self) -> bool:
        """Whether places are numbered head by head."""
        return torch.equal(self.numbers.T.flatten(), torch.arange(self.numbers.numel()))


@lru_cache(maxsize=64)
def counted_places(texts: int, heads: int) -> Places:
    """Return places numbered by texts, and within a text by heads."""
    return Places(torch.arange(texts * heads).view(texts, heads))


P = ParamSpec("P")
R = TypeVar("R")
_MOST_KNOWN = 256
"""The number of forms whose results are kept."""


def _known_by_form(find: Callable[Concatenate[Form, P], R]) -> Callable[Concatenate[Form, P], R]:
    """Cache the results of a function by form, because layers and passes repeat forms."""
    known: Any = lru_cache(maxsize=_MOST_KNOWN)(find)

    @wraps(find)
    def found(form: Form, *args: P.args, **kwargs: P.kwargs) -> R:
        return (known if form.is_fixed else find)(form, *args, **kwargs)

    return found


@_known_by_form
def places_of(form: Form, mixes: tuple[Layout, ...], *, is_projected: bool) -> Places | None:
    """Find the text and head of each leading place of mixes, from the new places of their numbers.

    Returns None if they are not proven. If no two heads lie side by side, only a projection, which
    reads all of one text, proves that there is just one head.
    """
    sizes = mixes[0].sizes
    if any(mix.sizes != sizes for mix in mixes):
        return None
    n = sizes.numel()
    flat = [torch.arange(n) + i * n for i in range(len(mixes))]
    made = form.build([mix.laid(x) for x, mix in zip(flat, mixes, strict=True)])
    return _read_off(made, sizes, len(mixes), is_projected=is_projected)


@_known_by_form
def places_of_rows(form: Form, mixes: tuple[Layout, ...], *, is_projected: bool) -> Places | None:
    """Find the same for mixes that are rows of one attention, the first rows first."""
    rows = [mix.sizes[1] for mix in mixes]
    sizes = torch.Size((mixes[0].sizes[0], sum(rows), mixes[0].sizes[2]))
    whole = torch.arange(sizes.numel()).view(sizes)
    parts = whole.split(rows, dim=-2)
    made = form.build([mix.laid(x) for mix, x in zip(mixes, parts, strict=True)])
    return _read_off(made, sizes, 1, is_projected=is_projected)


def _read_off(made: Tensor, sizes: torch.Size, count: int, *, is_projected: bool) -> Places | None:
    """Read the axes from a tensor of places, made from `count` mixes of (place, row, column)."""
    n, rows, columns = sizes
    last = made.size(-1) if made.dim() else 1
    if made.numel() != sizes.numel() * count or last % columns:
        return None
    heads = last // columns
    if heads == 1 and not is_projected:
        return None
    cells = _cells(made, heads, columns)
    if cells is None:
        return None
    which = cells[..., 0] // (columns * rows)
    row = cells[..., 0] // columns % rows
    if not (cells // (columns * rows) == which[..., None]).all() or not (row == row[:, :1]).all():
        return None
    numbers = which[row[:, 0] == 0]
    if sorted(numbers.flatten().tolist()) != list(range(n * count)):
        return None
    texts = len(numbers)
    turned = made.dim() == 3 and rows > 1 and made.size(0) == rows and made.size(1) == texts
    turned = turned and bool((row[:, 0].view(rows, texts) == torch.arange(rows)[:, None]).all())
    whole = which.view(rows, texts, heads)[0] if turned else which.view(texts, rows, heads)[:, 0]
    return Places(numbers, turned) if torch.equal(whole, numbers) else None


def _cells(made: Tensor, heads: int, columns: int) -> Tensor | None:
    """Return places as (row that was read, head, column), whichever of head and column is first."""
    for x in (made.reshape(-1, heads, columns), made.reshape(-1, columns, heads).transpose(1, 2)):
        if (x % columns == torch.arange(columns)).all():
            return x
    return None


@_known_by_form
def are_rows(form: Form, mixes: tuple[Layout, ...]) -> bool:
    """Return whether mixes were joined along their rows, in their order."""
    n, _, columns = mixes[0].sizes
    if any(mix.sizes[0] != n or mix.sizes[2] != columns for mix in mixes):
        return False
    rows = [mix.sizes[1] for mix in mixes]
    whole = torch.arange(n * sum(rows) * columns).view(n, sum(rows), columns)
    parts = whole.split(rows, dim=1)
    made = form.build([mix.laid(x) for mix, x in zip(mixes, parts, strict=True)]).reshape(-1)
    return made.numel() == whole.numel() and _is_one_by_one(made, n, sum(rows), columns)


def _is_one_by_one(made: Tensor, n: int, rows: int, columns: int) -> bool:
    """Return whether the rows of each place follow one another, in either nesting of the two."""
    row, place = made // columns % rows, made // (columns * rows)
    wanted = torch.arange(rows)
    return all(torch.equal(row[place == i].unique_consecutive(), wanted) for i in range(n))
