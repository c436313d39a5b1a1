"""An attention written out in code: queries times keys, a softmax, its weights times values.

A softmax may read anything. If it reads a product of two tensors and its result mixes the rows of a
third, Loupe takes it for an attention, provided that scale, bias and mask can be read off the steps
between the product and the softmax. Loupe reports the attention when the code reads its heads: by
then the code has shown which of them belong to one text.
"""

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from model.foreign.recording.attention import AttentionCall
from model.foreign.recording.products import PRODUCTS, Product, Step, product_of
from model.foreign.recording.rearranged import (
    Moved,
    Table,
    moved_on,
    name_of,
    row_table,
    table_of,
)
from model.foreign.recording.tape import Tape, is_in_place, repeatable, tensors_among
from model.foreign.recording.terms import Scored
from model.foreign.recording.written import Mix, Softmax, Written

_MOST_HELD = 32
"""Products that may become scores and have not: the oldest is forgotten."""
_MOST_NOTED = 4096
"""Tensors whose origin is noted before Loupe forgets those that no longer exist."""
_PROJECTS = {"linear", "addmm", "matmul", "__matmul__", "mm", "conv1d"}
_EACH_BY_ITSELF = {
    *("add", "sub", "mul", "div", "true_divide", "rsub", "__radd__", "__rmul__", "__rsub__"),
    *("to", "float", "half", "bfloat16", "double", "type_as", "contiguous", "clone", "dropout"),
    *("layer_norm", "rms_norm", "relu", "gelu", "silu", "sigmoid", "tanh", "detach", "add_"),
    *("mul_", "div_", "sub_", "__rdiv__", "__rtruediv__", "normalize", "rsqrt", "pow"),
}
_EXPONENTS = {"exp", "exp_", "exp2", "exp2_", "pow", "__pow__", "__rpow__", "logsumexp", "expm1"}
_ASKS = {
    *("shape", "size", "dim", "ndim", "dtype", "device", "numel", "is_contiguous", "stride"),
    *("requires_grad", "is_cuda", "layout", "nelement", "ndimension", "is_floating_point"),
    *("__len__", "__hash__", "grad_fn", "is_leaf", "element_size", "data_ptr", "is_complex"),
}
Tell = Callable[[AttentionCall, str], tuple[Tensor, Tensor]]


@dataclass(frozen=True, eq=False)
class Followed(Scored):
    """What became of a product so far."""

    softmax: Softmax | None = None
    """The softmax, once it was there."""
    after: tuple[Step, ...] = ()
    """From it to the weights."""
    made: Tensor | None = None
    split: torch.Size | None = None
    is_content: bool = False
    """Whether both factors of the product depend on the model's input."""
    is_whole: bool = False


