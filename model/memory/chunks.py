"""Splits work on rows of a batch into parts whose traces fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from model.config import TransformerConfig

R = TypeVar("R")

Progress = Callable[[int, int], None]
"""A function that receives the number of finished batches, and of all batches."""

_CHUNK_BYTES = 64_000_000
"""The approximate memory of a batch, in bytes; larger batches are not faster."""


def chunks_of(
    config: TransformerConfig,
    rows: Sequence[R],
    source: int,
    target: int,
    progress: Progress | None = None,
    *,
    sentences: int = 1,
    predicted: int | None = None,
) -> Iterator[Sequence[R]]:
    """Split work on rows of a batch, so that the trace of each part fits into memory.

    `predicted` rows of the target have logits; by default all of them.
    """
    each = sentences * trace_bytes(config, source, target, predicted)
    size = max(1, _CHUNK_BYTES // each)
    starts = range(0, len(rows), size)
    for done, start in enumerate(starts, 1):
        yield rows[start : start + size]
        if progress:
            progress(done, len(starts))


def trace_bytes(
    config: TransformerConfig, source: int, target: int, predicted: int | None = None
) -> int:
    """Estimate the size of one sentence's trace from its largest tensors, in float32 bytes."""
    wide = 8 * config.d_model + config.d_ff
    encoder = config.n_encoder_layers * source * (wide + 2 * config.n_heads * source)
    across = 2 * config.n_heads * (source + target)
    decoder = config.n_decoder_layers * target * (wide + 4 * config.d_model + across)
    rows = (target or source) if predicted is None else predicted
    return 4 * (encoder + decoder + 3 * rows * config.predicted_vocab_size)
