"""The exam: ten rows of unseen sentences where reading from left to right is always wrong.

Asked are rows that write a word of content which does not come next, neither in the order of the
source nor on the diagonal, and rows that write the "ne" of "ne ... pas". The sentences are held
out: no training has seen them.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from model.checkpoints.checkpoint import Checkpoint
from sample_data.pairs import Pair
from sample_data.tasks import TASKS, load_held_out
from viz.lessons.faults import LessonError, refuse
from viz.lessons.lesson import NO_TEXT, Answer, HeadName, Lesson, See, Step
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved
from viz.lessons.runs import Runs
from viz.run.alignment import gold_links

ROWS = 10
PASS = 8
_NEGATIONS = ("ne", "n'")
_MOST_NEGATIONS = 2
_LONGEST, _SHORTEST = 12, 6
"""Words of a sentence."""
_ODD = frozenset({"more", "most", "many", "other", "another", "every", "any", "very", "please"})
"""Most are piled up before nouns, as in "more very stupid officers": nobody says that."""
_LEAST_LETTERS = 4
"""Of an asked word: shorter ones, as "a" for "has", stand for much else."""


@dataclass(frozen=True)
class ExamRow:
    """One question: which source token does this row read?"""

    resolved: Resolved
    gloss: str
    """The English word that the asked French word translates: a hint, where one is asked for."""


def draw_exam(runs: Runs, checkpoint: str, seed: int) -> tuple[ExamRow, ...]:
    """Draw ten rows of different held-out sentences; the same for the same seed and checkpoint.

    Raises:
        LessonError: Where the checkpoint's task has no such sentences, or too few.
    """
    found = runs.checkpoint(checkpoint)
    if found.info.task not in TASKS or not found.anatomy.translates:
        raise refuse("checkpoint", "no_sentences", name=checkpoint)
    pairs = load_held_out(found.info.task)
    random.Random(f"exam {seed}").shuffle(pairs)
    rows: list[ExamRow] = []
    negations = 0
    for pair in pairs:
        if not _is_plain(pair.source):
            continue
        row = next(_rows(found, checkpoint, pair, runs, negations < _MOST_NEGATIONS), None)
        if row is not None:
            rows.append(row)
            see = row.resolved.step.see
            negations += see is not None and see.writes in _NEGATIONS
        if len(rows) == ROWS:
            return tuple(rows)
    raise refuse("checkpoint", "few_rows", name=checkpoint, count=len(rows), most=ROWS)


def _is_plain(source: str) -> bool:
    """Return whether a sentence is short, and no word of it makes it an odd one."""
    words = source.split()
    return _SHORTEST <= len(words) <= _LONGEST and "<" not in source and not _ODD & set(words)


def _rows(
    found: Checkpoint, name: str, pair: Pair, runs: Runs, with_negation: bool
) -> Iterator[ExamRow]:
    """Yield the rows of a sentence that can be asked for: the run is right, and reads clearly."""
    run = runs.run(name, pair.source, "", ())
    links = gold_links(run)
    if links is None or run.source.copied:
        return
    scored = TASKS[found.info.task].scored_words
    for row, word in enumerate(run.target_tokens[1:]):
        if not row:  # before anything is written, nothing says where the reading will jump
            continue
        gold = {key for at, key in links if at == row}
        negation = word in _NEGATIONS
        alone = run.target_tokens.count(word) == 1
        content = word in scored and len(word) >= _LEAST_LETTERS
        if not alone or len(gold) != 1 or not (content or (negation and with_negation)):
            continue
        try:
            resolved = resolve(_lesson(name), _step(name, pair.source, word, negation), runs)
        except LessonError:  # two weights too near to each other, or no such head
            continue
        (key,) = gold
        truth = resolved.truth
        if truth and truth.name == str(key) and str(key) not in (resolved.simple, str(row)):
            yield ExamRow(resolved, run.source.tokens[key])


def _step(checkpoint: str, source: str, word: str, negation: bool) -> Step:
    head: HeadName = "best at negations" if negation else "best at content words"
    return Step(
        kind="check",
        page="attention",
        source=source,
        prompt=NO_TEXT,
        see=See("cross-attention", head, writes=word),
        checkpoint=checkpoint,
        cover=("row", "words", "numbers"),
        answer=Answer("largest"),
    )


def _lesson(checkpoint: str) -> Lesson:
    return Lesson("exam", NO_TEXT, NO_TEXT, checkpoint, ())
