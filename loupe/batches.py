"""Several texts run together, and the run of each cut out of what that computed.

Texts are padded on the right: there every token stands where it stands alone, whichever way the
model counts positions, and a mask hides the padding from those who read both ways. For a tokenizer
that pads on the left, so that a model can go on writing, this changes nothing: nothing is written
in a pass.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import overload

import torch
from jaxtyping import Int
from torch import Tensor, nn

from loupe.how import How
from loupe.kept import batches
from loupe.records import Record, changed
from loupe.run import Run
from model.config import Side
from model.files.json_fields import shorten
from model.foreign.recording.plan import StalePlanError

SHOWN = 6
"""Runs that the text of several shows."""
_OVER_KEYS = ("scores", "mask", "weights", "bias")


class Runs(Sequence[Run]):
    """The runs of several texts, in their order: `runs[0]["logits"]` is of the first.

    Runs that were computed together share their memory, until `run.cpu()` or a `clone()`.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...

    @overload
    def __getitem__(self, index: slice) -> "Runs": ...

    def __getitem__(self, index: int | slice) -> "Run | Runs":
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        lines = [f"{len(self)} runs" + (f", the first of {self[0].headline}" if self else "")]
        for i, run in enumerate(self._runs[:SHOWN]):
            lines.append(f"{i}: {shorten(' '.join(run.tokens.source or run.tokens.target))}")
        return "\n".join([*lines, "…"] if len(self) > SHOWN else lines)


def runs_of(
    model: nn.Module | None,
    lengths: Sequence[int],
    alone: Callable[[int], Run],
    together: Callable[[], Sequence[Run]],
    how: How,
) -> Runs:
    """Run several texts together where that gives what each gives alone, else each alone.

    The shortest text, which has most padding, is run alone as well when a model is first given
    several, or is to be checked.
    """
    everyone = range(len(lengths))
    is_apart = how.grad or how.edits.by_name
    if model is None or len(lengths) < 2 or is_apart or batches.get(model) is False:
        return Runs([alone(i) for i in everyone])
    try:
        runs = together()
    except (StalePlanError, ValueError):  # a model may refuse several, or those without padding
        return Runs([alone(i) for i in everyone])
    if how.check or (how.check is None and model not in batches):
        shortest = min(everyone, key=lengths.__getitem__)
        one = alone(shortest)
        is_same = _is_same(runs[shortest], one)
        if not is_same or lengths[shortest] < max(lengths):
            batches[model] = is_same
        if not is_same:
            return Runs([one if i == shortest else alone(i) for i in everyone])
    return Runs(runs)


def padded(rows: Sequence[Int[Tensor, "1 position"]], fill: int) -> Int[Tensor, "batch longest"]:
    """Return rows under each other, filled up on the right."""
    longest = max(row.size(1) for row in rows)
    filled = [nn.functional.pad(row, (0, longest - row.size(1)), value=fill) for row in rows]
    return torch.cat(filled)


def cut(record: Record, row: int, lengths: Mapping[Side, int], last: Side) -> Record:
    """Return what a record of several texts has of one of them.

    Args:
        record: Of texts that are padded on the right.
        row: Which of the texts.
        lengths: How many tokens it has on each side.
        last: The side whose stack gives the logits.
    """

    def of_one(name: str, x: Tensor) -> Tensor:
        module, _, part = name.rpartition(".")
        side: Side = "source" if name.startswith(("encoder.", "source_")) else "target"
        size = lengths[side if module else last]
        if part == "positions":
            return x[:size] if x.dim() == 2 else x[row, :size]
        x = x if x.size(0) == 1 else x[row : row + 1]
        keys = lengths["source" if module.endswith("cross_attn") else side]
        if part in _OVER_KEYS:
            x = x[..., :keys] if x.size(-1) > 1 else x
            return x[..., :size, :] if x.size(-2) > 1 else x
        return x[..., : keys if part in ("key", "value") else size, :]

    return changed(record, of_one)


def _is_same(run: Run, alone: Run) -> bool:
    """Return whether two runs have the same numbers, as far as rounding lets them."""
    if run.names() != alone.names():
        return False
    for name, expected in alone.items():
        found = run[name]
        if not expected.is_floating_point():
            if not (found == expected).all():
                return False
            continue
        most = torch.finfo(expected.dtype).eps ** 0.5 * expected.abs().max()
        if found.shape != expected.shape or ((found - expected).abs() > most).any():
            return False
    return True
