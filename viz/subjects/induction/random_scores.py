"""Scores of the two heads on repeated random words, which meaning cannot help to predict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from model.attribution.copying import HeadReading, followers_of, read_heads
from model.attribution.repeated_tokens import draw_repeated, mean_reading
from model.traces import present
from viz.subjects.induction.head_search import best_pair

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

TEXTS, LENGTH = 4, 25
"""The number of texts, and of random words in each, which it has twice."""
SHOWN = 8
"""The number of other heads in a table."""


@dataclass(frozen=True)
class RandomScores:
    """The mean scores of all heads on random words, over some texts."""

    readings: tuple[HeadReading, ...]
    copier: HeadReading
    before: HeadReading | None
    """The head of a lower layer; None if there is none."""
    length: int
    """The number of random words of a text, which has them twice."""

    @property
    def is_there(self) -> bool:
        """Whether each of the two heads does its half, by the rule of the page."""
        return bool(self.before and self.before.on_previous.counts and self.copier.on_copies.counts)

    @property
    def told(self) -> tuple[HeadReading, ...]:
        """List the heads of a table: those that do one half, and the best of the others."""
        ranked = sorted(self.readings, key=lambda head: -max(head.copies, head.previous))
        doing = [head for head in ranked if head.on_copies.counts or head.on_previous.counts]
        others = [head for head in ranked if head not in doing]
        return (*doing, *others[: max(0, SHOWN - len(doing))])


@torch.inference_mode()
def random_scores(opened: "Opened") -> RandomScores | None:
    """Run a decoder-only model on random words; None if it has no room or no words for them."""
    words, config = opened.info.tokenizers.target, opened.info.config
    specials = words.specials
    ids = [id for id in range(words.vocab_size) if id not in specials.all]
    most = config.max_length if config.positions == "learned" else 2 * LENGTH + len(ids)
    before = tuple(id for id in specials.before_prompt if id not in specials.lacking)
    length = min(LENGTH, len(ids), (most - len(before)) // 2)
    if length < 2:
        return None
    draw = torch.Generator().manual_seed(0)
    texts = [(*before, *draw_repeated(ids, length, draw)) for _ in range(TEXTS)]
    found = [_read(opened, text, specials.all) for text in texts]
    readings = tuple(mean_reading(each) for each in zip(*found, strict=True))
    copier, before = best_pair(readings)
    return RandomScores(readings, copier, before, length)


def _read(
    opened: "Opened", text: Sequence[int], specials: frozenset[int]
) -> tuple[HeadReading, ...]:
    model = opened.model
    trace = model(None, torch.tensor([text], device=model.device))
    layers = present(trace.decoder).layers
    weights = np.concatenate([x.self_attn.weights.float().cpu().numpy() for x in layers])
    mask = layers[0].self_attn.mask[0].expand(weights.shape[-2:])
    allowed = mask.sum(dim=-1).cpu().numpy()
    return read_heads(np.nan_to_num(weights), followers_of(text, specials), allowed)
