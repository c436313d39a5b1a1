"""A few sentences of different lengths, padded into one batch, with what the model writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import torch
from jaxtyping import Int
from torch import Tensor

from model.checkpoint import Checkpoint
from model.config import TransformerConfig
from model.decoding import greedy
from model.tokenizer import BOS_ID, PAD_ID, Tokenizers
from viz.run.record import AttentionKind

MIN_SENTENCES, MAX_SENTENCES = 2, 4
MAX_SOURCE_TOKENS = 60
MAX_WRITTEN_TOKENS = 64


@dataclass(frozen=True, eq=False)
class LabBatch:
    """A few sentences, `<pad>` after the shorter ones, with what the model wrote for each alone."""

    tokenizers: Tokenizers
    source: Int[Tensor, "batch source"]
    target: Int[Tensor, "batch target"]
    """What the decoder reads: `<s>` and all that was written but the last token."""
    written: Int[Tensor, "batch target"]
    """What was written: row t of the logits predicts its token t."""
    source_lengths: tuple[int, ...]
    """Tokens before the padding."""
    target_lengths: tuple[int, ...]

    @property
    def source_tokens(self) -> tuple[tuple[str, ...], ...]:
        """Name the source ids of each sentence, padding too."""
        return tuple(map(self.tokenizers.source.tokens, self.source.tolist()))

    @property
    def target_tokens(self) -> tuple[tuple[str, ...], ...]:
        """Name what the decoder reads."""
        return tuple(map(self.tokenizers.target.tokens, self.target.tolist()))

    @property
    def written_tokens(self) -> tuple[tuple[str, ...], ...]:
        """Name what was written."""
        return tuple(map(self.tokenizers.target.tokens, self.written.tolist()))

    def queries(self, kind: AttentionKind) -> Int[Tensor, "batch query"]:
        """Give the ids that name the rows; decoder rows are named after the token they write."""
        return self.source if kind == "encoder self-attention" else self.written

    def keys(self, kind: AttentionKind) -> Int[Tensor, "batch key"]:
        """Give the ids that are read."""
        return self.target if kind == "decoder self-attention" else self.source

    def labels(self, kind: AttentionKind, sentence: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the rows and the columns of one sentence's map."""
        rows = self.source_tokens if kind == "encoder self-attention" else self.written_tokens
        columns = self.target_tokens if kind == "decoder self-attention" else self.source_tokens
        return rows[sentence], columns[sentence]

    def alone(self, sentence: int) -> "LabBatch":
        """Take out one sentence, without its padding."""
        one = slice(sentence, sentence + 1)
        source, target = self.source_lengths[sentence], self.target_lengths[sentence]
        return LabBatch(
            tokenizers=self.tokenizers,
            source=self.source[one, :source],
            target=self.target[one, :target],
            written=self.written[one, :target],
            source_lengths=(source,),
            target_lengths=(target,),
        )


def make_batch(
    checkpoint: Checkpoint,
    texts: Sequence[str],
    *,
    limit: int = MAX_SOURCE_TOKENS,
    device: str = "cpu",
) -> LabBatch:
    """Tokenise 2 to 4 texts, let the model write for each alone, and pad.

    A source may have `limit` tokens, `</s>` included. Raises ValueError, in words for the person
    who typed, on texts that cannot be run.
    """
    if not MIN_SENTENCES <= len(texts) <= MAX_SENTENCES:
        raise ValueError(
            f"a batch has {MIN_SENTENCES} to {MAX_SENTENCES} sentences, got {len(texts)}"
        )
    config, tokenizers = checkpoint.info.config, checkpoint.info.tokenizers
    most_written = _within(config, MAX_WRITTEN_TOKENS)
    sources = [
        _source_ids(tokenizers, text, number, limit=_within(config, limit))
        for number, text in enumerate(texts, start=1)
    ]
    written: list[tuple[int, ...]] = []
    for ids in sources:
        steps = greedy(
            checkpoint.model, torch.tensor([ids], device=device), max_length=most_written
        )
        written.append(tuple(step.token for step in steps))
    targets = [(BOS_ID, *ids[:-1]) for ids in written]
    return LabBatch(
        tokenizers=tokenizers,
        source=_pad(sources, device),
        target=_pad(targets, device),
        written=_pad(written, device),
        source_lengths=tuple(map(len, sources)),
        target_lengths=tuple(map(len, targets)),
    )


def _source_ids(tokenizers: Tokenizers, text: str, number: int, *, limit: int) -> tuple[int, ...]:
    """Encode one sentence. Raises ValueError where it is empty or too long."""
    ids = tokenizers.encode_source(text).ids
    if len(ids) == 1:
        raise ValueError(f"each sentence needs a token besides </s>, sentence {number} is empty")
    if len(ids) > limit:
        raise ValueError(
            f"a sentence has at most {limit} tokens, </s> included, "
            f"sentence {number} has {len(ids)}"
        )
    return ids


def _pad(rows: Sequence[Sequence[int]], device: str) -> Int[Tensor, "batch position"]:
    columns = list(zip_longest(*rows, fillvalue=PAD_ID))
    return torch.tensor(columns, device=device).T.contiguous()


def _within(config: TransformerConfig, length: int) -> int:
    """Shorten a length to that of learned positions, where there are such."""
    return min(length, config.max_length) if config.positions == "learned" else length
