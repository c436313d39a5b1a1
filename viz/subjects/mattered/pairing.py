"""Finds a second sentence to compare with: one word swapped, so that the answer differs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import torch
from torch.nn import functional

from model.attribution.patching import (
    LEAST_DIFFERENCE,
    Contest,
    PatchingError,
    contest,
    differences,
)
from model.checkpoints.checkpoint import Checkpoint
from model.traces import present
from model.training.evaluation import greedy_batch
from sample_data.tasks import source_kinds
from viz.run.alignment import could_be_drawn
from viz.run.record import Run

_FAMOUS = {"tired": "wide", "wide": "tired"}
"""The pair of words by which the referent of "it" changes."""
_OF_EACH_WORD, _AT_MOST = 6, 48
"""The number of words tried in place of one, and of sentences tried in all."""
_JOINING = "'\N{RIGHT SINGLE QUOTATION MARK}-"


class Swap(NamedTuple):
    """A sentence with another token in one place."""

    text: str
    position: int
    """The position of the token in the source."""


def suggest(checkpoint: Checkpoint, run: Run) -> str | None:
    """Find a sentence whose answer differs because of one word; None if none is found.

    Sentences that the task could have drawn come first. Among them comes first the one whose first
    different word reads the swapped word least, because other parts must have carried the
    difference.
    """
    kinds = source_kinds(checkpoint.info.task)
    of_kind = _word_swaps(checkpoint, run, kinds) if kinds else iter(())
    any_word = _word_swaps(checkpoint, run, {})
    for ways in (_famous_swaps(run), of_kind, _neighbour_swaps(run), any_word):
        ordered = _by_distance(checkpoint, run, list(islice(ways, _AT_MOST)))
        for swap in sorted(
            ordered, key=lambda swap: not could_be_drawn(checkpoint.info, swap.text)
        ):
            if _is_told_apart(checkpoint, run.source.ids, swap.text):
                return swap.text
    return None


def _famous_swaps(run: Run) -> Iterator[Swap]:
    for position, token in enumerate(run.source.tokens):
        if token in _FAMOUS:
            yield from _put(run, position, _FAMOUS[token])


def _word_swaps(checkpoint: Checkpoint, run: Run, kinds: Mapping[str, str]) -> Iterator[Swap]:
    """Replace each word by words of its class, first by those that the model has most alike.

    Without classes, all words are of one.
    """
    known = checkpoint.info.tokenizers.source.vocabulary
    weight = present(checkpoint.model.source_embedding).weight.detach().cpu()
    rows = functional.normalize(weight, dim=-1)
    words = [word for word in known if not word.startswith("<") and (word in kinds or not kinds)]
    for position in reversed(range(len(run.source.tokens))):
        token = run.source.tokens[position]
        if token not in words or not any(map(str.isalnum, token)):
            continue
        others = [w for w in words if w != token and kinds.get(w) == kinds.get(token)]
        if not others:
            continue
        alike = rows[[known[word] for word in others]] @ rows[known[token]]
        for place in alike.argsort(descending=True)[:_OF_EACH_WORD].tolist():
            yield from _put(run, position, others[place])


def _neighbour_swaps(run: Run) -> Iterator[Swap]:
    """Swap each two adjacent tokens that differ."""
    text, spans = run.source_text, run.source.spans
    for position, (one, other) in enumerate(pairwise(spans)):
        if one and other and one[1] <= other[0]:
            left, right = text[slice(*one)], text[slice(*other)]
            if left != right:
                between = text[one[1] : other[0]]
                changed = f"{text[: one[0]]}{right}{between}{left}{text[other[1] :]}"
                yield Swap(changed, position)


def _put(run: Run, position: int, word: str) -> Iterator[Swap]:
    """Write another word in place of one, unless that is only a part of a word."""
    text, span = run.source_text, run.source.spans[position]
    if not span:
        return
    start, end = span
    before, after = text[:start], text[end:]
    is_word = run.info.tokenizers.source.kind == "word"
    if is_word and any(c.isalnum() or c in _JOINING for c in before[-1:] + after[:1]):
        return
    written = word.capitalize() if text[start:end][:1].isupper() else word
    yield Swap(f"{before}{written}{after}", position)


def _by_distance(checkpoint: Checkpoint, run: Run, tried: Sequence[Swap]) -> list[Swap]:
    """Order the swaps that change the answer by how little its row reads the swapped word."""
    tokenizers = checkpoint.info.tokenizers
    encoded = [tokenizers.encode_source(swap.text) for swap in tried]
    size = len(run.source.ids)
    kept = [
        (swap, code.ids)
        for swap, code in zip(tried, encoded, strict=True)
        if len(code.ids) == size and not code.unknown
    ]
    if not kept:
        return []
    device = next(checkpoint.model.parameters()).device
    ids = torch.tensor([run.source.ids, *(ids for _, ids in kept)], device=device)
    own, *answers = greedy_batch(
        checkpoint.model,
        ids,
        max_length=len(run.steps) + 8,
        bos_id=run.target_ids[0],
        eos_id=tokenizers.target.specials.ends,
    )
    weights = present(present(run.trace.decoder).layers[-1].cross_attn).weights[0].mean(dim=0)
    found: list[tuple[float, int, Swap]] = []
    for order, ((swap, _), answer) in enumerate(zip(kept, answers, strict=True)):
        step = next((i for i, (a, b) in enumerate(zip(own, answer, strict=False)) if a != b), None)
        if step is not None and step < len(weights):
            found.append((weights[step, swap.position].item(), order, swap))
    return [swap for _, _, swap in sorted(found)]


def _is_told_apart(checkpoint: Checkpoint, clean: Sequence[int], text: str) -> bool:
    corrupt = checkpoint.info.tokenizers.encode_source(text).ids
    try:
        which: Contest = contest(checkpoint.model, clean, corrupt)
    except PatchingError:
        return False
    one, other = differences(checkpoint.model, which)
    return abs(one - other) >= LEAST_DIFFERENCE
