"""Sentences of different lengths padded into one batch, with the texts that the model writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from model.decoding.greedy import greedy
from model.masks import length_mask
from model.text.tokenizer import PAD_ID, Tokenizers
from model.traces import present
from texts import say
from viz.run.axes import AttentionKind
from viz.run.record import encode_typed

if TYPE_CHECKING:  # only types
    from model.checkpoints.checkpoint import Checkpoint

MIN_SENTENCES, MAX_SENTENCES = 2, 4
MAX_SOURCE_TOKENS = 60
MAX_WRITTEN_TOKENS = 64


@dataclass(frozen=True, eq=False)
class LabBatch:
    """Sentences, padding after the shorter ones, and the model's text for each alone."""

    tokenizers: Tokenizers
    source: Int[Tensor, "batch source"] | None
    """The ids that an encoder reads; None without one."""
    target: Int[Tensor, "batch target"] | None
    """The ids that the decoder reads: `<s>` and the written text without its last token, or the
    prompt of a decoder-only model. None without a decoder."""
    written: Int[Tensor, "batch position"]
    """The correct token of each row of the logits: the token written there, the next one of a
    prompt, or the row's own token in an encoder-only model."""
    source_lengths: tuple[int, ...]
    """The number of tokens before the padding."""
    target_lengths: tuple[int, ...]
    pad_id: int = PAD_ID
    padding_by_id: bool = True
    """Whether the model takes each `pad_id` for padding; else only the lengths tell."""

    @property
    def source_tokens(self) -> tuple[tuple[str, ...], ...]:
        """Name the source ids of each sentence, including padding."""
        return tuple(map(self.tokenizers.source.tokens, present(self.source).tolist()))

    @property
    def target_tokens(self) -> tuple[tuple[str, ...], ...]:
        """Name the ids that the decoder reads."""
        return tuple(map(self.tokenizers.target.tokens, present(self.target).tolist()))

    @property
    def is_of_one_text(self) -> bool:
        """Whether the model reads one text, so that rows are named after the tokens they read."""
        return self.source is None or self.target is None

    @property
    def pad(self) -> str:
        """Name the padding."""
        return self.tokenizers.source.token(self.pad_id)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Count the rows of each sentence that predict something."""
        return self.source_lengths if self.target is None else self.target_lengths

    def queries(self, kind: AttentionKind) -> Int[Tensor, "batch query"]:
        """Return the ids that name the rows; a translator's decoder rows have the written ids."""
        if kind == "encoder self-attention":
            return present(self.source)
        return present(self.target) if self.is_of_one_text else self.written

    def keys(self, kind: AttentionKind) -> Int[Tensor, "batch key"]:
        """Return the ids that the columns read."""
        return present(self.target if kind == "decoder self-attention" else self.source)

    def real_rows(self, kind: AttentionKind) -> Bool[Tensor, "batch query"]:
        """Return which rows are tokens, not padding."""
        encodes = kind == "encoder self-attention"
        lengths = self.source_lengths if encodes else self.target_lengths
        return self._real(self.queries(kind), lengths)

    def real_keys(self, kind: AttentionKind) -> Bool[Tensor, "batch key"]:
        """Return which keys are tokens, not padding."""
        written = kind == "decoder self-attention"
        lengths = self.target_lengths if written else self.source_lengths
        return self._real(self.keys(kind), lengths)

    def _real(
        self, ids: Int[Tensor, "batch position"], lengths: tuple[int, ...]
    ) -> Bool[Tensor, "batch position"]:
        """Return which ids are tokens, not padding, although a token may have the same id."""
        if self.padding_by_id:
            return ids != self.pad_id
        return length_mask(lengths, device=ids.device)[:, 0]

    def labels(self, kind: AttentionKind, sentence: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the rows and the columns of one sentence's map."""
        source, target = self.tokenizers.source, self.tokenizers.target
        rows = source if kind == "encoder self-attention" else target
        columns = target if kind == "decoder self-attention" else source
        return (
            rows.tokens(self.queries(kind)[sentence].tolist()),
            columns.tokens(self.keys(kind)[sentence].tolist()),
        )


def make_batch(
    checkpoint: "Checkpoint",
    texts: Sequence[str],
    *,
    limit: int = MAX_SOURCE_TOKENS,
) -> LabBatch:
    """Tokenize 2 to 4 texts, let the model write for each alone, and pad.

    A source may have `limit` tokens, including `</s>`. For a decoder-only model each text is a
    prompt, to which it adds one token. Raises ValueError, with a message for the reader, on texts
    that cannot be run.
    """
    if not MIN_SENTENCES <= len(texts) <= MAX_SENTENCES:
        raise ValueError(
            say("masks.batch_size", least=MIN_SENTENCES, most=MAX_SENTENCES, count=len(texts))
        )
    config = checkpoint.info.config
    read = [
        _read_ids(checkpoint, text, number, limit=config.within_positions(limit))
        for number, text in enumerate(texts, start=1)
    ]
    if config.has_encoder and config.has_decoder:
        return _translated(checkpoint, read)
    padded = _pad(read, checkpoint)
    lengths = tuple(map(len, read))
    is_read = config.has_encoder
    following = [(*ids[1:], _next_token(checkpoint, ids)) for ids in read if not is_read]
    return LabBatch(
        tokenizers=checkpoint.info.tokenizers,
        source=padded if is_read else None,
        target=None if is_read else padded,
        written=padded if is_read else _pad(following, checkpoint),
        source_lengths=lengths if is_read else (),
        target_lengths=() if is_read else lengths,
        pad_id=config.pad_id,
        padding_by_id=config.padding_by_id,
    )


def _translated(checkpoint: "Checkpoint", sources: Sequence[tuple[int, ...]]) -> LabBatch:
    tokenizers, config = checkpoint.info.tokenizers, checkpoint.info.config
    known = tokenizers.target.specials
    start = present(known.start)
    written: list[tuple[int, ...]] = []
    for ids in sources:
        steps = greedy(
            checkpoint.model,
            torch.tensor([ids], device=checkpoint.model.device),
            max_length=config.within_positions(MAX_WRITTEN_TOKENS),
            bos_id=start,
            eos_id=known.ends,
        )
        written.append(tuple(step.token for step in steps))
    targets = [(start, *ids[:-1]) for ids in written]
    return LabBatch(
        tokenizers=tokenizers,
        source=_pad(sources, checkpoint),
        target=_pad(targets, checkpoint),
        written=_pad(written, checkpoint),
        source_lengths=tuple(map(len, sources)),
        target_lengths=tuple(map(len, targets)),
        pad_id=config.pad_id,
        padding_by_id=config.padding_by_id,
    )


@torch.inference_mode()
def _next_token(checkpoint: "Checkpoint", ids: tuple[int, ...]) -> int:
    logits = present(
        checkpoint.model(None, torch.tensor([ids], device=checkpoint.model.device)).logits
    )
    return int(logits[0, -1].argmax())


def _read_ids(checkpoint: "Checkpoint", text: str, number: int, *, limit: int) -> tuple[int, ...]:
    """Encode one sentence. Raises ValueError if it is empty or too long."""
    info = checkpoint.info
    ids = encode_typed(info, text).ids
    if set(ids) <= info.tokenizers.source.specials.all - {info.tokenizers.source.specials.unk}:
        raise ValueError(say("masks.sentence_empty", number=number))
    if len(ids) > limit:
        raise ValueError(say("masks.sentence_long", most=limit, number=number, count=len(ids)))
    return ids


def _pad(rows: Sequence[Sequence[int]], checkpoint: "Checkpoint") -> Int[Tensor, "batch position"]:
    columns = list(zip_longest(*rows, fillvalue=checkpoint.info.config.pad_id))
    return torch.tensor(columns, device=checkpoint.model.device).T.contiguous()
