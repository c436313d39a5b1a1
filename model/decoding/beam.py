"""Beam search with a length penalty (section 6.1 of the paper), its whole tree kept."""

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.decoder import DecoderCache
from model.decoding.distribution import best_first, log_softmax
from model.decoding.reader import Reader, Task
from model.edits import NO_EDITS, Edits
from model.writing import ending

if TYPE_CHECKING:
    from model.transformer import Transformer


@dataclass(frozen=True)
class Hypothesis:
    """One node of the tree: a token after the path of its parent."""

    id: int
    """The number of the hypothesis in the search, in the order in which they are listed."""
    parent: int | None
    """The id of the hypothesis that this one continues; None after `<s>`."""
    token: int
    index: int
    """The step that wrote the token, from 0."""
    log_probability: float
    """The log-probability of the token."""
    total: float
    """The sum along the path, forced tokens included: the log-probability of the written text."""
    score: float
    """The total divided by the length penalty."""
    kept: bool
    """Whether it is among the best `width` of its step; the others are pruned."""
    finished: bool
    """Whether the token ends the sentence."""


@dataclass(frozen=True)
class BeamStep:
    """One step of all hypotheses together."""

    index: int
    hypotheses: tuple[Hypothesis, ...]
    """The expansions considered, best first: the kept ones, then some of those pruned."""


