"""The list of the lessons as the browser gets it."""

from collections.abc import Iterable

from texts import language
from viz.frame.lesson.progress import Standing
from viz.lessons.lesson import Lesson
from viz.lessons.shipped_lessons import SHORT_PATH
from viz.subjects.lessons.wire import WireLessons, WireListed


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
