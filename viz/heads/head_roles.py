"""The jobs of each head of a model, counted over sentences and compared with chance."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from model.anatomy import attention_in
from model.text.corpus import Example, make_example, pad
from sample_data.tasks import TASKS, load_held_out
from sample_data.word_classes import WordClasses
from texts import say, say_of
from viz.heads.coreference import find_meaning
from viz.heads.even_rows import stands_out
from viz.heads.jobs import JOBS, Job, Over
from viz.heads.relations import Sentence
from viz.pictures.numbers import percent_text
from viz.run.axes import KINDS, AttentionKind, layer_count

if TYPE_CHECKING:
    from model.checkpoints.checkpoint import Checkpoint
    from model.checkpoints.metadata import CheckpointInfo

SENTENCES = 500
"""Held-out pairs to measure: always the first ones of the task."""
LEAST_ROWS = 20
"""Least number of rows for a job to be measured."""
LEAST_RATE = 0.5
LEAST_ABOVE_CHANCE = 0.2
"""A head has a job if it does it in at least this share of the rows, this far above chance. Its
weight on the job's token must stand out, too: in an even row the largest weight means nothing."""
_MOST_SAID = 2


@dataclass(frozen=True)
class HeadRole:
    """A job of a head: how often the head does it, and how often it would by chance."""

    job: Job
    rows: int
    """Number of rows for which the job is defined."""
    rate: float
    """Share of these rows in which the head reads the job's token most."""
    chance: float
    """The share expected by chance: the higher one of a head that reads all tokens equally often
    and of one that reads at each distance as often as this head does in all rows."""
    weight: float | None = field(default=None, compare=False)
    """Mean weight on the job's token when it is read most; None if an atlas did not keep it."""
    even: float = field(default=0.5, compare=False)
    """Mean weight on the job's token in rows that weigh all tokens equally."""

    @property
    def stands_out(self) -> bool:
        """Whether the head gives the job's token more than an even weight; true if unknown."""
        return self.weight is None or bool(stands_out(self.weight, 1 / self.even))


def jobs_in_order(
    measured: Iterable[HeadRole], least_rows: int = LEAST_ROWS
) -> tuple[HeadRole, ...]:
    """Return the jobs that a head has, of those measured: the farthest above chance comes first.

    If a head does a job and a part of it, only the whole job is returned.
    """
    done = [
        role
        for role in measured
        if role.rows >= least_rows
        and role.rate >= LEAST_RATE
        and role.rate - role.chance >= LEAST_ABOVE_CHANCE
        and role.stands_out
    ]
    names = {role.job.name for role in done}
    whole = (role for role in done if role.job.part_of not in names)
    return tuple(sorted(whole, key=lambda role: role.chance - role.rate))


def in_one(said: Iterable[str]) -> str:
    """Write several jobs as one text."""
    return reduce(lambda first, second: say("job.both", first=first, second=second), said)


@dataclass(frozen=True)
class HeadRoles:
    """The jobs of all heads of a model, in order for each head."""

    over: Over
    sentences: int
    """Number of sentences measured."""
    heads: Mapping[AttentionKind, Sequence[Sequence[Sequence[HeadRole]]]]
    """By layer and head; a head may have none."""

    def said(self, kind: AttentionKind, layer: int, head: int, most: int = _MOST_SAID) -> str:
        """Describe what a head does, and over which sentences; browser/jobs.js says the same."""
        found = self.heads[kind][layer][head]
        over = say_of("job.over", self.over, count=self.sentences)
        if not found:
            return say("job.does_nothing", over=over)
        first, *others = found[:most]
        jobs = [_told(first, "first"), *(_told(role, "next") for role in others)]
        said = say("job.does", count=len(found), over=over, jobs=in_one(jobs))
        more = len(found) - most
        return f"{said} {say('job.more', count=more)}" if more > 0 else said


def _told(role: HeadRole, place: str) -> str:
    """Describe a job with the number of its cases, by its place in the text."""
    return say_of(
        "job",
        f"{place}_all" if role.rate == 1 else place,
        does=role.job.words,
        rate=_whole_percent(role.rate),
        rows=role.rows,
        chance=_whole_percent(role.chance),
    )


