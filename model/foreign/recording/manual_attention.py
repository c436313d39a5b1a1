"""Recognises attention written out in code: queries times keys, softmax, weights times values.

Code may call a softmax for any purpose. If it reads a product of two tensors and its result mixes
the rows of a third, Loupe takes it for an attention, provided that the steps between the product
and the softmax show scale, bias and mask.
"""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from model.foreign.recording.dependence import Dependence
from model.foreign.recording.function_kinds import Kind, kind_of
from model.foreign.recording.mixes import Mix, Softmax
from model.foreign.recording.products import Product, product_of
from model.foreign.recording.steps import Applied, Step
from model.foreign.recording.tape import Tape, repeatable, tensors_among
from model.foreign.recording.terms import Scored
from model.foreign.recording.unread import Hearer, UnreadMixes

_MOST_HELD = 32
"""The largest number of products held as possible scores; Loupe forgets the oldest."""


@dataclass(frozen=True, eq=False)
class Followed(Scored):
    """The steps that have followed a product so far."""

    softmax: Softmax | None = None
    """The softmax, if it has run."""
    after: tuple[Step, ...] = ()
    """The steps from the softmax to the weights."""
    made: Tensor | None = None
    split: torch.Size | None = None
    is_content: bool = False
    """Whether both factors of the product depend on the model's input."""
    is_whole: bool = False


