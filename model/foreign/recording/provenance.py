"""The tokens behind the rows of each tensor, followed through the functions of one pass.

Beside each tensor's memory Loupe keeps labels, which name the token behind each number. Views share
the labels as they share the numbers. The sum of a token's vector and a mix of several tokens still
belongs to that token, as in a residual stream; any other mix of tokens belongs to none.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from model.foreign.recording.function_kinds import is_named_in_place
from model.foreign.recording.label_store import LabelStore
from model.foreign.recording.labels import (
    MIXED,
    NOTHING,
    compact,
    constant,
    fits,
    preferred,
    tensors_among,
    without_input,
)

_RESHAPES = (
    *("reshape", "flatten", "ravel", "view", "unflatten", "contiguous", "clone", "squeeze"),
    *("reshape_as", "view_as", "to", "type_as"),
)
_MOVES = (
    *("__getitem__", "repeat", "tile", "repeat_interleave", "flip", "roll", "index_select"),
    *("gather", "take_along_dim"),
)
_JOINS = ("cat", "concat", "concatenate", "stack", "hstack", "vstack")
_PRODUCTS = ("matmul", "__matmul__", "bmm", "mm", "linear")
_ADDING_PRODUCTS = ("addmm", "baddbmm", "addbmm")
_LOOK_UP = ("embedding", "one_hot")
_MIXES = ("cumsum", "cumprod", "sort", "msort", "fft", "ifft", "rfft", "irfft")
_SETS = ("copy_", "__setitem__", "set_")
_UNKNOWN = (IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)


class Provenance:
    """The labels of all tensors of a pass. Functions that it cannot follow raise no error."""

    def __init__(self) -> None:
        self._labels = LabelStore()
        self._told: set[int] = set()
        self.inputs: list[tuple[int, tuple[int, ...]]] = []
        """The first label of each labelled input, and the sizes of its labelled axes."""
        self._images: set[int] = set()

    def begin(self, x: Tensor) -> None:
        """Label an input: ids by their places, vectors by their places in all axes but the last.

        The places in an image are known only after it has been cut into patches.
        """
        is_image = x.dim() == 4
        sizes = () if is_image else tuple(x.shape[:-1] if x.is_floating_point() else x.shape)
        first = self._new(sizes)
        if is_image:
            self._images.add(x.untyped_storage().data_ptr())
            return
        places = torch.arange(first, first + math.prod(sizes), dtype=torch.int32, device=x.device)
        labels = places.view(sizes)
        self.put(x, labels[..., None] if x.is_floating_point() else labels)

    def _new(self, sizes: tuple[int, ...]) -> int:
        last = self.inputs[-1] if self.inputs else (0, ())
        first = last[0] + math.prod(last[1]) if last[1] else last[0]
        self.inputs.append((first, sizes))
        return first

    def of(self, x: Tensor) -> Tensor | None:
        """Return the labels of a tensor, in its shape; None if it has none."""
        return self._labels.of(x)

    def put(self, x: Tensor, labels: Tensor) -> None:
        """Label a tensor; axes along which all labels are the same may have size 1."""
        self._labels.put(x, labels)
        self._told.add(x.untyped_storage().data_ptr())

    def tell(self, heads: Tensor, query: Tensor) -> None:
        """Label the heads of an attention by its queries."""
        found = self.of(query)
        if found is not None:
            self.put(heads, constant(found, (-1,)))

    def follow(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], made: object) -> None:
        """Label the results of a function."""
        with suppress(*_UNKNOWN):  # results that cannot be followed get no labels
            self._follow(func, args, kwargs, made)
        self._told.clear()

    def _follow(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], made: object) -> None:
        results = [made] if isinstance(made, Tensor) else list(tensors_among(made))
        given = [*tensors_among(args), *tensors_among(kwargs.values())]
        places = {x.untyped_storage().data_ptr() for x in given}
        name = getattr(func, "__name__", "")
        if name == "__setitem__":
            results = [args[0]]
        self._labels.purge()
        for x in results:
            where = x.untyped_storage().data_ptr()
            if not x.numel() or where in self._told:
                continue
            if where in places:
                if is_named_in_place(name) and args and isinstance(args[0], Tensor):
                    self._overwrite(name, func, args, kwargs)
                continue
            self._labels.forget(where)
            labels = self._made(name, func, args, kwargs, x, given)
            if labels is not None:
                self.put(x, labels)

    def _overwrite(self, name: str, func: Callable, args: tuple, kwargs: Mapping[str, Any]) -> None:
        x, others = args[0], [*tensors_among(args[1:]), *tensors_among(kwargs.values())]
        if self.of(x) is None and all(self.of(each) is None for each in others):
            return
        labels = self._sure(x).clone()
        if name == "__setitem__":
            value = args[2]
            func(labels, args[1], self._sure(value) if isinstance(value, Tensor) else NOTHING)
        elif name in _SETS:
            labels = self._sure(others[0]).expand(x.shape)
        elif name in ("zero_", "fill_"):
            labels = torch.full_like(labels, NOTHING)
        else:
            found = [self._sure(each) for each in others if each.shape != () or self._has(each)]
            fitting = [each for each in found if fits(each.shape, x.shape)]
            labels = self._merged([labels, *fitting])
        self.put(x, labels)

    def _has(self, x: Tensor) -> bool:
        return self.of(x) is not None

    def _sure(self, x: Tensor) -> Tensor:
        found = self.of(x)
        if found is None:
            return torch.full((), NOTHING, dtype=torch.int32, device=x.device).expand(x.shape)
        return found

    def _made(
        self,
        name: str,
        func: Callable,
        args: tuple,
        kwargs: Mapping[str, Any],
        made: Tensor,
        given: Sequence[Tensor],
    ) -> Tensor | None:
        """Return the labels of a tensor that is not a view; None if it depends on no input."""
        if name in ("conv2d", "_conv_forward") and self._is_image(given[0]):
            return self._patches(made)
        tracked = [x for x in given if self._has(x)]
        if not tracked:
            return None
        first = tracked[0]
        if name in _RESHAPES and first.numel() == made.numel():
            return self._sure(first).reshape(made.shape)
        if name in _MOVES and not self._has(given[0]):
            return self._looked_up(made, tracked)
        if name in _MOVES:
            return func(self._sure(given[0]), *args[1:], **without_input(kwargs))
        if name in _JOINS:
            parts = args[0] if args else kwargs["tensors"]
            rest = {key: x for key, x in kwargs.items() if key not in ("tensors", "out")}
            return func([self._sure(x) for x in parts], *args[1:], **rest)
        if name == "pad":
            sides = kwargs.get("pad", args[1] if len(args) > 1 else None)
            return torch.nn.functional.pad(self._sure(first), sides, value=NOTHING)
        if name in _LOOK_UP:
            return self._sure(first)[..., None]
        if name in (*_PRODUCTS, *_ADDING_PRODUCTS):
            pair = given[1:3] if name in _ADDING_PRODUCTS else given[:2]
            return self._product(name, pair)
        if name == "einsum":
            return self._einsum(args, made)
        if name in ("scaled_dot_product_attention", "flex_attention"):
            return constant(self._sure(given[0]), (-1,))
        if name == "multi_head_attention_forward":
            same = made.shape[:-1] == given[0].shape[:-1]
            return constant(self._sure(given[0]), (-1,)) if same else None
        return self._any(name, args, kwargs, made, given)

    def _looked_up(self, made: Tensor, places: Sequence[Tensor]) -> Tensor:
        """Label rows of a table by the places of the ids that looked them up."""
        ids = self._sure(places[0])
        if made.shape[: ids.dim()] != ids.shape:
            return torch.full(made.shape, MIXED, dtype=torch.int32, device=made.device)
        return ids.reshape(*ids.shape, *[1] * (made.dim() - ids.dim()))

    def _any(
        self,
        name: str,
        args: tuple,
        kwargs: Mapping[str, Any],
        made: Tensor,
        given: Sequence[Tensor],
    ) -> Tensor:
        """Label the result of a function of single numbers, or of one that reduces an axis."""
        if name not in _MIXES:
            if made.shape == torch.broadcast_shapes(*(x.shape for x in given)):
                return self._merged([self._sure(x) for x in given if self._has(x)])
            x = given[0]
            if made.dim() == x.dim() and fits(made.shape, x.shape):
                axes = [i for i in range(x.dim()) if made.size(i) != x.size(i)]
                return constant(self._sure(x), axes)
            axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
            if isinstance(axis, int) and made.dim() == x.dim() - 1:
                return constant(self._sure(x), (axis,)).squeeze(axis)
        return torch.full(made.shape, MIXED, dtype=torch.int32, device=made.device)

    def _product(self, name: str, pair: Sequence[Tensor]) -> Tensor:
        """Label a matrix product: its rows get the labels of the left factor's rows, if known."""
        left = constant(self._sure(pair[0]), (-1,))
        if name == "linear":
            return left
        right = constant(self._sure(pair[1]), (-2,))
        return preferred(left, right)

    def _einsum(self, args: tuple, made: Tensor) -> Tensor:
        operands = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
        inputs, _, out = args[0].replace(" ", "").partition("->")
        if "." in inputs or not out:
            return torch.full(made.shape, MIXED, dtype=torch.int32, device=made.device)
        found = None
        for letters, x in zip(inputs.split(","), operands, strict=True):
            gone = [i for i, letter in enumerate(letters) if letter not in out]
            labels = constant(self._sure(x), gone)
            kept = [i for i in range(len(letters)) if i not in gone]
            labels = labels.squeeze(gone) if gone else labels
            names = [letters[i] for i in kept]
            order = [names.index(letter) for letter in out if letter in names]
            labels = labels.permute(order)
            shape = tuple(slice(None) if letter in names else None for letter in out)
            labels = labels[shape].expand(made.shape)
            found = labels if found is None else preferred(found, labels)
        return torch.full_like(made, MIXED, dtype=torch.int32) if found is None else found

    def _merged(self, labels: Sequence[Tensor]) -> Tensor:
        whole, *others = map(compact, labels)
        for each in others:
            if each.shape == whole.shape and torch.equal(each, whole):
                continue
            a, b = torch.broadcast_tensors(whole, each)
            apart = (a >= 0) & (b >= 0) & (a != b)
            whole = preferred(a, b)
            if apart.any():
                whole = torch.where(apart, self._of_one_place(a, b), whole)
        return whole

    def _of_one_place(self, a: Tensor, b: Tensor) -> Tensor:
        """Keep the label of the earlier input if both name the same place, as for segments."""
        firsts = torch.tensor([first for first, _ in self.inputs], device=a.device)
        numbers = [torch.bucketize(x.contiguous(), firsts, right=True) - 1 for x in (a, b)]
        at = [x - firsts[n.clamp(min=0)] for x, n in zip((a, b), numbers, strict=True)]
        sizes = {shape: i for i, (_, shape) in enumerate(self.inputs)}
        shapes = torch.tensor([sizes[shape] for _, shape in self.inputs], device=a.device)
        alike = shapes[numbers[0].clamp(min=0)] == shapes[numbers[1].clamp(min=0)]
        return torch.where(alike & (at[0] == at[1]), torch.minimum(a, b), MIXED).to(torch.int32)

    def _is_image(self, x: Tensor) -> bool:
        return x.untyped_storage().data_ptr() in self._images

    def _patches(self, made: Tensor) -> Tensor:
        sizes = (made.size(0), *made.shape[2:])
        first = self._new(sizes)
        places = torch.arange(
            first, first + math.prod(sizes), dtype=torch.int32, device=made.device
        )
        return places.view(sizes)[:, None]
