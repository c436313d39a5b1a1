"""Find what a stack's first layer reads as a sum: of tokens, of positions, of segments."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.recording.log import ModuleCall
from model.recording.plan import Plan, Tap
from model.recording.sums import Sum


@dataclass(frozen=True, eq=False)
class EmbeddingParts:
    """The modules whose outputs add up to what the first layer reads, before a norm if any."""

    tokens: ModuleCall
    factor: float
    """What the tokens' vectors are multiplied by."""
    positions: ModuleCall | None
    segments: ModuleCall | None

    def add_to(self, found: Plan, name: str, first: ModuleCall) -> None:
        """Add where they are."""
        found.leaves(self.tokens, Tap(f"{name}.tokens", factor=self.factor))
        if self.positions is not None:
            found.leaves(self.positions, Tap(f"{name}.positions", one_for_all=True))
        if self.segments is not None:
            found.leaves(self.segments, Tap(f"{name}.segments"))
        found.enters(first, Tap(f"{name}.output"))


def find_embedding(
    before: Sequence[ModuleCall], output: Tensor, ids: Tensor | None
) -> EmbeddingParts | None:
    """Find them among what ran before the first layer, which reads `output`; None if unproven."""
    if ids is None:
        return None
    tables = [call for call in before if isinstance(call.module, nn.Embedding)]
    tokens = next((call for call in tables if _reads(call, ids)), None)
    if tokens is None or tokens.output is None or tokens.output.shape != output.shape:
        return None
    others = [call for call in before if call is not tokens and _could_be_added(call, output)]
    sums = [output]
    sums += [call.input for call in before if call.is_norm and _gives(call, output)]
    for factor in (1.0, math.sqrt(output.size(-1))):
        for positions, segments in _choices(others):
            total = Sum.of(tokens.output * factor)
            for part in (positions, segments):
                if part is not None and part.output is not None:
                    total = total.plus(part.output)
            if any(total.is_(x) for x in sums):
                return EmbeddingParts(tokens, factor, positions, segments)
    return None


def _choices(
    others: Sequence[ModuleCall],
) -> Iterator[tuple[ModuleCall | None, ModuleCall | None]]:
    """Give each way to take positions and segments among what could be added."""
    positions = [call for call in others if _is_of_positions(call)]
    segments = [call for call in others if not _is_of_positions(call)]
    for position in (None, *positions):
        for segment in (None, *segments):
            yield position, segment


def _is_of_positions(call: ModuleCall) -> bool:
    """Tell positions, which differ from row to row and serve every sentence, from segments."""
    x = call.output
    if x is None or (x.dim() == 3 and not (x == x[:1]).all()):
        return False
    rows = x.flatten(0, -2) if x.dim() == 2 else x[0]
    return len(rows) == 1 or not bool((rows[1:] == rows[:-1]).all(dim=-1).any())


def _reads(call: ModuleCall, ids: Tensor) -> bool:
    x = call.input
    return x is not None and x.shape == ids.shape and torch.equal(x, ids)


def _could_be_added(call: ModuleCall, output: Tensor) -> bool:
    x = call.output
    if x is None or not x.is_floating_point() or x.dim() not in (2, 3) or call.is_norm:
        return False
    is_leaf = not any(call.module.children())
    return is_leaf and x.shape[-2:] == output.shape[-2:] and x.numel() <= output.numel()


def _gives(call: ModuleCall, output: Tensor) -> bool:
    return call.output is not None and torch.equal(call.output, output)
