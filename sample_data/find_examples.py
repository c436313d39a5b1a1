"""Finds held-out sentences where beam search finds more than greedy, or a sample goes astray."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from model.checkpoints.checkpoint import Checkpoint
from model.decoding.beam import beam, best
from model.decoding.greedy import sample, score
from model.text.tokenizer import EOS_ID
from model.training.evaluation import BATCH_SIZE, greedy_batch
from sample_data.examples import DecodingExample, DecodingExamples
from sample_data.pairs import Pair

_WIDTH, _PENALTY, _SEED = 4, 0.6, 0
"""As the page of decoding begins with."""
_LONGEST = 64
"""Tokens of a translation."""
_KEPT = 2
"""Examples of each sort."""
_SAMPLED = 300
"""Sentences of which a sample is drawn."""
_SHORT = 12
"""Tokens of a source that is quickly read; only from such is a sample drawn."""


class Written(NamedTuple):
    """A held-out pair, and what greedy decoding makes of it."""

    pair: Pair
    source: tuple[int, ...]
    target: tuple[int, ...]
    """The right ids, without `<s>`."""
    ids: tuple[int, ...]

    @property
    def is_right(self) -> bool:
        """Whether greedy decoding writes the right target."""
        return self.ids == self.target


@torch.inference_mode()
def find_examples(checkpoint: Checkpoint, pairs: Sequence[Pair], weights: str) -> DecodingExamples:
    """Search pairs for the shortest examples of each sort."""
    torch.set_num_threads(1)
    written = sorted(_write(checkpoint, pairs), key=lambda each: len(each.source))
    wrong = [each for each in written if not each.is_right]
    right = [each for each in written if each.is_right and len(each.source) <= _SHORT]
    return DecodingExamples(
        weights=weights,
        searched=len(pairs),
        width=_WIDTH,
        length_penalty=_PENALTY,
        seed=_SEED,
        beam=_first(_beam_example(checkpoint, each) for each in wrong),
        sampling=_farthest(checkpoint, right[-_SAMPLED:]),
    )


def _write(checkpoint: Checkpoint, pairs: Iterable[Pair]) -> Iterator[Written]:
    """Decode greedily; only sources of one length share a batch, so that nothing is padded."""
    tokenizers = checkpoint.info.tokenizers
    by_length: dict[int, list[tuple[Pair, tuple[int, ...], tuple[int, ...]]]] = defaultdict(list)
    for pair in pairs:
        source = tokenizers.encode_source(pair.source)
        target = tokenizers.encode_target(pair.target, source=source)
        if not source.unknown and not target.unknown:
            by_length[len(source.ids)].append((pair, source.ids, target.ids[1:]))
    for same in by_length.values():
        for start in range(0, len(same), BATCH_SIZE):
            batch = same[start : start + BATCH_SIZE]
            sources = torch.tensor([source for _, source, _ in batch])
            found = greedy_batch(checkpoint.model, sources, max_length=_LONGEST)
            for (pair, source, target), ids in zip(batch, found, strict=True):
                yield Written(pair, source, target, tuple(ids))


def _beam_example(checkpoint: Checkpoint, each: Written) -> DecodingExample | None:
    """Make an example where the beam writes the right target, and is surer of it."""
    source = torch.tensor([each.source])
    search = beam(
        checkpoint.model, source, width=_WIDTH, length_penalty=_PENALTY, max_length=_LONGEST
    )
    ids = best(tuple(search))
    if ids != each.target or _total(checkpoint, source, ids) <= _total(
        checkpoint, source, each.ids
    ):
        return None
    return _example(checkpoint, each, ids)


def _farthest(checkpoint: Checkpoint, right: Sequence[Written]) -> tuple[DecodingExample, ...]:
    """Make examples of the samples that are least probable, and came to an end."""
    found: list[tuple[float, DecodingExample]] = []
    for each in right:
        source = torch.tensor([each.source])
        steps = tuple(sample(checkpoint.model, source, seed=_SEED, max_length=_LONGEST))
        ids = tuple(step.token for step in steps)
        if ids != each.target and ids[-1] == EOS_ID:
            total = sum(step.log_probability for step in steps)
            found.append((total, _example(checkpoint, each, ids)))
    return tuple(example for _, example in sorted(found, key=lambda one: one[0])[:_KEPT])


def _first(found: Iterable[DecodingExample | None]) -> tuple[DecodingExample, ...]:
    examples: list[DecodingExample] = []
    for example in found:
        if example is not None:
            examples.append(example)
        if len(examples) == _KEPT:
            break
    return tuple(examples)


def _example(checkpoint: Checkpoint, each: Written, ids: Sequence[int]) -> DecodingExample:
    decode = checkpoint.info.tokenizers.target.decode
    return DecodingExample(
        source=each.pair.source,
        target=decode(each.target),
        greedy=decode(each.ids),
        other=decode(ids),
    )


def _total(checkpoint: Checkpoint, source: Tensor, ids: Sequence[int]) -> float:
    return sum(step.log_probability for step in score(checkpoint.model, source, ids))
