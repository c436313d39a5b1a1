"""How well a model predicts the tokens of sentences of one length, as it is and without a head."""

import random
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor
from torch.nn import functional

from model.attribution.ablation import forced_logits, group_sweep
from model.attribution.cuts import Part
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.huggingface import Opened
from model.text.corpus import Example
from model.traces import TransformerTrace
from model.transformer import Transformer
from viz.corpus.measure_rows import Columns
from viz.corpus.tables import HeadName
from viz.run.record import KINDS, attention_name

MASKED = 0.15
"""Share of the words that are hidden from a model which guesses them, as BERT was trained."""
_SEED = 1
"""Of the places that are hidden."""


def outcomes(
    opened: Opened,
    trace: TransformerTrace,
    source: Int[Tensor, "batch source"] | None,
    target: Int[Tensor, "batch target"] | None,
    numbers: Integer[np.ndarray, " batch"],
) -> Columns:
    """Return the loss of each sentence, and whether the model is right in all that it predicts.

    A model that writes predicts each token from those before it. One that reads both ways predicts
    words that are hidden from it in a second pass; one without logits predicts nothing.

    Args:
        opened: The model.
        trace: Of its pass over these sentences.
        source: What the encoder reads.
        target: With the token that each row of the decoder is to predict.
        numbers: Of the sentences: which words are hidden depends on them.
    """
    config, logits = opened.info.config, trace.logits
    if logits is None:
        return _nothing(len(numbers))
    if target is not None:
        if not config.has_encoder:
            is_fair = config.causal_mask or not isinstance(opened, Checkpoint)
            before = logits if is_fair else forced_logits(opened.model, None, target)
            logits = before[:, :-1]
        return _score(logits, target[:, 1:])
    assert source is not None
    mask = opened.info.tokenizers.source.specials.mask
    if mask is None:
        return _nothing(len(numbers))
    hidden = hidden_places(source, opened.info.tokenizers.source.specials.all, numbers)
    guessed = opened.model(source.masked_fill(hidden, mask), None).logits
    return _score(guessed, source, hidden)


def hidden_places(
    source: Int[Tensor, "batch source"],
    special: frozenset[int],
    numbers: Integer[np.ndarray, " batch"],
) -> Bool[Tensor, "batch source"]:
    """Choose the words of each sentence that are hidden: always the same ones, at least one."""
    hidden = np.zeros(source.shape, bool)
    for row, (ids, number) in enumerate(zip(source.tolist(), numbers.tolist(), strict=True)):
        words = [place for place, token in enumerate(ids) if token not in special]
        count = min(len(words), max(1, round(MASKED * len(words))))
        hidden[row, random.Random(f"{_SEED} {number}").sample(words, count)] = True
    return torch.from_numpy(hidden).to(source.device)


def of_cuts(
    model: Transformer,
    examples: Sequence[Example],
    heads: Sequence[HeadName],
    numbers: Integer[np.ndarray, " batch"],
) -> Columns:
    """Return how well the model writes what it is to write without each head in turn."""
    cuts = [
        (Part(attention_name(kind, layer).removesuffix(".weights"), head),)
        for kind, layer, head in heads
    ]
    found = group_sweep(model, examples, cuts)
    tokens, count = len(examples[0].target) - 1, len(numbers)
    return {
        "sentence": np.tile(numbers, len(heads)),
        "kind": np.repeat([KINDS.index(head.kind) for head in heads], count),
        "layer": np.repeat([head.layer for head in heads], count),
        "head": np.repeat([head.head for head in heads], count),
        "loss": (found.losses / tokens).numpy().ravel(),
        "right": found.right.numpy().ravel(),
    }


def _score(
    logits: Float[Tensor, "batch row vocab"],
    expected: Int[Tensor, "batch row"],
    counted: Bool[Tensor, "batch row"] | None = None,
) -> Columns:
    """Compare rows with what each should predict: all of them, or those that count."""
    counted = torch.ones_like(expected, dtype=torch.bool) if counted is None else counted
    flat = functional.cross_entropy(
        logits.flatten(0, 1).float(), expected.flatten(), reduction="none"
    )
    losses = flat.view(expected.shape).masked_fill(~counted, 0)
    hits = (logits.argmax(dim=-1) == expected) | ~counted
    return {
        "loss": (losses.sum(dim=-1) / counted.sum(dim=-1)).cpu().numpy(),
        "right": (hits.all(dim=-1) & counted.any(dim=-1)).cpu().numpy(),
    }


def _nothing(count: int) -> Columns:
    return {"loss": np.full(count, np.nan), "right": np.zeros(count, bool)}