class ByHand:
    """What one pass computes outside of torch's attention functions."""

    def __init__(self, tell: Tell, *, repeats: bool = False) -> None:
        self.saw_softmax = False
        self.saw_exponents = False
        """Whether anything ran that a softmax can be made of."""
        self.reads_table = False
        """Whether a softmax mixed rows that do not depend on the model's input."""
        self._tell = tell
        self._tape = Tape() if repeats else None
        self._held: OrderedDict[int, tuple[Tensor, Followed]] = OrderedDict()
        self._moved: dict[int, Moved] = {}
        self._read: dict[int, tuple[weakref.ref[Tensor], bool]] = {}
        """Tensors that depend on the model's input; whether each is whole rows of a projection."""

    def begins(self, given: object) -> None:
        """Note the model's arguments."""
        for x in tensors_among([given]):
            self._note(x, is_whole=True)

    def run(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401
        """Call a function of torch, which the module of a path calls."""
        if name_of(func) in _ASKS:
            return func(*args, **kwargs)
        if "input" in kwargs:
            args, kwargs = (kwargs["input"], *args), {k: kwargs[k] for k in kwargs if k != "input"}
        moved = moved_on(func, args, kwargs, self._moved_of) if self._moved else None
        if self._moved and moved is None and name_of(func) not in _ASKS:
            args, kwargs = self.settled(func, args, kwargs)
        name = getattr(func, "__name__", "")
        self.saw_exponents |= name in _EXPONENTS
        again = repeatable(func, name, kwargs) if self._held or self._tape is not None else func
        if name in _PRODUCTS_AND_SOFTMAX or self._held:
            result = self._run(name, (func, again), args, kwargs, path)
        else:
            result = func(*args, **kwargs)
        if moved is not None and isinstance(result, Tensor):
            leaves, build = moved
            where = path if len(leaves) > 1 else next(iter(leaves)).path
            inner = [x.where for x in map(self._moved_of, tensors_among(args[:1])) if x]
            where = inner[0] if len(inner) == 1 else where
            self._moved[id(result)] = Moved(result, leaves, build, where)
        self.passed(again, args, kwargs, result)
        return result

    def passed(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note the result of a function of torch, however it was computed."""
        if self._tape is not None and name_of(func) not in _ASKS:
            self._tape.note(func, args, kwargs, result)
        found = [x for x in tensors_among([*args, *kwargs.values()]) if self._depends(x)]
        if not found:
            return
        name = name_of(func)
        whole = name == "linear" or name == "embedding"
        made = list(tensors_among([result]))
        for x in made or ([args[0]] if name == "__setitem__" else []):
            kept = name in _EACH_BY_ITSELF and any(
                y.shape == x.shape and self._is_whole(y) for y in found
            )
            self._note(x, is_whole=whole or kept)

    def leaves(self, path: str, x: object, *, is_last: bool) -> object:
        """Report the mixes of a module that ends, except those in its output.

        Return the output, edited or not.
        """
        handed = self._moved_of(x)
        for key, each in list(self._moved.items()):
            if not all(_is_inside(mix.path, path) for mix in each.leaves):
                continue
            if handed is not None and set(each.leaves) <= set(handed.leaves) and not is_last:
                continue
            if each is not handed and any(not mix.is_told for mix in each.leaves):
                self._settle(each, "", in_place=True)
            if each is not handed:
                del self._moved[key]
        if is_last and handed is not None:
            x = self._settle(handed, "")
            self._moved.clear()
        return x

    def enters(self, module: nn.Module, x: Tensor) -> Tensor:
        """Report the mixes that a module will read; return its input, edited or not."""
        moved = self._moved_of(x)
        if moved is None or not module._parameters or module._modules:
            return x
        weight = module._parameters.get("weight")
        is_linear = weight is not None and weight.dim() >= 2
        return self._settle(moved, "linear" if is_linear else type(module).__name__)

    def forget(self) -> None:
        """Forget the functions of a module that has attended and ends."""
        if self._tape is not None and not self._moved:
            self._tape.clear()

    def _run(
        self,
        name: str,
        funcs: tuple[Callable, Callable],
        args: tuple,
        kwargs: Mapping[str, Any],
        path: str,
    ) -> Any:  # noqa: ANN401
        func, again = funcs
        product = weights = None
        if name in PRODUCTS:
            found = (self._followed(x) for x in tensors_among(args))
            weights = next((each for each in found if each and each.softmax), None)
            product = product_of(name, args, kwargs, mixes=weights is not None)
        self._keep_softmax(func, args, kwargs)
        result = func(*args, **kwargs)
        if product and weights and self._followed(product.asked) is weights:
            self._mix(weights, product, (again, args, kwargs), result, path)
        elif product and isinstance(result, Tensor) and product.order is None:
            self._begin(product, func, args, kwargs, result)
        else:
            self._follow(name, again, args, kwargs, result)
        return result

    def _begin(
        self,
        product: Product,
        func: Callable,
        args: tuple,
        kwargs: Mapping[str, Any],
        result: Tensor,
    ) -> None:
        """Hold a product that may become scores."""
        is_content = self._depends(product.asked) and self._depends(product.other)
        added = self._followed(product.added)
        if added and added.is_content and not is_content:
            self._follow("baddbmm", func, args, kwargs, result)
            return
        self._hold(
            result,
            Followed(
                root=product,
                shape=result.shape,
                steps=(product.step,) if product.step else (),
                made=result if self._tape else None,
                split=result.shape[:2] if result.dim() == 4 else None,
                is_content=is_content,
                is_whole=self._is_whole(product.asked),
            ),
        )

    def _follow(
        self, name: str, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note what a function makes of a product, where it changes no more than its numbers."""
        self.saw_softmax |= name.endswith("softmax")
        places = [i for i, x in enumerate(args) if self._followed(x)]
        if not places or not isinstance(result, Tensor) or not result.is_floating_point():
            return
        # If two products are added, the content is the one whose factors both depend on the input.
        contents = [i for i in places if (each := self._followed(args[i])) and each.is_content]
        place = (contents or places)[0]
        x, found = args[place], self._followed(args[place])
        if found is None or result.shape[-2:] != x.shape[-2:] or result.numel() != x.numel():
            return
        if result.dim() == 4 and found.split is None:
            found = replace(found, split=result.shape[:2])

        def step(y: Tensor) -> Tensor:
            return func(*args[:place], y, *args[place + 1 :], **kwargs)

        if name == "softmax":
            dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
            if dim in (-1, x.dim() - 1) and not found.softmax:
                read = x if self._tape else None
                self._hold(result, replace(found, softmax=Softmax(step, read, result, result)))
        elif found.softmax:
            if result is not x or name_of(func) not in _ASKS:
                self._hold(result, replace(found, after=(*found.after, step)))
        else:
            bends = found.bends or name in ("tanh", "tanh_")
            self._hold(result, replace(found, steps=(*found.steps, step), bends=bends))

    def _keep_softmax(self, func: Callable, args: tuple, kwargs: Mapping[str, Any]) -> None:
        """Copy the output of a softmax before a step changes it in place."""
        found = self._followed(args[0]) if args else None
        if found is None or not found.softmax or not is_in_place(func, kwargs):
            return
        if found.softmax.gave.data_ptr() == args[0].data_ptr():
            softmax = found.softmax._replace(gave=found.softmax.gave.clone())
            self._hold(args[0], replace(found, softmax=softmax))

    def _mix(
        self, found: Followed, product: Product, ran: tuple, result: Tensor, path: str
    ) -> None:
        """Hold an attention until its heads are read."""
        for held in [key for key, (_, each) in self._held.items() if each.root is found.root]:
            if self._held[held][1].softmax:
                del self._held[held]
        if not self._depends(product.other) and not self._depends(found.root.other):
            self.reads_table = True
            return
        func, args, kwargs = ran

        def again(weights: Tensor, value: Tensor) -> Tensor:
            new = {id(product.asked): weights, id(product.other): value}

            def swapped(x: object) -> object:
                return [*map(swapped, x)] if isinstance(x, list | tuple) else new.get(id(x), x)

            return func(*map(swapped, args), **{k: swapped(x) for k, x in kwargs.items()})

        softmax = found.softmax
        if softmax is None:
            return
        mix = Mix(
            scored=Scored(found.root, found.shape, found.steps, found.bends),
            softmax=softmax,
            after=found.after,
            product=product,
            run=again,
            made=found.made,
            result=result,
            path=path,
            split=found.split,
            is_whole=found.is_whole,
        )
        self._moved[id(result)] = Moved(result, (mix,), lambda new: new[0], path)

    def settled(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any]
    ) -> tuple[tuple, Mapping[str, Any]]:
        """Report the mixes that a function will read; return its arguments, edited or not."""
        if not self._moved:
            return args, kwargs
        name = name_of(func)

        def told(x: object) -> object:
            if isinstance(x, list | tuple) and type(x) in (list, tuple):
                return type(x)(told(y) for y in x)
            moved = self._moved_of(x)
            if moved is None:
                return x
            others = [y for y in tensors_among(args) if y is not x]
            projects = name in _PROJECTS and any(y.dim() >= 2 for y in others)
            projects &= name == "linear" or not any(map(self._depends, others))
            return self._settle(moved, "linear" if projects else name)

        return tuple(map(told, args)), {key: told(x) for key, x in kwargs.items()}

    def _settle(self, moved: Moved, reader: str, *, in_place: bool = False) -> Tensor:
        """Report the attentions that a tensor is made of; return the tensor, edited or not."""
        mixes = [mix for mix in moved.leaves if not mix.is_told]
        if mixes:
            self._tell_all(moved, mixes, is_projected=reader == "linear")
        if all(mix.new is None for mix in moved.leaves):
            return moved.tensor
        new = [mix.result if mix.new is None else mix.new for mix in moved.leaves]
        made = moved.build(new)
        if in_place:
            with torch.no_grad():
                moved.tensor.copy_(made)
            return moved.tensor
        return made

    def _tell_all(self, moved: Moved, mixes: list[Mix], *, is_projected: bool) -> None:
        for mix in mixes:
            mix.is_told = True
        sizes = [mix.sizes for mix in moved.leaves]
        tables: list[tuple[list[Mix], Table | None, bool]] = []
        if len(mixes) == len(moved.leaves):
            if row_table_holds(moved, sizes, mixes):
                whole = _as_one(moved, sizes)
                total = torch.Size((sizes[0][0], sum(s[1] for s in sizes), sizes[0][2]))
                tables = [(mixes, table_of(whole, [total], is_projected=is_projected), True)]
            elif table := table_of(moved, sizes, is_projected=is_projected):
                tables = [(mixes, table, False)]
        for some, table, by_rows in tables:
            if self._told(Written(some, self._tape, table, by_rows=by_rows), some, moved.where):
                return
        for mix in mixes:
            self._told(Written([mix], self._tape, None), [mix], mix.path)

    def _told(self, written: Written, mixes: list[Mix], path: str) -> bool:
        """Report one attention. Return whether a record can describe it."""
        call = written.call()
        if call is None:
            return False
        heads, _ = self._tell(call, path)
        if heads is not call.views["heads"].made:
            for mix, new in zip(mixes, written.spread(heads), strict=True):
                mix.new = new
        return True

    def _followed(self, x: object) -> Followed | None:
        held, found = self._held.get(id(x), (None, None))
        return found if held is x else None

    def _moved_of(self, x: object) -> Moved | None:
        moved = self._moved.get(id(x))
        return moved if moved is not None and moved.tensor is x else None

    def _hold(self, x: Tensor, followed: Followed) -> None:
        self._held[id(x)] = x, followed
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)

    def _note(self, x: Tensor, *, is_whole: bool) -> None:
        if len(self._read) > _MOST_NOTED:
            self._read = {key: each for key, each in self._read.items() if each[0]() is not None}
        self._read[id(x)] = weakref.ref(x), is_whole

    def _depends(self, x: object) -> bool:
        found = self._read.get(id(x))
        return found is not None and found[0]() is x

    def _is_whole(self, x: object) -> bool:
        return self._depends(x) and self._read[id(x)][1]


