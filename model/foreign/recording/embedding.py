"""Find what a stack's first layer reads as a sum: of tokens, of positions, of segments."""

import itertools
import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from model.foreign.recording.log import ModuleCall
from model.foreign.recording.plan import Plan, Tap
from model.foreign.recording.sums import Sum


def add_embedding(
    found: Plan, name: str, before: Sequence[ModuleCall], first: ModuleCall, ids: Tensor | None
) -> None:
    """Add the modules that ran before the first layer and whose outputs add up to what it reads.

    A norm may stand between. What is not proven is left out.
    """
    output = first.input
    tables = [call for call in before if isinstance(call.module, nn.Embedding)]
    tokens = next((call for call in tables if ids is not None and _reads(call, ids)), None)
    if output is None or tokens is None or tokens.output is None:
        return
    if tokens.output.shape != output.shape:
        return
    others = [call for call in before if call is not tokens and _could_be_added(call, output)]
    sums = [output]
    sums += [call.input for call in before if call.is_norm and _gives(call, output)]
    factors = (1.0, math.sqrt(output.size(-1)))
    for factor, (positions, segments) in itertools.product(factors, _choices(others)):
        total = Sum.of(tokens.output * factor)
        for part in (positions, segments):
            if part is not None and part.output is not None:
                total = total.plus(part.output)
        if not any(total.is_(x) for x in sums):
            continue
        found.leaves(tokens, Tap(f"{name}.tokens", factor=factor))
        if positions is not None:
            found.leaves(positions, Tap(f"{name}.positions", one_for_all=True))
        if segments is not None:
            found.leaves(segments, Tap(f"{name}.segments"))
        found.enters(first, Tap(f"{name}.output"))
        return


def _choices(
    others: Sequence[ModuleCall],
) -> Iterator[tuple[ModuleCall | None, ModuleCall | None]]:
    """Yield each way to take positions and segments among what could be added."""
    positions = [call for call in others if _is_of_positions(call)]
    segments = [call for call in others if not _is_of_positions(call)]
    for position in (None, *positions):
        for segment in (None, *segments):
            yield position, segment


def _is_of_positions(call: ModuleCall) -> bool:
    """Distinguish positions, which differ by row and serve every sentence, from segments."""
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
