"""What each head of a model is there for: jobs, counted over held-out sentences against chance."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from model.checkpoint import Checkpoint, CheckpointInfo
from model.corpus import Example, make_example, pad
from sample_data.tasks import TASKS, WordClasses, load_held_out
from viz.run.jobs import JOBS, Job
from viz.run.record import KINDS, AttentionKind, attention_in, layer_count
from viz.run.relations import Sentence

SENTENCES = 200
"""Held-out pairs that are looked at: always the first ones of the task."""
LEAST_ROWS = 20
"""Rows that a job needs, to say anything."""
LEAST_RATE = 0.5
LEAST_ABOVE_CHANCE = 0.2
"""A head has a job that it does in at least this share of the rows, so far above chance."""
NO_ROLE = "no_job"
"""In the place of the name of a job."""


@dataclass(frozen=True)
class HeadRole:
    """What a head does, how often, and how often it would by chance."""

    job: Job
    rows: int
    """Rows of the sentences that the job is about."""
    rate: float
    """Share of them in which the head reads most what the job says."""
    chance: float
    """The same of a head that reads each token as often as any other, or as far away as this head
    does in all rows: the higher of the two."""


@dataclass(frozen=True)
class HeadRoles:
    """The roles of all heads of a checkpoint."""

    sentences: int
    """How many were looked at; 0 where it is the text in view alone."""
    heads: Mapping[AttentionKind, Sequence[Sequence[HeadRole | None]]]
    """By layer and head; None where no single job was found."""


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of one kind, of all sentences one after the other."""

    read: Int[np.ndarray, "head row"]
    """The key that each head reads most."""
    allowed: Int[np.ndarray, " row"]
    """How many keys a row may read."""
    place: Int[np.ndarray, " row"]
    """Place of the row in its sentence."""
    keys: Int[np.ndarray, " row"]
    """How many keys there are."""


def find_roles(checkpoint: Checkpoint, count: int = SENTENCES) -> HeadRoles | None:
    """Look for a job of every head; None where there are no sentences of the task."""
    info = checkpoint.info
    if info.task not in TASKS or not info.config.has_cross_attention:
        return None
    examples = _examples(info, count)
    rows = _run(checkpoint, examples)
    sentences = sentences_of(info, examples)
    found: dict[AttentionKind, list[list[HeadRole | None]]] = {}
    for kind in KINDS:
        roles = best_jobs(rows[kind], [job for job in JOBS if job.kind == kind], sentences)
        heads = info.config.n_heads
        found[kind] = [roles[start : start + heads] for start in range(0, len(roles), heads)]
    return HeadRoles(len(examples), found)


