"""The lessons that come with the app, in the order of their path."""

from pathlib import Path

from viz.lessons.lesson import Lesson
from viz.lessons.reading import read_lesson

FOLDER = Path(__file__).parents[2] / "sample_data" / "lessons"
SHORT_PATH = 4
"""Lessons 1 to 4 take ten minutes."""


def shipped_lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """Read the lessons of a folder, those on the path first and in its order.

    Raises:
        LessonError: Where one is wrong.
    """
    found = [read_lesson(path) for path in sorted(folder.glob("*.toml"))]
    return tuple(sorted(found, key=lambda lesson: (lesson.path or 100, lesson.id)))
