"""Runs several texts together, and cuts the run of each text out of the batch.

Texts are padded on the right. Each token then has the position that it has in its own run, however
the model counts positions, and a mask hides the padding from rows that read later tokens. This also
holds for tokenizers that pad on the left. They do so for generation, and a pass generates nothing.
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
"""The largest number of runs that the text of a sequence lists."""
_OVER_KEYS = ("scores", "mask", "weights", "bias")


class Runs(Sequence[Run]):
    """The runs of several texts, in their order: `runs[0]["logits"]` is of the first.

    Runs computed together share their memory until you call `run.cpu()` or `clone()`.
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
    """Run several texts together if this does not change their results, else one by one.

    As a check, the first call for a model, and each call with `check`, also runs the shortest text
    alone, because it has the most padding.
    """
    everyone = range(len(lengths))
    is_apart = how.grad or how.edits.by_name
    if model is None or len(lengths) < 2 or is_apart or batches.get(model) is False:
        return Runs([alone(i) for i in everyone])
    try:
        runs = together()
    except (StalePlanError, ValueError):  # a model may refuse a batch, or texts without padding
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
    """Stack rows of different lengths, padded on the right."""
    longest = max(row.size(1) for row in rows)
    filled = [nn.functional.pad(row, (0, longest - row.size(1)), value=fill) for row in rows]
    return torch.cat(filled)


def cut(record: Record, row: int, lengths: Mapping[Side, int], last: Side) -> Record:
    """Cut the record of one text out of the record of several.

    Args:
        record: The record of texts padded on the right.
        row: The index of the text.
        lengths: The number of its tokens on each side.
        last: The side whose stack returns the logits.
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
    """Return whether two runs have the same numbers up to rounding."""
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
