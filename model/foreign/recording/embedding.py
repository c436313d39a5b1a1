"""Finds the sum that a stack's first layer reads: of tokens, of positions, of segments."""

import itertools
import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from model.foreign.recording.log import Log, ModuleCall
from model.foreign.recording.plan import APART, Equation, Plan, Tap
from model.foreign.recording.sums import Sum
from model.positions import formula_of


def add_embedding(
    found: Plan,
    name: str,
    log: Log,
    before: Sequence[ModuleCall],
    first: ModuleCall,
    ids: Tensor,
    *,
    turned: bool,
) -> None:
    """Add the modules that ran before the first layer and whose outputs add up to its input.

    A norm may come between. Positions may also be a table of the model, or a formula. Parts that
    are not proven are left out.
    """
    if first.input is None:
        return
    output, *normed = (
        x.transpose(0, 1) if turned else x
        for x in (first.input, *(c.input for c in before if c.is_norm and _gives(c, first.input)))
        if x is not None
    )
    factors = (1.0, math.sqrt(output.size(-1)))
    for (tokens, vectors), factor in itertools.product(_tokens(before, ids, output), factors):
        x = vectors * factor
        parts = [call for call in before if call is not tokens and _could_be_added(call, output)]
        for positions, segments in _choices(parts, tables_of(log.root, output)):
            total = Sum.of(x)
            for part in (positions, segments):
                rows = part.output if isinstance(part, ModuleCall) else part
                total = total if rows is None else total.plus(rows[..., : output.size(1), :])
            if any(total.is_(each) for each in (output, *normed)):
                break
        else:
            kind = formula_of((output - x)[0])
            if kind is None:
                continue
            positions, segments, total = None, None, Sum.of(x)
            found.positions[name] = kind
        found.leaves(
            tokens, Tap(f"{name}.tokens", factor=factor, turned=vectors is not tokens.output)
        )
        terms = [f"{name}.tokens"]
        if isinstance(positions, ModuleCall):
            terms.append(f"{name}.positions")
            found.leaves(positions, Tap(f"{name}.positions", one_for_all=True))
        elif positions is not None:
            found.positions[name] = positions
        if segments is not None:
            terms.append(f"{name}.segments")
            found.leaves(segments, Tap(f"{name}.segments"))
        found.enters(first, Tap(f"{name}.output", turned=turned))
        if found.positions.get(name, "none") == "none" and total.is_(output):
            found.sums.append(Equation(tuple(terms), f"{name}.output"))
        elif isinstance(found.positions.get(name, "none"), str):
            _add_normed_sum(found, name, tuple(terms), total, before, turned=turned)
        return


def _add_normed_sum(
    found: Plan,
    name: str,
    terms: tuple[str, ...],
    total: Sum,
    before: Sequence[ModuleCall],
    *,
    turned: bool,
) -> None:
    """Add the norm that reads a sum, if there is one."""
    for call in before:
        x = call.input.transpose(0, 1) if turned and call.input is not None else call.input
        if call.is_norm and total.is_(x):
            found.enters(call, Tap(f"{APART}{name}.output", turned=turned))
            found.sums.append(Equation(terms, f"{APART}{name}.output"))
            return


def tables_of(module: nn.Module, like: Tensor) -> Iterator[Tensor]:
    """Yield the module's tables whose rows could be added to vectors like these."""
    for tensor in (*module.parameters(), *module.buffers()):
        flat = tensor.detach().squeeze()
        if flat.dim() == 2 and flat.size(1) == like.size(-1) and len(flat) >= like.size(-2):
            yield flat


def _tokens(
    before: Sequence[ModuleCall], ids: Tensor, output: Tensor
) -> Iterator[tuple[ModuleCall, Tensor]]:
    """Yield the modules that embed the ids, with their vectors in the order of the ids.

    Those that return their own rows for the ids come first, because a module of positions may read
    ids only to count them.
    """
    for call in sorted(before, key=lambda call: not _looks_up(call)):
        x = call.output
        if not isinstance(call.module, nn.Embedding) or call.input is None or x is None:
            continue
        if _equal(call.input, ids) and x.shape == output.shape:
            yield call, x
        elif _equal(call.input, ids.T) and x.transpose(0, 1).shape == output.shape:
            yield call, x.transpose(0, 1)


def _looks_up(call: ModuleCall) -> bool:
    """Return whether a module returns its rows for the ids that it read, or a multiple of them."""
    table, x, y = getattr(call.module, "weight", None), call.input, call.output
    if not isinstance(call.module, nn.Embedding) or table is None or x is None or y is None:
        return False
    if x.is_floating_point() or y.shape[:-1] != x.shape or x.max() >= len(table):
        return False
    rows = table.detach()[x]
    return bool(torch.allclose(rows * (y.norm() / rows.norm()), y, atol=1e-5))


def _choices(
    parts: Sequence[ModuleCall], tables: Iterator[Tensor]
) -> Iterator[tuple[ModuleCall | Tensor | None, ModuleCall | None]]:
    """Yield each choice of positions and segments among the terms of a possible sum."""
    positions = [call for call in parts if _is_of_positions(call)]
    segments = [call for call in parts if not _is_of_positions(call)]
    yield from itertools.product((None, *positions), (None, *segments))
    yield from itertools.product(tables, (None, *segments))


def _is_of_positions(call: ModuleCall) -> bool:
    """Distinguish positions from segments, such as the two texts that BERT reads.

    Rows of positions differ. Those of padding are equal, at either end of a text; if fewer than
    three others are left, the name of the module decides.
    """
    x = call.output
    if x is None:
        return False
    own = call.path.rpartition(".")[2].lower()
    rows = x.flatten(0, -2) if x.dim() == 2 else x[0]
    repeats = (rows[1:] == rows[:-1]).all(dim=-1)
    if not repeats.any():
        return x.dim() == 2 or bool((x == x[:1]).all()) or "type" not in own
    counted = _counted(call, repeats)
    if counted is not None and len(counted) >= _TELLING:
        return bool((counted.diff() == 1).all())
    return "pos" in own or own == "wpe"


_TELLING = 3
"""The number of consecutive positions that cannot be mistaken for two segments."""


def _counted(call: ModuleCall, repeats: Tensor) -> Tensor | None:
    """Return the ids with which a table was read, without repeated ones at either end."""
    read = call.input
    if not isinstance(call.module, nn.Embedding) or read is None or read.is_floating_point():
        return None
    ids = read[0] if read.dim() > 1 else read
    if len(ids) != len(repeats) + 1:
        return None
    different = (~repeats).nonzero().flatten().tolist()
    if not different or not torch.equal(ids[1:] == ids[:-1], repeats):
        return None
    first = different[0] + 1 if different[0] else 0
    last = different[-1] + 1
    return ids[first : last if last < len(repeats) else last + 1]


def _could_be_added(call: ModuleCall, output: Tensor) -> bool:
    x = call.output
    if x is None or not x.is_floating_point() or x.dim() not in (2, 3) or call.is_norm:
        return False
    is_leaf = not any(call.module.children())
    return is_leaf and x.shape[-2:] == output.shape[-2:] and x.numel() <= output.numel()


def _gives(call: ModuleCall, output: Tensor) -> bool:
    return call.output is not None and torch.equal(call.output, output)


def _equal(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.equal(a, b)