def beam(
    model: "Transformer",
    source: Int[Tensor, "batch source"] | None,
    *,
    width: int = 4,
    length_penalty: float = 0.6,
    max_length: int = 64,
    prefix: Sequence[int] = (),
    prompt: int = 0,
    bos_id: int = 1,
    eos_id: int | Collection[int] | None = 2,
    edits: Edits = NO_EDITS,
    use_cache: bool = True,
) -> Iterator[BeamStep]:
    """Expand the best `width` hypotheses at each step; each step is computed on request.

    A finished hypothesis takes one of the `width` places of its own step, then it waits. The search
    ends after `max_length` tokens, or when no live hypothesis could beat the best finished one even
    if every further token had probability 1. At least the best 2 * `width` expansions are listed,
    or all of them if `width` is as large as the vocabulary; impossible ones are not kept.

    Arguments and errors as in `greedy`, and these:

    Args:
        model: The model, in evaluation mode; otherwise dropout acts.
        source: The ids of one sentence (a batch of 1).
        width: The number of hypotheses that a step keeps.
        length_penalty: alpha of ((5 + length) / 6)^alpha, which divides the total log-probability
            (Wu et al. 2016, equation 14). The length counts the tokens after `<s>`.
        max_length: The largest number of tokens, including the prefix.
        prefix: Forced ids after `<s>`; each has one hypothesis and no alternatives.
        prompt: The number of ids of the prefix that were read rather than written. They count for
            neither the log-probability of a hypothesis nor its length.
        bos_id: The id of `<s>`.
        eos_id: The id of `</s>`, or several ids that each end a hypothesis.
        edits: Edits, which see all live hypotheses as one batch.
        use_cache: Whether to use a cache; without one, each step runs the whole targets so far.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    ends = ending(eos_id)
    task = Task(
        model, source, tuple(prefix), max_length, bos_id, ends, edits, use_cache, prompt=prompt
    )
    return _search(task, width, length_penalty, prompt)


def path(steps: Sequence[BeamStep], hypothesis_id: int) -> tuple[int, ...]:
    """Return the tokens from the first one to that of a hypothesis."""
    by_id = {h.id: h for step in steps for h in step.hypotheses}
    if hypothesis_id not in by_id:
        raise ValueError(f"hypothesis {hypothesis_id} is not among the {len(by_id)} of these steps")
    node = by_id[hypothesis_id]
    tokens = [node.token]
    while node.parent is not None:
        node = by_id[node.parent]
        tokens.append(node.token)
    return tuple(reversed(tokens))


def best_hypothesis(steps: Sequence[BeamStep]) -> Hypothesis:
    """Find the finished hypothesis with the highest score, or else the best of the last step."""
    kept = [h for step in steps for h in step.hypotheses if h.kept]
    if not kept:
        raise ValueError("no hypothesis was kept in these steps")
    finished = [h for h in kept if h.finished]
    last = [h for h in kept if h.index == kept[-1].index]
    return max(finished or last, key=lambda h: h.score)


def best(steps: Sequence[BeamStep]) -> tuple[int, ...]:
    """Return the tokens of the best hypothesis."""
    return path(steps, best_hypothesis(steps).id)


def penalty(length: int, alpha: float) -> float:
    """Compute the length penalty of Wu et al. 2016, equation 14."""
    return ((5 + length) / 6) ** alpha


def _search(task: Task, width: int, alpha: float, prompt: int) -> Iterator[BeamStep]:
    reader = Reader.of(task)
    live = [_nothing_written(task.bos_id)]
    targets = [[task.bos_id]]
    cache: DecoderCache | None = None
    ids = itertools.count()
    to_beat, allow = -math.inf, task.rules()
    for index in range(task.max_length):
        logits, cache = reader.read(targets, cache)
        log_probabilities = allow(log_softmax(logits[:, 0]), torch.tensor(targets))
        forced = task.prefix[index] if index < len(task.prefix) else None
        places = _best_places(log_probabilities, live, width, forced)
        hypotheses = tuple(
            _expand(
                live[row],
                token,
                log_probabilities[row, token].item(),
                id=next(ids),
                alpha=alpha,
                prompt=prompt,
                wanted=rank < width,
                forced=forced is not None,
                ends=task.ends or (),
            )
            for rank, (row, token) in enumerate(places)
        )
        yield BeamStep(index, hypotheses)

        to_beat = max([to_beat, *(h.score for h in hypotheses if h.kept and h.finished)])
        survivors = [
            (row, h)
            for (row, _), h in zip(places, hypotheses, strict=True)
            if h.kept and not h.finished
        ]
        if not any(_bound(h, task.max_length, alpha, prompt) > to_beat for _, h in survivors):
            return
        live = [h for _, h in survivors]
        targets = [[*targets[row], h.token] for row, h in survivors]
        if cache:
            rows = torch.tensor([row for row, _ in survivors], device=task.model.device)
            cache = cache.select(rows)


def _nothing_written(bos_id: int) -> Hypothesis:
    return Hypothesis(
        id=-1,
        parent=None,
        token=bos_id,
        index=-1,
        log_probability=0.0,
        total=0.0,
        score=0.0,
        kept=True,
        finished=False,
    )


def _best_places(
    log_probabilities: Float[Tensor, "live target_vocab"],
    live: Sequence[Hypothesis],
    width: int,
    forced: int | None,
) -> list[tuple[int, int]]:
    """Return row and token of the expansions to consider, best first."""
    if forced is not None:
        return [(0, forced)]
    before = torch.tensor([h.total for h in live], dtype=log_probabilities.dtype)
    totals = (before.unsqueeze(1) + log_probabilities).flatten()
    vocab_size = log_probabilities.size(1)
    count = len(totals) if width >= vocab_size else 2 * width
    return [divmod(place, vocab_size) for place in best_first(totals, count).tolist()]


def _expand(
    parent: Hypothesis,
    token: int,
    log_probability: float,
    *,
    id: int,
    alpha: float,
    prompt: int,
    wanted: bool,
    forced: bool,
    ends: Collection[int],
) -> Hypothesis:
    index = parent.index + 1
    total = parent.total + (log_probability if index >= prompt else 0.0)
    return Hypothesis(
        id=id,
        parent=parent.id if parent.index >= 0 else None,
        token=token,
        index=index,
        log_probability=log_probability,
        total=total,
        score=total / penalty(max(0, index + 1 - prompt), alpha),
        kept=forced or (wanted and total > -math.inf),
        finished=index >= prompt and token in ends,
    )


def _bound(hypothesis: Hypothesis, max_length: int, alpha: float, prompt: int) -> float:
    """Return the score of a hypothesis if all its further tokens had probability 1.

    The penalty is monotonic in the length, so one of the two extreme lengths is best.
    """
    ends = (min(hypothesis.index + 2, max_length), max_length)
    lengths = (max(0, end - prompt) for end in ends)
    return max(hypothesis.total / penalty(length, alpha) for length in lengths)
