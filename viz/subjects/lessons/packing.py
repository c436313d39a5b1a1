"""The lessons and the exam as the browser gets them: no truth of a row before the exam's end."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from texts import language
from viz.frame.lesson.packing import word_asked, written_before
from viz.frame.lesson.progress import Standing
from viz.lessons.exam import PASS, ExamRow
from viz.lessons.lesson import Lesson
from viz.lessons.resolved_step import Resolved
from viz.lessons.shipped_lessons import SHORT_PATH
from viz.run.redaction import COVERED_TOKEN
from viz.subjects.lessons.wire import WireExam, WireExamRow, WireLessons, WireListed


class ExamGiven(NamedTuple):
    """What a person answered to all rows of the exam; nothing before its end."""

    guesses: tuple[str, ...] = ()
    helped: frozenset[int] = frozenset()
    """The rows, from 0, that were answered after a hint."""


NOT_GIVEN = ExamGiven()


def pack_lessons(lessons: Iterable[Lesson], at: Standing | None) -> WireLessons:
    """Pack the list; `at` is where a lesson goes on."""
    return {
        "language": language(),
        "lessons": [_listed(one) for one in lessons],
        "current": at and (at.lesson, at.part),
    }


def _listed(lesson: Lesson) -> WireListed:
    return {
        "id": lesson.id,
        "title": lesson.title.said(language()),
        "goal": lesson.goal.said(language()),
        "minutes": lesson.minutes,
        "asked": [i for i, step in enumerate(lesson.steps, 1) if step.answer],
        "path": 1 <= lesson.path <= SHORT_PATH,
    }


def pack_exam(rows: Sequence[ExamRow], seed: int, given: ExamGiven) -> WireExam:
    """Pack the exam; without guesses nothing of it tells what is so."""
    guesses = given.guesses
    return {
        "seed": seed,
        "language": language(),
        "rows": [_row(row, over=bool(guesses)) for row in rows],
        "guesses": list(guesses),
        "helped": sorted(given.helped),
        "scores": scores(rows, guesses) if guesses else None,
        "enough": PASS,
    }


def scores(rows: Sequence[ExamRow], guesses: Sequence[str]) -> tuple[int, int, int]:
    """Count the rows that the person, the simplest rule and the head have right."""
    truths = [row.resolved.truth and row.resolved.truth.name for row in rows]
    simple = [row.resolved.simple for row in rows]
    heads = [max(row.resolved.options, key=lambda o: o.value or 0.0).name for row in rows]

    def right(answers: Iterable[str | None]) -> int:
        return sum(a == t for a, t in zip(answers, truths, strict=True))

    return right(guesses), right(simple), right(heads)


def _row(row: ExamRow, *, over: bool) -> WireExamRow:
    resolved = row.resolved
    truth = resolved.truth.name if over and resolved.truth else ""
    return {
        "options": [
            {"name": o.name, "text": o.shown, "weight": o.value if over else None, "picture": None}
            for o in resolved.options
        ],
        "written": written_before(resolved),
        "gloss": row.gloss,
        "following": word_asked(resolved) if over else COVERED_TOKEN,
        "link": _link(resolved, truth) if over else "",
        "truth": truth,
    }


def _link(resolved: Resolved, truth: str) -> str:
    """Return the address of a row in the model, with the cell selected that was asked for."""
    key = [option.name for option in resolved.options].index(truth)
    return f"{resolved.page}?{urlencode({**resolved.query, 'key': key, 'lang': language()})}"