class ByHand:
    """The functions of one pass other than torch's attention functions, searched for attentions."""

    def __init__(self, hearer: Hearer, *, repeats: bool = False) -> None:
        self.saw_softmax = False
        self.saw_exponents = False
        """Whether any function ran with which code can compute a softmax."""
        self.reads_table = False
        """Whether a softmax mixed rows that do not depend on the model's input."""
        self._tape = Tape() if repeats else None
        self._held: dict[int, tuple[weakref.ref[Tensor], Followed]] = {}
        """The steps after each product, as long as the code itself keeps the tensor."""
        self._dependence = Dependence()
        self._unread = UnreadMixes(hearer, self._tape, self._dependence)

    def begins(self, given: object) -> None:
        """Note the model's arguments."""
        for x in tensors_among([given]):
            self._dependence.note(x, is_whole=True)

    def follows(self, *made: Tensor) -> None:
        """Note tensors that depend on the input, although their functions were not followed."""
        for x in made:
            self._dependence.note(x, is_whole=False)

    def replaces(self, old: Tensor | None, new: Tensor | None) -> None:
        """Note that the model continues with another tensor."""
        self._dependence.replaces(old, new)

    def run(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401
        """Call a function of torch, on behalf of the module with this path."""
        kind = kind_of(func)
        if "input" in kwargs:
            args, kwargs = (kwargs["input"], *args), {k: kwargs[k] for k in kwargs if k != "input"}
        moved = self._unread.moved_by(func, args, kwargs) if self._unread else None
        if moved is None:
            args, kwargs = self.settled(func, args, kwargs)
        self.saw_exponents |= kind.has_exponents
        self.saw_softmax |= kind.is_softmax
        again = func
        if kind.is_random and (self._held or self._tape is not None):
            again = repeatable(func, kwargs)
        if kind.is_product:
            result = self._multiplied((func, again), args, kwargs, path)
        elif self._held and any(id(x) in self._held for x in args):
            self._keep_softmax(func, args, kwargs)
            result = func(*args, **kwargs)
            self._follow(kind, again, args, kwargs, result)
        else:
            result = func(*args, **kwargs)
        if moved is not None and isinstance(result, Tensor):
            self._unread.move(result, moved, args, path)
        self.passed(again, args, kwargs, result)
        return result

    def passed(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note the result of a function of torch, however it was computed."""
        if self._tape is not None:
            self._tape.note(func, args, kwargs, result)
        self._dependence.passes(func, args, kwargs, result)

    def settled(
        self, func: Callable, args: tuple, kwargs: Mapping[str, Any]
    ) -> tuple[tuple, Mapping[str, Any]]:
        """Report the mixes that a function will read; return its arguments, edited or not."""
        return self._unread.settled(func, args, kwargs) if self._unread else (args, kwargs)

    def enters(self, module: nn.Module, x: Tensor) -> Tensor:
        """Report the mixes that a module will read; return its input, edited or not."""
        return self._unread.enters(module, x)

    def leaves(self, path: str, x: object, *, is_last: bool) -> object:
        """Report the mixes of a module that ends, except those in its output.

        Return the output, edited or not.
        """
        if is_last:
            self._held.clear()
        return self._unread.leaves(path, x, is_last=is_last)

    def forget(self) -> None:
        """Forget the functions of a module that has attended and is ending."""
        if self._tape is not None and not self._unread:
            self._tape.clear()

    def _multiplied(
        self,
        funcs: tuple[Callable, Callable],
        args: tuple,
        kwargs: Mapping[str, Any],
        path: str,
    ) -> Any:  # noqa: ANN401
        """Compute a product of queries and keys, of weights and values, or of other tensors."""
        func, again = funcs
        found = (self._followed(x) for x in tensors_among(args))
        weights = next((each for each in found if each and each.softmax), None)
        product = product_of(kind_of(func).name, args, kwargs, mixes=weights is not None)
        self._keep_softmax(func, args, kwargs)
        result = func(*args, **kwargs)
        if product and weights and self._followed(product.asked) is weights:
            self._mix(weights, product, (again, args, kwargs), result, path)
        elif product and isinstance(result, Tensor) and product.order is None:
            self._begin(product, func, args, kwargs, result)
        else:
            self._follow(kind_of(func), again, args, kwargs, result)
        return result

    def _begin(
        self,
        product: Product,
        func: Callable,
        args: tuple,
        kwargs: Mapping[str, Any],
        result: Tensor,
    ) -> None:
        """Hold a product that may turn out to be scores."""
        depends = self._dependence.has
        is_content = depends(product.asked) and depends(product.other)
        added = self._followed(product.added)
        if added and added.is_content and not is_content:
            self._follow(kind_of(func), func, args, kwargs, result)
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
                is_whole=self._dependence.is_whole(product.asked),
            ),
        )

    def _follow(
        self, kind: Kind, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note the result of a function that changes only the numbers of a product."""
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
        step = Applied(func, (*args[:place], None, *args[place + 1 :]), place, kwargs)
        if kind.name == "softmax":
            dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
            if dim in (-1, x.dim() - 1) and not found.softmax:
                read = x if self._tape else None
                self._hold(result, replace(found, softmax=Softmax(step, read, result, result)))
        elif found.softmax:
            self._hold(result, replace(found, after=(*found.after, step)))
        else:
            bends = found.bends or kind.name in ("tanh", "tanh_")
            self._hold(result, replace(found, steps=(*found.steps, step), bends=bends))

    def _keep_softmax(self, func: Callable, args: tuple, kwargs: Mapping[str, Any]) -> None:
        """Copy the output of a softmax before a step changes it in place."""
        if not (kind_of(func).is_in_place or kwargs.get("inplace")):
            return
        found = self._followed(args[0]) if args else None
        if found is None or not found.softmax:
            return
        if found.softmax.gave.data_ptr() == args[0].data_ptr():
            softmax = found.softmax._replace(gave=found.softmax.gave.clone())
            self._hold(args[0], replace(found, softmax=softmax))

    def _mix(
        self, found: Followed, product: Product, ran: tuple, result: Tensor, path: str
    ) -> None:
        """Hold an attention until the code reads its heads."""
        for held in [key for key, (_, each) in self._held.items() if each.root is found.root]:
            if self._held[held][1].softmax:
                del self._held[held]
        depends = self._dependence.has
        if not depends(product.other) and not depends(found.root.other):
            self.reads_table = True
        elif found.softmax is not None:
            self._unread.add(
                Mix(
                    scored=Scored(found.root, found.shape, found.steps, found.bends),
                    softmax=found.softmax,
                    after=found.after,
                    product=product,
                    run=_Rerun(product, *ran),
                    made=found.made,
                    result=result,
                    path=path,
                    split=found.split,
                    is_whole=found.is_whole,
                )
            )

    def _followed(self, x: object) -> Followed | None:
        held = self._held.get(id(x))
        return held[1] if held is not None and held[0]() is x else None

    def _hold(self, x: Tensor, followed: Followed) -> None:
        held, key = self._held, id(x)

        def forget(gone: weakref.ref[Tensor]) -> None:
            if key in held and held[key][0] is gone:
                del held[key]

        held[key] = weakref.ref(x, forget), followed
        while len(held) > _MOST_HELD:
            del held[next(iter(held))]


@dataclass(frozen=True, eq=False)
class _Rerun:
    """Computes a product of weights and values again, with other tensors."""

    product: Product
    func: Callable[..., Tensor]
    args: tuple
    kwargs: Mapping[str, Any]

    def __call__(self, weights: Tensor, value: Tensor) -> Tensor:
        """Compute the product."""
        new = {id(self.product.asked): weights, id(self.product.other): value}
        kwargs = {key: self._swapped(x, new) for key, x in self.kwargs.items()}
        return self.func(*(self._swapped(x, new) for x in self.args), **kwargs)

    def _swapped(self, x: Any, new: Mapping[int, Tensor]) -> Any:  # noqa: ANN401
        if isinstance(x, list | tuple):
            return [self._swapped(y, new) for y in x]
        return new.get(id(x), x)
