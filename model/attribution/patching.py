"""Activation patching: which part of a model carries the difference between two sentences.

A model answers two sources differently. The value of one cell on the first source is put into the
run of the second one, and the answer is measured again (Meng et al. 2022; Zhang and Nanda 2023, who
explain the use of a logit difference and of swapped words). A few batches cover all cells.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.patched_cells import Cell, What, cells, lacks_partner, patch_edits
from model.edits import NO_EDITS, Edits
from model.memory.chunks import Progress, chunks_of
from model.text.partners import partners
from model.text.tokenizer import BOS_ID, EOS_ID
from model.traces import present
from model.training.evaluation import greedy_batch
from model.transformer import Transformer
from texts import say

LEAST_DIFFERENCE = 1.0
"""The smallest usable distance of the two logit differences; below it, shares are meaningless."""
_LONGEST = 64


class PatchingError(ValueError):
    """Two sentences whose difference cannot be traced; the message has the reason."""


@dataclass(frozen=True)
class Contest:
    """Two sources, and the first target token in which their answers differ.

    For a model of one text, the sources are two texts, and there is no prefix.
    """

    clean: tuple[int, ...]
    corrupt: tuple[int, ...]
    prefix: tuple[int, ...]
    """The common beginning of both answers; at least `<s>`."""
    answer: int
    """The token after the prefix for the clean source."""
    other: int
    """The token after the prefix for the corrupt source."""
    partners: tuple[int | None, ...]
    """For each position of the corrupt source, its partner in the clean one."""
    row: int = -1
    """The row of the logits that has the two answers."""


@dataclass(frozen=True, eq=False)
class Patching:
    """The share of the difference that each cell restores."""

    contest: Contest
    clean_difference: float
    """logit[answer] - logit[other] after the prefix, for the clean source."""
    corrupt_difference: float
    cells: tuple[Cell, ...]
    restored: Float[Tensor, " cell"]
    """The share restored: 0 for nothing, 1 for all, possibly beyond; NaN without a partner."""

    def at(self, what: What, name: str, head: int | None, position: int | None) -> float:
        """Return the share of one cell. Raises KeyError if there is none."""
        return self.shares[Cell(what, name, head, position)]

    @cached_property
    def shares(self) -> Mapping[Cell, float]:
        """The share restored, by cell."""
        return dict(zip(self.cells, self.restored.tolist(), strict=True))


def contest(
    model: Transformer,
    clean: Sequence[int],
    corrupt: Sequence[int],
    *,
    bos_id: int = BOS_ID,
    eos_id: int | Collection[int] | None = EOS_ID,
) -> Contest:
    """Let the model answer both sources greedily. Raises PatchingError if the answers are equal."""
    device = model.device
    answers = [
        greedy_batch(
            model,
            torch.tensor([ids], device=device),
            max_length=_LONGEST,
            bos_id=bos_id,
            eos_id=eos_id,
        )[0]
        for ids in (clean, corrupt)
    ]
    for step, (answer, other) in enumerate(zip(*answers, strict=False)):
        if answer != other:
            prefix = (bos_id, *answers[0][:step])
            pairs = partners(clean, corrupt)
            return Contest(tuple(clean), tuple(corrupt), prefix, answer, other, pairs)
    raise PatchingError(say("mattered.same_answer"))


def patch(
    model: Transformer,
    which: Contest,
    patched: Sequence[Cell] | None = None,
    progress: Progress | None = None,
) -> Patching:
    """Put each cell of the clean run into the corrupt run, one at a time; see `patch_mean`."""
    patched = patched or cells(model.config, len(which.corrupt), len(which.prefix))
    return patch_mean(model, (which,), patched, progress)


@torch.inference_mode()
def patch_mean(
    model: Transformer,
    contests: Sequence[Contest],
    patched: Sequence[Cell],
    progress: Progress | None = None,
) -> Patching:
    """Put each cell of each clean run into the corrupt one of its pair, one at a time.

    restored = (LD(patched) - LD(corrupt)) / (LD(clean) - LD(corrupt)), where LD is the mean over
    the pairs of logit[answer] - logit[other] after the prefix. Raises PatchingError if the two
    differences are less than `LEAST_DIFFERENCE` apart.
    """
    apart = torch.tensor([differences(model, which) for which in contests], dtype=torch.float64)
    clean, before = apart.mean(dim=0).tolist()
    if abs(clean - before) < LEAST_DIFFERENCE:
        raise PatchingError(say("mattered.hardly_apart"))
    after = torch.tensor(
        [_patched_differences(model, which, patched, progress) for which in contests],
        dtype=torch.float64,
    ).mean(dim=0)
    lacks = [any(lacks_partner(cell, which.partners) for which in contests) for cell in patched]
    shares = ((after - before) / (clean - before)).masked_fill(torch.tensor(lacks), math.nan)
    return Patching(contests[0], clean, before, tuple(patched), shares.float())


@torch.inference_mode()
def differences(model: Transformer, which: Contest) -> tuple[float, float]:
    """Return logit[answer] - logit[other] after the prefix, for the two sources."""
    clean, corrupt = (_differences(model, ids, which)[0] for ids in (which.clean, which.corrupt))
    return clean, corrupt


def _patched_differences(
    model: Transformer, which: Contest, patched: Sequence[Cell], progress: Progress | None
) -> list[float]:
    """Return the logit difference of the corrupt run with each cell."""
    run = model(*_texts(model, which.clean, which))
    sizes = len(which.corrupt), len(which.prefix)
    found: list[float] = []
    for chunk in chunks_of(model.config, patched, *sizes, progress, predicted=1):
        edits = patch_edits(chunk, run, which.partners)
        found += _differences(model, which.corrupt, which, len(chunk), edits)
    return found


def _differences(
    model: Transformer,
    text: Sequence[int],
    which: Contest,
    copies: int = 1,
    edits: Edits = NO_EDITS,
) -> list[float]:
    """Return the logit difference of each copy; no other row's logits are computed."""
    source, target = _texts(model, text, which, copies)
    stack = memory = mask = None
    if source is not None:
        stack = model.encode(source, edits=edits).encoder
        memory, mask = stack.output, model.source_mask(source)
    if target is not None:
        stack = model.decode(target, memory, source_mask=mask, edits=edits)[1]
    last = model.generate(present(stack).output[:, [which.row]])[0][:, 0]
    return (last[:, which.answer] - last[:, which.other]).tolist()


def _texts(
    model: Transformer, text: Sequence[int], which: Contest, copies: int = 1
) -> tuple[Tensor | None, Tensor | None]:
    """Return the inputs of the encoder and of the decoder for one of the two texts."""
    both = (text, which.prefix) if model.config.has_encoder else ((), text)
    rows = [torch.tensor([ids], device=model.device).expand(copies, -1) for ids in both]
    source, target = (row if row.size(1) else None for row in rows)
    return source, target