def _whole_percent(share: float) -> str:
    """Write a share without decimals, unless that would round it to 0% or 100%."""
    rounded = math.floor(100 * share + 0.5) / 100
    return percent_text(rounded if 0 < rounded < 1 else share)


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of one kind, for all sentences one after the other."""

    read: Int[np.ndarray, "head row"]
    """The key that each head reads most."""
    weight: Float[np.ndarray, "head row"]
    """The weight on that key."""
    allowed: Int[np.ndarray, " row"]
    """Number of keys that the row may read."""
    place: Int[np.ndarray, " row"]
    """Index of the row in its sentence."""
    keys: Int[np.ndarray, " row"]
    """Number of keys."""
    sentence: Int[np.ndarray, " row"]
    """Number of the sentence of the row."""


Cells = tuple[Int[np.ndarray, " cell"], Int[np.ndarray, " cell"]]
"""The row (counted over all sentences) and the key of each cell of a job."""


def find_roles(checkpoint: "Checkpoint", count: int = SENTENCES) -> HeadRoles | None:
    """Find the jobs of every head; return None if there are no sentences of the task."""
    info = checkpoint.info
    if info.task not in TASKS or not info.config.has_cross_attention:
        return None
    examples = _examples(info, count)
    rows = _run(checkpoint, examples)
    sentences = sentences_of(info, examples)
    found: dict[AttentionKind, list[list[tuple[HeadRole, ...]]]] = {}
    for kind in KINDS:
        jobs = [job for job in JOBS if job.kind == kind]
        roles = find_jobs(rows[kind], cells_of(rows[kind], jobs, sentences))
        heads = info.config.n_heads
        found[kind] = [roles[start : start + heads] for start in range(0, len(roles), heads)]
    return HeadRoles("held_out", len(examples), found)


def job_hits(
    checkpoint: "Checkpoint", name: str, count: int = SENTENCES
) -> Bool[np.ndarray, "layer head row"]:
    """Return in which rows of a job each head does it; without rows if there are none.

    Args:
        checkpoint: A checkpoint; only for a task that translates are there rows.
        name: The name of the job.
        count: How many held-out sentences to measure.
    """
    info = checkpoint.info
    job = next(job for job in JOBS if job.name == name)
    heads = info.config.n_heads
    if info.task not in TASKS or not info.config.has_cross_attention:
        return np.zeros((0, heads, 0), bool)
    examples = _examples(info, count)
    pairs = [*zip(examples, sentences_of(info, examples), strict=True)]
    about = [pair for pair in pairs if job.cells(pair[1])] or pairs[:1]
    examples, sentences = zip(*about, strict=True)
    rows = _run(checkpoint, examples)[job.kind]
    row, key = cells_of(rows, [job], sentences)[job]
    different, place = np.unique(row, return_inverse=True)
    hits = np.zeros((len(rows.read), len(different)), bool)
    for head, read in enumerate(rows.read):
        hits[head, place[read[row] == key]] = True
    return hits.reshape(len(hits) // heads, heads, len(different))


def _examples(info: "CheckpointInfo", count: int) -> list[Example]:
    pairs = load_held_out(info.task)[:count]
    examples = [make_example(info.tokenizers, p.source, p.target, p.alignment) for p in pairs]
    return sorted(examples, key=lambda example: (len(example.source), len(example.target)))


def word_classes(info: "CheckpointInfo") -> WordClasses:
    """Return the classes of words in a checkpoint's task; empty if the task is unknown."""
    classes = TASKS[info.task].knowledge.word_classes if info.task in TASKS else None
    return classes() if classes else WordClasses(frozenset(), {}, {})


def sentences_of(info: "CheckpointInfo", examples: Sequence[Example]) -> list[Sentence]:
    """Return examples in the form that jobs need: tokens, parts of speech, alignments.

    For a model of one text, an example has the text as source or target, as its stack reads it.
    """
    if not info.config.has_cross_attention:
        name = info.tokenizers.target.tokens
        return [Sentence.of_one_text(name(each.source or each.target)) for each in examples]
    classes = word_classes(info)
    of_source = info.tokenizers.source.all_tokens
    of_target = info.tokenizers.target.all_tokens

    def sentence(example: Example) -> Sentence:
        source = tuple(of_source[token] for token in example.source)
        target = tuple(of_target[token] for token in example.target)
        aligned: dict[int, set[int]] = defaultdict(set)
        for position, index in example.alignment:
            aligned[index - 1].add(position)
        meaning = find_meaning(info.task, source[:-1])
        return Sentence(
            source,
            target,
            tuple(classes.source.get(token, "") for token in source),
            tuple(classes.target.get(token, "") for token in target),
            {row: frozenset(keys) for row, keys in aligned.items()},
            {meaning.it: meaning.right} if meaning else {},
        )

    return [sentence(example) for example in examples]


