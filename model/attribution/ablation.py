"""Ablation: the loss of a model without one of its parts, on one sentence and on many."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from model.attribution.cuts import Means, cut_edits
from model.attribution.sublayers import Cut, How
from model.edits import NO_EDITS, Edits
from model.memory.chunks import Progress, chunks_of
from model.text.corpus import Example, pad
from model.text.tokenizer import BOS_ID, EOS_ID
from model.traces import present
from model.training.evaluation import greedy_batch
from model.transformer import Transformer

_LONGEST = 64
"""The largest number of tokens that a cut model writes."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The cost of a forced target under each of several cuts."""

    losses: Float[Tensor, " cut"]
    """The mean negative log-probability, in nats, of a forced token given the correct prefix."""
    best: Int[Tensor, "cut target"]
    """The most probable token of each row. Greedy decoding writes the same tokens up to the first
    one that differs from the target."""


@torch.inference_mode()
def forced_logits(
    model: Transformer,
    source: Int[Tensor, "batch source"] | None,
    target: Int[Tensor, "batch target"] | None,
    edits: Edits = NO_EDITS,
) -> Float[Tensor, "batch position vocab"]:
    """Return the rows that predict the next token at each target position, without reading it.

    This takes one pass, or one for each row if there is no causal mask or if edits let a row read
    later ones. A model without a decoder, whose target is None, predicts each source token at its
    own position, which it has read. Raises LookupError if the model predicts nothing.
    """
    config = model.config
    if target is None or (config.causal_mask and not edits.need_all_rows):
        return present(model(source, target, edits=edits).logits)
    ends = range(1, target.size(1) + 1)
    rows = [present(model(source, target[:, :end], edits=edits).logits)[:, -1] for end in ends]
    return torch.stack(rows, dim=1)


def sweep(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    progress: Progress | None = None,
    base: Edits = NO_EDITS,
    hidden: Mapping[int, int] | None = None,
) -> Sweep:
    """Force one target, which begins with `<s>`, under each cut in turn.

    A decoder-only model reads its text as the target, and has no source. An encoder-only model has
    no target. Its source is forced instead, each token at its place; if words are `hidden` from it,
    only these are, each given by its place and the expected token.
    """
    device = model.device
    config = model.config
    read = torch.tensor([source], device=device) if config.has_encoder else None
    written = torch.tensor([target], device=device) if config.has_decoder else None
    expected = present(read).clone() if written is None else written[:, 1:]
    rows = list(hidden or range(expected.size(1)))
    if hidden:
        expected[:, rows] = torch.tensor([*hidden.values()], device=device)
    losses, best = [], []
    for chunk in chunks_of(config, cuts, len(source), len(target), progress):
        edits = cut_edits(config, chunk, how, means, base)
        texts = (
            (None if read is None else read.expand(len(chunk), -1)),
            (None if written is None else written[:, :-1].expand(len(chunk), -1)),
        )
        logits = forced_logits(model, *texts, edits)
        each = _losses(logits, expected.expand(len(chunk), -1))
        losses.append(each[:, rows].mean(dim=1))
        best.append(logits.argmax(dim=-1))
    return Sweep(torch.cat(losses).cpu(), torch.cat(best).cpu())


@torch.inference_mode()
def rewrite(
    model: Transformer,
    source: Sequence[int],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    *,
    max_length: int = _LONGEST,
    base: Edits = NO_EDITS,
    bos_id: int = BOS_ID,
    eos_id: int | Collection[int] | None = EOS_ID,
) -> list[tuple[int, ...]]:
    """Decode greedily under each cut of parts; return the ids after the first."""
    device = model.device
    written: list[tuple[int, ...]] = []
    for chunk in chunks_of(model.config, cuts, len(source), len(source)):
        sources = torch.tensor([source], device=device).expand(len(chunk), -1)
        edits = cut_edits(model.config, chunk, how, means, base)
        written += greedy_batch(
            model, sources, max_length=max_length, edits=edits, bos_id=bos_id, eos_id=eos_id
        )
    return written


@dataclass(frozen=True, eq=False)
class GroupSweep:
    """The cost of cuts in each of several sentences."""

    losses: Float[Tensor, "cut sentence"]
    """The total negative log-probability of the target tokens, in nats, each given the correct ones
    before it."""
    right: Bool[Tensor, "cut sentence"]
    """Whether greedy decoding writes the target to its last token."""


@torch.inference_mode()
def group_sweep(
    model: Transformer,
    group: Sequence[Example],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
) -> GroupSweep:
    """Score each cut on each of some sentences, whose lengths are equal.

    With a causal mask, greedy decoding is right to the end if the best token of each forced row is
    that of the target. Without a causal mask, the sentences are decoded.
    """
    device = model.device
    source, target = (pad([getattr(e, side) for e in group]) for side in ("source", "target"))
    losses, right = list[Tensor](), list[Tensor]()
    for chunk in chunks_of(
        model.config, cuts, source.size(1), target.size(1), sentences=len(group)
    ):
        rows = [cut for cut in chunk for _ in group]
        edits = cut_edits(model.config, rows, how, means)
        sources, targets = (x.to(device).repeat(len(chunk), 1) for x in (source, target))
        logits = forced_logits(model, sources, targets[:, :-1], edits)
        losses.append(_losses(logits, targets[:, 1:]).sum(dim=1).view(len(chunk), -1).cpu())
        exact = _are_right(model, sources, targets, logits, edits)
        right.append(exact.view(len(chunk), -1).cpu())
    return GroupSweep(torch.cat(losses), torch.cat(right))


def _are_right(
    model: Transformer, source: Tensor, target: Tensor, logits: Tensor, edits: Edits
) -> Tensor:
    if model.config.causal_mask:
        return (logits.argmax(dim=-1) == target[:, 1:]).all(dim=1)
    written = greedy_batch(model, source, max_length=_LONGEST, edits=edits)
    rows = zip(written, target[:, 1:].tolist(), strict=True)
    return torch.tensor([ids == tuple(right) for ids, right in rows])


def _losses(
    logits: Float[Tensor, "batch target target_vocab"], target: Int[Tensor, "batch target"]
) -> Float[Tensor, "batch target"]:
    return functional.cross_entropy(logits.transpose(1, 2), target, reduction="none")