def job_hits(
    checkpoint: Checkpoint, name: str, count: int = SENTENCES
) -> Bool[np.ndarray, "layer head row"]:
    """Say in which of the rows that a job is about each head does it; of no row where none is.

    Args:
        checkpoint: Of one of the tasks that translate; of another there are no rows.
        name: Of the job.
        count: How many held-out sentences are looked at.
    """
    info = checkpoint.info
    job = next(job for job in JOBS if job.name == name)
    heads = info.config.n_heads
    if info.task not in TASKS or not info.config.has_cross_attention:
        return np.zeros((0, heads, 0), bool)
    examples = _examples(info, count)
    rows = _run(checkpoint, examples)[job.kind]
    row, key = _cells(rows, job, sentences_of(info, examples))
    different, place = np.unique(row, return_inverse=True)
    hits = np.zeros((len(rows.read), len(different)), bool)
    for head, read in enumerate(rows.read):
        hits[head, place[read[row] == key]] = True
    return hits.reshape(len(hits) // heads, heads, len(different))


def _examples(info: CheckpointInfo, count: int) -> list[Example]:
    pairs = load_held_out(info.task)[:count]
    examples = [make_example(info.tokenizers, p.source, p.target, p.alignment) for p in pairs]
    return sorted(examples, key=lambda example: (len(example.source), len(example.target)))


def word_classes(info: CheckpointInfo) -> WordClasses:
    """Give what is known of the words of a checkpoint's task; nothing where that is no task."""
    task = TASKS.get(info.task)
    if task and task.word_classes:
        return task.word_classes()
    return WordClasses(frozenset(), {}, {})


def sentences_of(info: CheckpointInfo, examples: Sequence[Example]) -> list[Sentence]:
    """Give examples as the jobs ask for them: tokens, parts of speech, what is aligned."""
    classes = word_classes(info)
    of_source = info.tokenizers.source.all_tokens
    of_target = info.tokenizers.target.all_tokens

    def sentence(example: Example) -> Sentence:
        source = tuple(of_source[token] for token in example.source)
        target = tuple(of_target[token] for token in example.target)
        aligned: dict[int, set[int]] = defaultdict(set)
        for position, index in example.alignment:
            aligned[index - 1].add(position)
        return Sentence(
            source,
            target,
            tuple(classes.source.get(token, "") for token in source),
            tuple(classes.target.get(token, "") for token in target),
            {row: frozenset(keys) for row, keys in aligned.items()},
        )

    return [sentence(example) for example in examples]


def _run(checkpoint: Checkpoint, examples: Sequence[Example]) -> dict[AttentionKind, Rows]:
    """Run the model over the examples, which are sorted by their lengths, given their targets."""
    parts: dict[AttentionKind, list[tuple[np.ndarray, ...]]] = {kind: [] for kind in KINDS}
    model = checkpoint.model
    device = next(model.parameters()).device
    for group in _of_one_size(examples):
        source, target = pad([e.source for e in group]), pad([e.target for e in group])
        with torch.inference_mode():
            trace = model(source.to(device), target[:, :-1].to(device))
        for kind in KINDS:
            layers = range(layer_count(checkpoint.info.config, kind))
            each = [attention_in(trace, kind, layer) for layer in layers]
            weights = torch.cat([attention.weights for attention in each], dim=1)
            read = weights.nan_to_num().argmax(dim=-1).cpu().numpy()
            batch, _, queries, keys = weights.shape
            allowed = each[0].mask.expand(batch, queries, keys).sum(dim=-1).cpu().numpy()
            place = np.tile(np.arange(queries), batch)
            flat = read.swapaxes(0, 1).reshape(read.shape[1], -1)
            parts[kind].append((flat, allowed.ravel(), place, np.full(batch * queries, keys)))
    return {
        kind: Rows(*(np.concatenate(part, axis=-1) for part in zip(*found, strict=True)))
        for kind, found in parts.items()
    }


def _of_one_size(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Batch what needs no padding: some variants do not hide it."""
    groups: dict[tuple[int, int], list[Example]] = defaultdict(list)
    for example in examples:
        groups[len(example.source), len(example.target)].append(example)
    yield from groups.values()


def best_jobs(
    rows: Rows,
    jobs: Sequence[Job],
    sentences: Sequence[Sentence],
    *,
    least_rows: int = LEAST_ROWS,
) -> list[HeadRole | None]:
    """Give each head the job that it would least seem to do by chance, if one is done well."""
    habits = _habits(rows)
    best: list[tuple[float, HeadRole] | None] = [None] * len(rows.read)
    for job in jobs:
        row, key = _cells(rows, job, sentences)
        count = len(np.unique(row))
        if count < least_rows:
            continue
        rates = (rows.read[:, row] == key).sum(axis=1) / count
        uniform = (1 / np.maximum(rows.allowed[row], 1)).sum() / count
        chances = np.full(len(rates), uniform)
        if not job.by_place:
            by_habit = habits[:, key - rows.place[row] + habits.shape[1] // 2].sum(axis=1) / count
            chances = np.maximum(chances, by_habit)
        for head, (rate, chance) in enumerate(zip(rates.tolist(), chances.tolist(), strict=True)):
            is_done = rate >= LEAST_RATE and rate - chance >= LEAST_ABOVE_CHANCE
            score = count * surprise(rate, chance) if is_done else 0.0
            before = best[head]
            if is_done and (before is None or score > before[0]):
                best[head] = score, HeadRole(job, count, rate, chance)
    return [found and found[1] for found in best]


def _cells(
    rows: Rows, job: Job, sentences: Sequence[Sentence]
) -> tuple[Int[np.ndarray, " cell"], Int[np.ndarray, " cell"]]:
    """Give the row, counted over all sentences, and the key of each cell that a job is about."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(rows.place) < 0) + 1])
    cells = [
        (start + row, key)
        for start, sentence in zip(starts.tolist(), sentences, strict=True)
        for row, key in set(job.cells(sentence))
    ]
    row, key = np.array(cells, int).reshape(-1, 2).T
    return row, key


def surprise(rate: float, chance: float) -> float:
    """Say how far a rate is from chance, for one row: what many such rows would surprise by."""
    parts = ((rate, chance), (1 - rate, 1 - chance))
    return sum(seen * math.log(seen / max(usual, 1e-9)) for seen, usual in parts if seen > 0)


def _habits(rows: Rows) -> Float[np.ndarray, "head distance"]:
    """Share of the rows in which a head reads so far away, of those that have a key there.

    Distances from -n to n, where n is the most.
    """
    most = int(max(rows.keys.max(), rows.place.max() + 1))
    shares = np.zeros((len(rows.read), 2 * most + 1))
    for distance in range(-most, most + 1):
        there = rows.place + distance
        able = (there >= 0) & (there < rows.keys)
        if able.any():
            shares[:, distance + most] = (rows.read[:, able] == there[able]).mean(axis=1)
    return shares