_PRODUCTS_AND_SOFTMAX = {*PRODUCTS, "softmax", "log_softmax"}


def _is_inside(path: str, other: str) -> bool:
    return not other or path == other or path.startswith(f"{other}.")


def row_table_holds(moved: Moved, sizes: list[torch.Size], mixes: list[Mix]) -> bool:
    """Return whether mixes are rows of one attention, which all read the same keys and values."""
    if len(mixes) < 2 or not row_table(moved, sizes):
        return False
    first = mixes[0]
    return all(
        torch.equal(mix.scored.root.right, first.scored.root.right)
        and torch.equal(mix.product.right, first.product.right)
        for mix in mixes[1:]
    )


def _as_one(moved: Moved, sizes: list[torch.Size]) -> Moved:
    """Return the same tensor as one made of a single mix of all rows."""
    rows = [size[1] for size in sizes]

    def build(new: Any) -> Tensor:  # noqa: ANN401
        parts = new[0].split(rows, dim=-2)
        return moved.build([mix.laid(x) for mix, x in zip(moved.leaves, parts, strict=True)])

    return Moved(moved.tensor, (_Whole(sizes[0][0], sum(rows), sizes[0][2]),), build, moved.where)


class _Whole(NamedTuple):
    """All rows of several mixes."""

    places: int
    rows: int
    columns: int

    def laid(self, x: Tensor) -> Tensor:
        """Bring numbers to (place, row, column)."""
        return x.view(self)
