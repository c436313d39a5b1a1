"""Cuts every head and sublayer of a model in turn, over held-out sentences."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import get_args

import torch

from model.attribution.ablation import Score, corpus_sweep
from model.attribution.cuts import Cut, How, Means, Part, heads, mean_outputs, parts
from model.checkpoints.checkpoint import Checkpoint
from model.memory.chunks import Progress
from model.text.corpus import Example, make_example
from sample_data.atlas_record import Atlas, CutScore, PairScore
from sample_data.pairs import Pair

SENTENCES, PAIR_SENTENCES = 300, 100
"""The first of the held-out sentences."""
MEAN_FIRST, MEAN_LAST = 400, 700
"""Others, over which the averages are taken."""
_PAIRS_KEPT = 12
HOWS: tuple[How, ...] = get_args(How)


def measure(
    checkpoint: Checkpoint,
    pairs: Sequence[Pair],
    weights: str,
    progress: Progress | None = None,
) -> Atlas:
    """Cut each part in each way, and pairs of heads. Raises ValueError where there are no pairs."""
    if not pairs:
        raise ValueError("an atlas needs at least 1 held-out sentence, got 0")
    torch.set_num_threads(1)
    model, config = checkpoint.model, checkpoint.info.config
    examples = _examples(checkpoint, pairs[:SENTENCES])
    others = _examples(checkpoint, pairs[MEAN_FIRST:MEAN_LAST]) or examples
    means = mean_outputs(model, others)
    of_how: dict[How, list[Cut]] = {how: [(part,) for part in parts(config, how)] for how in HOWS}
    paired = list(combinations(heads(config), 2))
    sizes = [len(examples) * (len(cuts) + 1) for cuts in of_how.values()]
    stages = _stages([*sizes, min(PAIR_SENTENCES, len(examples)) * len(paired)], progress)
    cuts: list[CutScore] = []
    uncut = Score(0.0, 0.0)
    for how, listed in of_how.items():
        uncut, *scores = corpus_sweep(model, examples, [(), *listed], how, means, next(stages))
        for (part,), score in zip(listed, scores, strict=True):
            cuts.append(CutScore(part.sublayer, part.head, how, score.loss, score.exact))
    return Atlas(
        weights=weights,
        sentences=len(examples),
        pair_sentences=min(PAIR_SENTENCES, len(examples)),
        mean_sentences=len(others),
        loss=uncut.loss,
        exact=uncut.exact,
        cuts=tuple(cuts),
        pairs=_pairs(checkpoint, examples[:PAIR_SENTENCES], paired, means, next(stages)),
    )


def _pairs(
    checkpoint: Checkpoint,
    examples: Sequence[Example],
    paired: Sequence[tuple[Part, Part]],
    means: Means,
    progress: Progress,
) -> tuple[PairScore, ...]:
    """Cut pairs of heads to their averages, and keep those that cost most beyond the sum."""
    alone = heads(checkpoint.info.config)
    cuts = [(), *((head,) for head in alone), *paired]
    scores = corpus_sweep(checkpoint.model, examples, cuts, "mean", means, progress)
    costs = [score.loss - scores[0].loss for score in scores[1:]]
    of = dict(zip(alone, costs, strict=False))
    found = [
        PairScore(_name(a), _name(b), of[a], of[b], together)
        for (a, b), together in zip(paired, costs[len(alone) :], strict=True)
    ]
    found.sort(key=lambda pair: -pair.interaction)
    return tuple(found[:_PAIRS_KEPT])


def _name(part: Part) -> tuple[str, int]:
    return part.sublayer, part.head or 0


def _examples(checkpoint: Checkpoint, pairs: Sequence[Pair]) -> list[Example]:
    return [make_example(checkpoint.info.tokenizers, p.source, p.target) for p in pairs]


def _stages(sizes: Sequence[int], progress: Progress | None) -> Iterator[Progress]:
    """Make one progress of several, of which each takes as long as its size."""
    before, whole = 0, sum(sizes)
    for size in sizes:

        def tell(done: int, total: int, before: int = before, size: int = size) -> None:
            if progress:
                progress(before + size * done // total, whole)

        yield tell
        before += size
