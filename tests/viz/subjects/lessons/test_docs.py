"""The guide to writing a lesson: its example is valid, and its tables list every name."""

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from tests.file_runs import shipped_runs
from viz.lessons.fields import Fields
from viz.lessons.lesson import (
    PAGE_QUERY,
    AnswerKind,
    Compared,
    Count,
    Cover,
    HeadName,
    Lesson,
    Number,
    Step,
)
from viz.lessons.reading import read_lesson, shipped_lessons
from viz.lessons.reading_steps import _CHIPS, _HIDES, _OF, _OWN, _OWN_OF, _answer
from viz.lessons.resolution import check_lesson, resolve

PAGE = Path(__file__).parents[4] / "docs" / "lessons.md"


TEXT = PAGE.read_text("utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return read_lesson(EXAMPLES[0].encode(), "two-colours")


def rows_under(heading: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading, by the names in their first column."""
    table = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    _head, _line, *lines = re.findall(r"^\|(.+)\|$", table, re.MULTILINE)
    rows = [re.split(r" *\| *", line) for line in lines]
    return {name: cells for first, *cells in rows for name in re.findall(r"`(\w+)`", first)}


def names_in(cell: str) -> set[str]:
    return set(re.findall(r"`([\w ]+)`", cell))


def test_the_table_of_answers_is_that_of_the_reader() -> None:
    rows = rows_under("Kinds of answers")
    assert rows.keys() == set(get_args(AnswerKind))
    for kind, (_question, fields, covers, replies) in rows.items():
        more = {field for of in _OF.get(kind, ()) for field in _OWN_OF.get(of, ())}
        assert names_in(fields) == {*_OWN[kind], *more}, kind
        assert names_in(covers) - {"thumbnails"} == set(_HIDES[kind]), kind
        assert names_in(replies) - {"other"} == set(_CHIPS.get(kind, ())), kind
    of = {name for kind in (Number, Count, Compared) for name in get_args(kind)}
    assert of <= {name for cells in rows.values() for name in names_in(cells[0])}


def test_the_other_tables_name_all_there_is() -> None:
    assert rows_under("Covers").keys() == set(get_args(Cover))
    pages = rows_under("Pages")
    assert {page: names_in(cells[0]) for page, cells in pages.items()} == dict(PAGE_QUERY)
    fields = rows_under("The file")
    assert {*fields, "wrong"} == set(Step.__dataclass_fields__)
    flat = " ".join(TEXT.split())
    assert [head for head in get_args(HeadName) if f"`{head}`" not in flat] == []


def test_the_examples_of_answers_are_read_without_faults() -> None:
    answers = [
        line for example in EXAMPLES for line in example.splitlines() if line[:8] == "answer ="
    ]
    answers += [example.replace("step.", "") for example in EXAMPLES if "[step.answer]" in example]
    kinds = set()
    for answer in answers:
        faults: list = []
        read = _answer(Fields(tomllib.loads(answer)["answer"], "", faults))
        assert faults == [], answer
        kinds.add(read and read.kind)
    assert kinds == set(get_args(AnswerKind))


def test_the_example_can_be_used_as_it_stands(lesson: Lesson):
    assert check_lesson(lesson, shipped_runs()) == ()


def test_its_texts_say_what_the_run_does(lesson: Lesson):
    found = resolve(lesson, lesson.steps[0], shipped_runs())
    assert found.truth
    assert found.options[int(found.truth.name)].shown == "red"
    assert found.tokens[1:7] == ("le", "chat", "noir", "voit", "la", "maison")


def test_the_plans_for_a_class_name_lessons_by_their_titles() -> None:
    plans = PAGE.with_name("teach.md").read_text("utf-8").split("## Typical wrong answers")[0]
    last_cells = re.findall(r"^\|.*\| ([^|]+) \|$", plans, re.MULTILINE)
    named = re.findall(r"“([^”]+)”", " ".join(last_cells))
    assert len(named) > 5
    titles = {lesson.title.said("en") for lesson in shipped_lessons()}
    assert set(named) <= titles


def test_the_plans_for_a_class_take_as_long_as_they_say() -> None:
    plans = PAGE.with_name("teach.md").read_text("utf-8").split("## Typical wrong answers")[0]
    _goals, first, second = re.split(r"^## A plan for ", plans, flags=re.MULTILINE)
    minutes = [
        sum(map(int, re.findall(r"^\| (\d+) \|", plan, re.MULTILINE))) for plan in (first, second)
    ]
    assert minutes == [45, 90 - 45 - 5]  # less the first lesson and a break
