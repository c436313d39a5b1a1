"""The example of the page that says how to write a lesson is a lesson without faults."""

import re
from pathlib import Path

import pytest

from tests.checkpoints import SHIPPED
from tests.file_runs import FileRuns
from viz.lessons.lesson import Lesson
from viz.lessons.reading import read_lesson
from viz.lessons.resolution import check_lesson, resolve

PAGE = Path(__file__).parents[4] / "docs" / "lessons.md"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    (example,) = re.findall(
        r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return read_lesson(example.encode(), "two-colours")


def test_the_example_can_be_used_as_it_stands(lesson: Lesson):
    assert check_lesson(lesson, FileRuns(SHIPPED)) == ()


def test_its_texts_say_what_the_run_does(lesson: Lesson):
    found = resolve(lesson, lesson.steps[0], FileRuns(SHIPPED))
    assert found.truth
    assert found.options[int(found.truth.name)].shown == "red"
    assert found.tokens[1:7] == ("le", "chat", "noir", "voit", "la", "maison")
