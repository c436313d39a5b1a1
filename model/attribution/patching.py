"""Which part of a model carries the difference between two sentences: activation patching.

Two sources are answered differently. What one cell of the model computed for the one is put into
the run of the other, and the answer is measured again (Meng et al. 2022; Zhang and Nanda 2023, who
say why by a logit difference and with swapped words). All cells go through in a few batches.
"""

import difflib
import math
import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.cuts import sublayers
from model.config import TransformerConfig
from model.edits import NO_EDITS, Edit, Edits
from model.memory.chunks import Progress, chunks_of
from model.text.tokenizer import BOS_ID, EOS_ID
from model.traces import TransformerTrace, find_tensor, present, tensor_names
from model.training.evaluation import greedy_batch
from model.transformer import Transformer
from texts import say

What = Literal["state", "output", "z", "row"]
"""`state`: the residual stream at a stage. `output`: what a whole attention adds to it.

`z`: what one head found, before the output projection. `row`: where one head looks; its values stay
as they were.
"""

LEAST_DIFFERENCE = 1.0
"""Between the two logit differences: shares of less say nothing."""
_LONGEST = 64
_STAGE = re.compile(r"(source|target)_embedding\.output|\w+\.layers\.\d+\.(after_\w+|output)")


class PatchingError(ValueError):
    """Two sentences whose difference cannot be followed; says why."""


@dataclass(frozen=True)
class Cell:
    """One place in the model that is patched."""

    what: What
    name: str
    """Of the captured tensor."""
    head: int | None
    """None for all heads, or where there are none."""
    position: int | None
    """In the sentence that is patched, whose rows it has; None for all of its positions."""

    @property
    def is_source(self) -> bool:
        """Whether it has a position in the source, rather than in the target."""
        return self.name.startswith(("source_embedding", "encoder"))


@dataclass(frozen=True)
class Contest:
    """Two sources, and the first target token in which their answers differ.

    Of a model of one text the sources are two texts, and there is no prefix.
    """

    clean: tuple[int, ...]
    corrupt: tuple[int, ...]
    prefix: tuple[int, ...]
    """What both answers begin with; `<s>` at least."""
    answer: int
    """Follows the prefix where the source is the clean one."""
    other: int
    """Follows it where it is the corrupt one."""
    partners: tuple[int | None, ...]
    """For each position of the corrupt source, its partner in the clean one."""
    row: int = -1
    """Of the logits, that has the two answers."""


@dataclass(frozen=True, eq=False)
class Patching:
    """How much of the difference each cell brings back."""

    contest: Contest
    clean_difference: float
    """logit[answer] - logit[other] after the prefix, for the clean source."""
    corrupt_difference: float
    cells: tuple[Cell, ...]
    restored: Float[Tensor, " cell"]
    """0: nothing, 1: all of it; may leave that range. NaN where a cell has no partner."""

    def at(self, what: What, name: str, head: int | None, position: int | None) -> float:
        """Return the share of one cell. Raises KeyError where there is none."""
        return self.shares[Cell(what, name, head, position)]

    @cached_property
    def shares(self) -> Mapping[Cell, float]:
        """What is restored, by cell."""
        return dict(zip(self.cells, self.restored.tolist(), strict=True))


