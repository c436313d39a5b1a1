"""Measures how well a model predicts sentences of one length, unchanged and without each head."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor
from torch.nn import functional

from model.attribution.ablation import forced_logits, group_sweep
from model.attribution.cuts import cut_edits
from model.attribution.sublayers import Cut, Part
from model.checkpoints.metadata import CheckpointInfo
from model.memory.chunks import chunks_of
from model.text.corpus import Example
from model.text.text_corpus import MASKED_SHARE
from model.traces import TransformerTrace, present
from model.transformer import Transformer
from viz.corpus.measure_rows import Columns
from viz.corpus.tables import HeadName
from viz.run.axes import KINDS, attention_name

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

_SEED = 1
"""Seed of the hidden places."""


class Asked(NamedTuple):
    """The input of a model for sentences of one length, and the tokens that it should predict."""

    source: Int[Tensor, "batch source"] | None
    """The source, with the words hidden that the model should predict."""
    target: Int[Tensor, "batch row"] | None
    expected: Int[Tensor, "batch row"]
    counted: Bool[Tensor, "batch row"]
    """True for the rows that should predict a token."""


def asked_of(
    info: CheckpointInfo,
    source: Int[Tensor, "batch source"] | None,
    target: Int[Tensor, "batch target"] | None,
    numbers: Integer[np.ndarray, " batch"],
) -> Asked | None:
    """Return the tokens to predict; None for a bidirectional model without a mask token.

    A model that writes predicts each token from those before it; a bidirectional one predicts the
    words that are hidden from it.

    Args:
        info: The description of the model.
        source: The input of the encoder.
        target: The target, including the token that the last row should predict.
        numbers: The numbers of the sentences, on which the choice of hidden words depends.
    """
    if target is not None:
        expected = target[:, 1:]
        every = torch.ones_like(expected, dtype=torch.bool)
        return Asked(source, target[:, :-1], expected, every)
    known = info.tokenizers.source.specials
    if source is None or known.mask is None:
        return None
    hidden = hidden_places(source, known.all, numbers)
    return Asked(source.masked_fill(hidden, known.mask), None, source, hidden)


def outcomes(opened: "Opened", trace: TransformerTrace, asked: Asked | None) -> Columns:
    """Return the loss of each sentence, and whether all its predictions are right.

    Args:
        opened: The model.
        trace: The trace of these sentences, without hidden words.
        asked: The tokens to predict.
    """
    if trace.logits is None or asked is None:
        count = len((trace.decoder or present(trace.encoder)).output)
        return {"loss": np.full(count, np.nan), "right": np.zeros(count, bool)}
    model, logits = opened.model, trace.logits
    if asked.target is None:
        logits = present(model(asked.source, None).logits)
    elif isinstance(model, Transformer) and asked.source is None and not model.config.causal_mask:
        logits = forced_logits(model, None, asked.target)
    return _score(logits[:, : asked.expected.size(1)], asked)


def hidden_places(
    source: Int[Tensor, "batch source"],
    special: frozenset[int],
    numbers: Integer[np.ndarray, " batch"],
) -> Bool[Tensor, "batch source"]:
    """Choose the hidden words of each sentence: always the same ones, and at least one."""
    hidden = np.zeros(source.shape, bool)
    for row, (ids, number) in enumerate(zip(source.tolist(), numbers.tolist(), strict=True)):
        words = [place for place, token in enumerate(ids) if token not in special]
        count = min(len(words), max(1, round(MASKED_SHARE * len(words))))
        hidden[row, random.Random(f"{_SEED} {number}").sample(words, count)] = True
    return torch.from_numpy(hidden).to(source.device)


def of_cuts(
    model: Transformer,
    examples: Sequence[Example],
    asked: Asked,
    heads: Sequence[HeadName],
    numbers: Integer[np.ndarray, " batch"],
) -> Columns:
    """Return the losses of the sentences, and whether they are right, without each head in turn."""
    cuts = [
        (Part(attention_name(kind, layer).removesuffix(".weights"), head),)
        for kind, layer, head in heads
    ]
    if model.config.has_cross_attention:
        found = group_sweep(model, examples, cuts)
        losses, right = found.losses / asked.expected.size(1), found.right
        scored = {"loss": losses.numpy().ravel(), "right": right.numpy().ravel()}
    else:
        scored = _sweep_texts(model, asked, cuts)
    count = len(numbers)
    return {
        "sentence": np.tile(numbers, len(heads)),
        "kind": np.repeat([KINDS.index(head.kind) for head in heads], count),
        "layer": np.repeat([head.layer for head in heads], count),
        "head": np.repeat([head.head for head in heads], count),
        **scored,
    }


def _sweep_texts(model: Transformer, asked: Asked, cuts: Sequence[Cut]) -> Columns:
    """Predict under each cut in turn, for all sentences at once, in a model of one text."""
    count, length = asked.expected.shape
    found = []
    for chunk in chunks_of(model.config, cuts, length, length, sentences=count):
        edits = cut_edits(model.config, [cut for cut in chunk for _ in range(count)])
        source, target, expected, counted = (
            None if x is None else x.repeat(len(chunk), 1) for x in asked
        )
        logits = forced_logits(model, source, target, edits)
        found.append(_score(logits, Asked(source, target, present(expected), present(counted))))
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def _score(logits: Float[Tensor, "batch row vocab"], asked: Asked) -> Columns:
    """Compare the counted rows with the tokens that they should predict."""
    expected, counted = asked.expected, asked.counted
    flat = functional.cross_entropy(
        logits.flatten(0, 1).float(), expected.flatten(), reduction="none"
    )
    losses = flat.view(expected.shape).masked_fill(~counted, 0)
    hits = (logits.argmax(dim=-1) == expected) | ~counted
    return {
        "loss": (losses.sum(dim=-1) / counted.sum(dim=-1)).cpu().numpy(),
        "right": (hits.all(dim=-1) & counted.any(dim=-1)).cpu().numpy(),
    }
