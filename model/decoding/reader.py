"""The common base of all decoding modes: a task, and the decoder that reads the text so far."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.decoder import DecoderCache
from model.edits import Edits
from model.writing import Allow

if TYPE_CHECKING:
    from model.transformer import Encoded, Transformer


@dataclass(frozen=True, eq=False)
class Task:
    """A decoding task, without the rule for choosing. Raises ValueError if it is impossible."""

    model: "Transformer"
    source: Int[Tensor, "batch source"] | None
    """The source; None for a decoder-only model."""
    prefix: tuple[int, ...]
    max_length: int
    bos_id: int
    ends: Collection[int] | None
    """The ids that each end a text; None if the prefix is the whole target."""
    edits: Edits
    use_cache: bool
    encoded: "Encoded | None" = None
    """The encoded source under these edits, if it was computed already."""
    prompt: int = 0
    """The number of ids of the prefix that were read rather than written."""

    def __post_init__(self) -> None:
        config = self.model.config
        if not config.has_decoder:
            raise ValueError("this model cannot write: it has no decoder")
        self._check_source()
        _check_ids("bos_id and prefix", (self.bos_id, *self.prefix), config.target_vocab_size)
        if config.masks_target_padding and self.bos_id == config.pad_id:
            raise ValueError(f"bos_id must not be the padding id, which is masked: {self.bos_id}")
        if self.max_length < 1:
            raise ValueError(f"max_length must be at least 1, got {self.max_length}")
        if config.positions == "learned" and self.max_length > config.max_length:
            raise ValueError(
                f"max_length must be at most {config.max_length}, the positions that were learned, "
                f"got {self.max_length}"
            )
        if self.ends is not None and len(self.prefix) >= self.max_length:
            raise ValueError(
                "prefix must be shorter than max_length, "
                f"got {len(self.prefix)} ids and {self.max_length}"
            )
        self.edits.check(config)

    def _check_source(self) -> None:
        source, config = self.source, self.model.config
        if config.has_encoder != (source is not None):
            raise ValueError("a model with an encoder needs a source, and no other model takes one")
        if source is None:
            return
        if source.size(0) != 1:
            raise ValueError(f"source must be one sentence, got a batch of {source.size(0)}")
        if not self.model.source_mask(source).any():
            raise ValueError(
                f"source must hold at least one id that is not padding, got {source[0].tolist()}"
            )
        _check_ids("source", source[0].tolist(), config.source_vocab_size)

    def rules(self) -> Allow:
        """Return the rules of the model's folder for the tokens that it may write."""
        given = (self.bos_id, *self.prefix[: self.prompt])
        return self.model.rules.begin(given, self.max_length + 1, self.source)

    @property
    def caches(self) -> bool:
        """Whether earlier positions are cached, so that later tokens must not change them."""
        causal = self.model.config.causal_mask and not self.edits.need_all_rows
        return self.use_cache and causal


@dataclass(frozen=True, eq=False)
class Reader:
    """The decoder applied to the encoded source of one task."""

    task: Task
    memory: Float[Tensor, "1 source d_model"] | None
    source_mask: Bool[Tensor, "1 1 source"] | None

    @classmethod
    @torch.inference_mode()
    def of(cls, task: Task) -> "Reader":
        """Encode the source, if there is one."""
        if task.source is None:
            return cls(task, None, None)
        _, encoder = task.encoded or task.model.encode(task.source, edits=task.edits)
        return cls(task, encoder.output, task.model.source_mask(task.source))

    @torch.inference_mode()
    def read(
        self, targets: Sequence[Sequence[int]], cache: DecoderCache | None, *, rows: int = 1
    ) -> tuple[Float[Tensor, "batch rows target_vocab"], DecoderCache | None]:
        """Return the logits of the last `rows` positions, and the cache for the next call, if any.

        The targets are complete, including the ids in the cache. The given cache is not changed.
        """
        model, edits = self.task.model, self.task.edits
        ids = torch.tensor(targets, device=model.device)
        memory = self.memory
        if memory is not None:
            memory = None if cache else memory.expand(len(ids), -1, -1)
        _, decoder = model.decode(
            ids,
            memory,
            source_mask=self.source_mask,
            cache=cache,
            edits=edits,
        )
        read = edits.at(ids.size(1) - rows)
        logits, _ = model.generate(decoder.output[:, -rows:], edits=read)
        return logits.float().cpu(), DecoderCache.of(decoder) if self.task.caches else None


def _check_ids(name: str, ids: Sequence[int], vocab_size: int) -> None:
    if wrong := [i for i in ids if not 0 <= i < vocab_size]:
        raise ValueError(f"{name} must be ids from 0 to {vocab_size - 1}, got {wrong}")
