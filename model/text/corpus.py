"""Parallel text as ids: examples, and the batches for training."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from model.text.tokenizer import PAD_ID, Encoding, Tokenizers

CHUNK = 50
"""The number of batches sorted by length together, so that lengths in a batch are almost equal."""


@dataclass(frozen=True)
class Example:
    """One sentence pair as ids, with their special tokens."""

    source: tuple[int, ...]
    """The source's ids, which end with </s>."""
    target: tuple[int, ...]
    """The target's ids, which begin with <s> and end with </s>."""
    alignment: frozenset[tuple[int, int]] = frozenset()
    """The gold alignment, as pairs (index into source, index into target)."""
    scored: frozenset[int] = frozenset()
    """Indices into the target of its content words, if the task marks them."""
    construction: str | None = None
    """The kind of sentence, if scores are split by kind."""

    @property
    def predicted(self) -> tuple[int, ...]:
        """The number of ids that a model learns to predict."""
        return self.target[1:]


class Batch(NamedTuple):
    """Sentence pairs padded to the longest."""

    source: Int[Tensor, "batch source"]
    target: Int[Tensor, "batch target"]

    @property
    def inputs(self) -> tuple[Int[Tensor, "batch source"], Int[Tensor, "batch row"]]:
        """The inputs of the encoder and of the decoder."""
        return self.source, self.target[:, :-1]

    @property
    def predicted(self) -> Int[Tensor, "batch row"]:
        """The ids that the rows of the decoder should predict."""
        return self.target[:, 1:]


def make_example(
    tokenizers: Tokenizers,
    source: str,
    target: str,
    alignment: frozenset[tuple[int, int]] = frozenset(),
    scored_words: frozenset[str] = frozenset(),
    construction: str | None = None,
) -> Example:
    """Encode a pair; turn an alignment of words or characters into one of tokens."""
    source_code = tokenizers.encode_source(source, typed=False)
    target_code = tokenizers.encode_target(target, typed=False)
    source_tokens, target_tokens = _tokens_of_units(source_code), _tokens_of_units(target_code)
    return Example(
        source=source_code.ids,
        target=target_code.ids,
        alignment=frozenset(
            (i, j)
            for source_unit, target_unit in alignment
            for i in source_tokens.get(source_unit, ())
            for j in target_tokens.get(target_unit, ())
        ),
        scored=frozenset(j for j, t in enumerate(target_code.tokens) if t in scored_words),
        construction=construction,
    )


def pad(sequences: Sequence[Sequence[int]]) -> Int[Tensor, "batch position"]:
    """Stack sequences of ids, the shorter ones padded at their end."""
    longest = max(len(s) for s in sequences)
    return torch.tensor([[*s, *[PAD_ID] * (longest - len(s))] for s in sequences])


class Order:
    """Chooses the examples of each batch, as a pure function of seed and step.

    Each epoch shuffles the examples, sorts them by length in chunks, and shuffles the batches. A
    training resumed at any step therefore sees the same batches.
    """

    def __init__(self, lengths: Sequence[tuple[int, ...]], *, batch_size: int, seed: int) -> None:
        if not lengths:
            raise ValueError("the corpus is empty: training needs at least one example")
        self.batch_size = min(batch_size, len(lengths))
        self.seed = seed
        self.per_epoch = -(-len(lengths) // self.batch_size)
        self._lengths = lengths
        self._epoch = -1
        self._batches: list[list[int]] = []

    def __getitem__(self, step: int) -> list[int]:
        """Return the indices of the examples of a training step, counted from 0."""
        epoch, index = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._shuffled(epoch)
        return self._batches[index]

    def _shuffled(self, epoch: int) -> list[list[int]]:
        rng = random.Random(f"{self.seed} {epoch}")
        order = list(range(len(self._lengths)))
        rng.shuffle(order)
        chunk = CHUNK * self.batch_size
        batches: list[list[int]] = []
        for start in range(0, len(order), chunk):
            by_length = sorted(order[start : start + chunk], key=self._lengths.__getitem__)
            batches += [
                by_length[i : i + self.batch_size]
                for i in range(0, len(by_length), self.batch_size)
            ]
        rng.shuffle(batches)
        return batches


class Batches:
    """Endless batches of pairs of similar lengths: a pure function of seed and step."""

    def __init__(self, examples: Sequence[Example], *, batch_size: int, seed: int) -> None:
        lengths = [(len(example.target), len(example.source)) for example in examples]
        self.examples = examples
        self._order = Order(lengths, batch_size=batch_size, seed=seed)

    @property
    def per_epoch(self) -> int:
        """Return the number of batches in an epoch."""
        return self._order.per_epoch

    def __getitem__(self, step: int) -> Batch:
        """Return the batch of a training step, counted from 0."""
        chosen = [self.examples[i] for i in self._order[step]]
        return Batch(pad([e.source for e in chosen]), pad([e.target for e in chosen]))


def _tokens_of_units(code: Encoding) -> dict[int, list[int]]:
    """Return, for each word (or character) of the text, the indices of its tokens."""
    found: dict[int, list[int]] = {}
    for index, unit in enumerate(code.units):
        if unit is not None:
            found.setdefault(unit, []).append(index)
    return found
