"""Brings the tensors of an attention from the code's axes to (batch, head, row, column)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from model.foreign.recording.mixes import Mix
from model.foreign.recording.products import undone
from model.foreign.recording.rearranged import Places, counted_places
from model.foreign.recording.steps import Step


class Arranged(NamedTuple):
    """A tensor of an attention in the code, and the steps that rearrange it for the record."""

    mix: Mix
    tensor: Tensor
    """The code's tensor."""
    chain: Step
    """The rearrangements that the code itself applies to the tensor."""
    bring: Step
    """Brings the result to the axes of a product."""


class Arrangement:
    """The axes of one attention: of one mix, or of several whose heads or rows the code joins."""

    def __init__(self, mixes: Sequence[Mix], places: Places | None, *, by_rows: bool) -> None:
        self.mixes = mixes
        self.places = places
        """The proof of which places are texts and which are heads; None without one."""
        self.by_rows = by_rows
        """Whether the mixes are rows of one attention."""
        self.is_one = len(mixes) == 1

    @property
    def is_unsplit(self) -> bool:
        """Whether texts and heads share an axis, because nothing proves which is which."""
        mix = self.mixes[0]
        is_merged = self.is_one and len(mix.leading) == 1
        return is_merged and self.places is None and mix.split is None

    def form(self, mix: Mix) -> tuple:
        """Return everything that determines the result of `weights_like` for a mix."""
        product = mix.product
        facts = product.asked.shape, product.left.shape, product.bring_left
        return self.is_one, self.places, mix.split, mix.is_whole, *facts

    def four(self, mix: Mix, x: Tensor) -> Tensor:
        """Bring a tensor from the axes of a product to (batch, head, row, column)."""
        x, n = mix.aligned(x), mix.leading.numel()
        if not self.is_one:
            wide = x if x.dim() == 2 else x.expand(*mix.leading, *x.shape[-2:]).flatten(0, -3)
            return wide.reshape(1, n, *x.shape[-2:])
        if x.dim() == 2:
            return x[None, None]
        places = self._places(mix)
        if x.dim() == 3:
            if x.size(0) != n or places is None:
                return x[None] if n > 1 else x.unsqueeze(1)
            numbers = places.numbers
            x = x.unflatten(0, numbers.shape) if places.are_by_texts else x[numbers]
            return x if x.dim() == 4 else x.unsqueeze(1)
        if places is None or (x.dim() > 4 and places.are_by_texts):
            return x.flatten(0, -4)
        if places.are_by_texts and places.numbers.shape == mix.leading:
            return x
        if places.are_by_heads and places.numbers.T.shape == mix.leading:
            return x.transpose(0, 1)
        return x.expand(*mix.leading, *x.shape[-2:]).flatten(0, -3)[places.numbers]

    def _places(self, mix: Mix) -> Places | None:
        """Return the text and head of each leading place, if they are proven."""
        if self.places is not None:
            return self.places
        if len(mix.leading) != 1:
            return None
        if mix.split is not None:
            return counted_places(*mix.split)
        return counted_places(mix.leading[0], 1) if mix.is_whole else None

    def weights_like(self, mix: Mix, x: Tensor) -> Tensor | None:
        """Bring a tensor with a number for each weight, in the same order, to four axes."""
        asked = mix.product.asked
        if x.numel() != asked.numel():
            return None
        return self.four(mix, mix.product.bring_left(x.reshape(asked.shape)))

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """Join the tensors of all mixes, each in four axes."""
        if self.is_one:
            return parts[0]
        numbers = None if self.places is None else self.places.numbers
        if not self.by_rows:
            x = torch.cat(list(parts), 1)[0]
            return x[None] if numbers is None else x[numbers]
        x = parts[0] if len(parts) == 1 else torch.cat(list(parts), 2)
        return x if numbers is None else x[0][numbers]

    def together(self, parts: Sequence[Arranged], *tensors: Tensor) -> Tensor:
        """Bring the code's tensors, or replacements for them, to one tensor in four axes."""
        pairs = zip(parts, tensors, strict=True)
        return self.join([self.four(each.mix, each.bring(each.chain(x))) for each, x in pairs])


def undone_all(
    bring: Callable[..., Tensor], shapes: Sequence[torch.Size], new: Tensor
) -> Sequence[Tensor]:
    """Undo a rearrangement: bring numbers back to the tensors that it took them from."""
    if len(shapes) == 1:
        return [undone(bring, shapes[0], new)]
    sizes = [shape.numel() for shape in shapes]
    places = torch.arange(sum(sizes), device=new.device).split(sizes)
    order = bring(*(x.view(shape) for x, shape in zip(places, shapes, strict=True)))
    parts = new.reshape(-1)[order.reshape(-1).argsort()].split(sizes)
    return [x.view(shape) for x, shape in zip(parts, shapes, strict=True)]
