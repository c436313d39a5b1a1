"""Checking a lesson against the checkpoints that it names: words, rows, roles, answers, edits."""

from collections.abc import Iterator

from viz.lessons.faults import Fault, LessonError, nearest, told
from viz.lessons.lesson import Lesson
from viz.lessons.reading_steps import OTHER
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved
from viz.lessons.runs import Runs


def check_lesson(lesson: Lesson, runs: Runs) -> tuple[Fault, ...]:
    """Resolve every step and give every fault; none where all of it can be asked."""
    faults: list[Fault] = []
    for number, step in enumerate(lesson.steps, 1):
        try:
            found = list(_wrong_texts(resolve(lesson, step, runs)))
        except LessonError as error:
            found = list(error.faults)
        faults += [Fault(".".join((f"step {number}", fault.place)), fault.says) for fault in found]
    return tuple(faults)


def _wrong_texts(resolved: Resolved) -> Iterator[Fault]:
    """Find texts for wrong answers that nobody can give, or that are right."""
    if resolved.truth is None or not resolved.options:
        return
    called = {option.name: option.called for option in resolved.options}
    for word in resolved.step.wrong:
        if word == OTHER:
            continue
        if word not in called.values():
            close = nearest(word, list(called.values()))
            yield Fault(f"wrong.{word}", told("no_click", close, word=word))
        elif called.get(resolved.truth.name) == word:
            yield Fault(f"wrong.{word}", told("is_right", word=word))