def partners(clean: Sequence[Hashable], corrupt: Sequence[Hashable]) -> tuple[int | None, ...]:
    """Pair the positions of the corrupt source with those of the clean one.

    Equal runs are paired, replaced runs in their order; what is left has no partner.
    """
    found: list[int | None] = [None] * len(corrupt)
    matcher = difflib.SequenceMatcher(None, list(clean), list(corrupt), autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag in ("equal", "replace"):
            for i in range(min(end - start, other_end - other_start)):
                found[other_start + i] = start + i
    return tuple(found)


def contest(
    model: Transformer,
    clean: Sequence[int],
    corrupt: Sequence[int],
    *,
    bos_id: int = BOS_ID,
    eos_id: int | None = EOS_ID,
) -> Contest:
    """Let the model answer both sources, greedily. Raises PatchingError where it says the same."""
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


def cells(config: TransformerConfig, source: int, target: int) -> tuple[Cell, ...]:
    """List every cell, for a corrupt source and a prefix of so many tokens.

    Each stage of the residual stream at each position; the output and the rows of each attention,
    and the z and the row of each of its heads, at each position and at all of them.
    """
    found: list[Cell] = []
    for name in stages(config):
        size = source if Cell("state", name, None, None).is_source else target
        found += [Cell("state", name, None, place) for place in range(size)]
    for attention in (part.sublayer for part in sublayers(config) if part.is_attention):
        places = (None, *range(source if attention.startswith("encoder") else target))
        found += [Cell("output", f"{attention}.output", None, place) for place in places]
        found += [Cell("row", f"{attention}.weights", None, place) for place in places]
        for head in range(config.n_heads):
            found += [Cell("z", f"{attention}.heads", head, place) for place in places]
            found += [Cell("row", f"{attention}.weights", head, place) for place in places]
    return tuple(found)


def stages(config: TransformerConfig) -> tuple[str, ...]:
    """Name the residual stream from the embeddings on, after each sublayer."""
    return tuple(name for name in tensor_names(config) if _STAGE.fullmatch(name))


def patch(
    model: Transformer,
    which: Contest,
    patched: Sequence[Cell] | None = None,
    progress: Progress | None = None,
) -> Patching:
    """Put each cell of the clean run into the corrupt one, each by itself: `patch_mean` of one."""
    patched = patched or cells(model.config, len(which.corrupt), len(which.prefix))
    return patch_mean(model, (which,), patched, progress)


@torch.inference_mode()
def patch_mean(
    model: Transformer,
    contests: Sequence[Contest],
    patched: Sequence[Cell],
    progress: Progress | None = None,
) -> Patching:
    """Put each cell of each clean run into the corrupt one of its pair, each by itself.

    restored = (LD(patched) - LD(corrupt)) / (LD(clean) - LD(corrupt)), LD = logit[answer] -
    logit[other] after the prefix, its mean over the pairs. Raises PatchingError where the two
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
    """Return what the encoder and what the decoder reads of one of the two texts."""
    both = (text, which.prefix) if model.config.has_encoder else ((), text)
    rows = [torch.tensor([ids], device=model.device).expand(copies, -1) for ids in both]
    source, target = (row if row.size(1) else None for row in rows)
    return source, target


def patch_edits(
    patched: Sequence[Cell], clean: TransformerTrace, pairs: Sequence[int | None]
) -> Edits:
    """Make the edits of a batch whose row i has cell i patched."""
    by_name: dict[str, list[tuple[int, Cell]]] = defaultdict(list)
    for row, cell in enumerate(patched):
        by_name[cell.name].append((row, cell))
    return Edits({name: _patched(found, clean, pairs) for name, found in by_name.items()})


def _patched(
    found: Sequence[tuple[int, Cell]], clean: TransformerTrace, pairs: Sequence[int | None]
) -> Edit:
    """Make one tensor's edit: its rows from the clean run, brought to the corrupt one's places."""
    name = found[0][1].name
    value = find_tensor(clean, name)[0]
    if found[0][1].is_source:
        value, present = _aligned(value, pairs, dim=-2)
    else:
        present = torch.ones(value.size(-2), dtype=torch.bool, device=value.device)
    if name.endswith(".weights") and ("encoder" in name or "cross_attn" in name):
        value = _renormalised(_aligned(value, pairs, dim=-1)[0])

    def edit(now: Tensor) -> Tensor:
        now = now.clone()
        for row, cell in found:
            own, new = now[row], value
            if cell.head is not None:
                own, new = own[cell.head], value[cell.head]
            places = present if cell.position is None else cell.position
            own[..., places, :] = new[..., places, :]
        return now

    return edit


def _aligned(value: Tensor, pairs: Sequence[int | None], dim: int) -> tuple[Tensor, Tensor]:
    """Bring positions of the clean source to their partners' places; 0 where there is none."""
    present = torch.tensor([pair is not None for pair in pairs], device=value.device)
    places = torch.tensor([pair or 0 for pair in pairs], device=value.device)
    shape = [1] * value.dim()
    shape[dim] = len(pairs)
    return value.index_select(dim, places) * present.view(shape), present


def _renormalised(weights: Tensor) -> Tensor:
    """Let rows sum to 1 again, that lost the weight of keys without a partner."""
    total = weights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, weights / total.clamp_min(1e-9), weights)


def lacks_partner(cell: Cell, pairs: Sequence[int | None]) -> bool:
    """Return whether the clean source has nothing to put into a cell."""
    return cell.is_source and cell.position is not None and pairs[cell.position] is None