def _run(checkpoint: "Checkpoint", examples: Sequence[Example]) -> dict[AttentionKind, Rows]:
    """Run the model over the examples, which are sorted by length, with their given targets."""
    parts: dict[AttentionKind, list[tuple[np.ndarray, ...]]] = {kind: [] for kind in KINDS}
    model, number = checkpoint.model, 0
    device = next(model.parameters()).device
    for group in _of_one_size(examples):
        source, target = pad([e.source for e in group]), pad([e.target for e in group])
        with torch.inference_mode():
            trace = model(source.to(device), target[:, :-1].to(device))
        for kind in KINDS:
            layers = range(layer_count(checkpoint.info.config, kind))
            each = [attention_in(trace, kind, layer) for layer in layers]
            weights = torch.cat([attention.weights for attention in each], dim=1)
            clean = weights.nan_to_num()
            read, strongest = clean.argmax(dim=-1).cpu().numpy(), clean.amax(dim=-1).cpu().numpy()
            batch, _, queries, keys = weights.shape
            allowed = each[0].mask.expand(batch, queries, keys).sum(dim=-1).cpu().numpy()
            place = np.tile(np.arange(queries), batch)
            flat, given = (
                each.swapaxes(0, 1).reshape(each.shape[1], -1) for each in (read, strongest)
            )
            sentence = np.repeat(np.arange(batch) + number, queries)
            sizes = np.full(batch * queries, keys)
            parts[kind].append((flat, given, allowed.ravel(), place, sizes, sentence))
        number += len(group)
    return {
        kind: Rows(*(np.concatenate(part, axis=-1) for part in zip(*found, strict=True)))
        for kind, found in parts.items()
    }


def _of_one_size(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Group examples that need no padding together, because some variants do not mask it."""
    groups: dict[tuple[int, int], list[Example]] = defaultdict(list)
    for example in examples:
        groups[len(example.source), len(example.target)].append(example)
    yield from groups.values()


def find_jobs(
    rows: Rows, cells: Mapping[Job, Cells], least_rows: int = LEAST_ROWS
) -> list[tuple[HeadRole, ...]]:
    """Measure how often each head does each job, and return the jobs that each head has."""
    habits = _habits(rows)
    measured: list[list[HeadRole]] = [[] for _ in rows.read]
    for job, (row, key) in cells.items():
        count = len(np.unique(row))
        if not count:
            continue
        hits = rows.read[:, row] == key
        uniform = (1 / np.maximum(rows.allowed[row], 1)).sum() / count
        by_habit = np.zeros(len(hits))
        if not job.by_place:
            by_habit = habits[:, key - rows.place[row] + habits.shape[1] // 2].sum(axis=1) / count
        even = float((1 / np.maximum(rows.allowed[row], 1)).mean())
        for head, hit in enumerate(hits):
            rate, chance = float(hit.sum() / count), float(max(uniform, by_habit[head]))
            weight = float(rows.weight[head, row][hit].mean()) if hit.any() else 0.0
            measured[head].append(HeadRole(job, count, rate, chance, weight, even))
    return [jobs_in_order(found, least_rows) for found in measured]


def cells_of(rows: Rows, jobs: Iterable[Job], sentences: Sequence[Sentence]) -> Mapping[Job, Cells]:
    """Return the cells of each job in the sentences, which are in the order of the rows."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(rows.sentence)) + 1]).tolist()
    found = {}
    for job in jobs:
        cells = [
            (start + row, key)
            for start, sentence in zip(starts, sentences, strict=True)
            for row, key in set(job.cells(sentence))
        ]
        row, key = np.array(cells, int).reshape(-1, 2).T
        found[job] = row, key
    return found


def _habits(rows: Rows) -> Float[np.ndarray, "head distance"]:
    """Return the share of rows in which a head reads at each distance, if there is a key there.

    Distances run from -n to n, where n is the largest one.
    """
    most, able = rows_able(rows.place, rows.keys)
    far = [np.bincount(most + read - rows.place, minlength=len(able)) for read in rows.read]
    return np.stack(far) / np.maximum(able, 1)


def rows_able(
    place: Int[np.ndarray, " row"], keys: Int[np.ndarray, " row"]
) -> tuple[int, Int[np.ndarray, " distance"]]:
    """Count the rows that have a key at each distance from -n to n; return n first."""
    most = int(max(keys.max(), place.max() + 1))
    begins = np.bincount(most - place, minlength=2 * most + 1)
    ends = np.bincount(most - place + keys, minlength=2 * most + 1)
    return most, np.cumsum(begins - ends)
