"""The traces of a checkpoint on held-out sentences, with translations and gold alignments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.anatomy import attention_in
from model.checkpoints.checkpoint import Checkpoint
from model.edits import NO_EDITS, Edits
from model.text.corpus import Example, make_example
from model.text.tokenizer import UNK_ID
from model.traces import TransformerTrace
from sample_data.tasks import TASKS, load_held_out
from viz.run.axes import layer_count


@dataclass(frozen=True, eq=False)
class Reading:
    """One sentence with its correct translation, and the trace of the model on both."""

    example: Example
    source: tuple[str, ...]
    """Tokens, up to </s>."""
    written: tuple[str, ...]
    """The token that each row of the decoder writes."""
    gold: Mapping[int, frozenset[int]]
    """Row -> the source positions that it translates; rows without gold are left out."""
    trace: TransformerTrace

    @cached_property
    def cross(self) -> Float[Tensor, "layer head row key"]:
        """The weights of cross-attention."""
        decoder = self.trace.decoder
        layers = len(decoder.layers) if decoder else 0
        each = [attention_in(self.trace, "cross-attention", n).weights for n in range(layers)]
        return torch.cat(each)

    @cached_property
    def most(self) -> Int[Tensor, "layer head row"]:
        """The key with the largest weight in each row."""
        return self.cross.argmax(dim=-1)

    @property
    def content_rows(self) -> list[int]:
        """The rows that write a content word and have a gold alignment."""
        return [row for row in self.gold if row + 1 in self.example.scored]


@torch.inference_mode()
def held_out_readings(
    checkpoint: Checkpoint, count: int, *, edits: Edits = NO_EDITS
) -> Iterator[Reading]:
    """Yield the first held-out pairs whose words the checkpoint all knows, with their traces.

    Yields nothing if the model does not translate.
    """
    info = checkpoint.info
    if info.task not in TASKS or layer_count(info.config, "cross-attention") == 0:
        return
    scored, tokenizers = TASKS[info.task].knowledge.scored_words, info.tokenizers
    for pair in load_held_out(info.task):
        example = make_example(tokenizers, pair.source, pair.target, pair.alignment, scored)
        if UNK_ID in (*example.source, *example.target):
            continue
        if count == 0:
            return
        count -= 1
        gold: dict[int, set[int]] = {}
        for position, index in example.alignment:
            gold.setdefault(index - 1, set()).add(position)
        source, target = torch.tensor([example.source]), torch.tensor([example.target[:-1]])
        yield Reading(
            example,
            tokenizers.source.tokens(example.source),
            tokenizers.target.tokens(example.target[1:]),
            {row: frozenset(keys) for row, keys in gold.items()},
            checkpoint.model(source, target, edits=edits),
        )
