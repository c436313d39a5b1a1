"""Files of lessons: valid ones are read, and each fault is reported once, with its place."""

from pathlib import Path

import pytest

from tests.viz.lessons.damaged import CONTENT, FORM, RIGHT, Damage
from viz.lessons.faults import LessonError
from viz.lessons.lesson import Answer, See, Text
from viz.lessons.reading import MOST_BYTES, read_lesson
from viz.lessons.resolution import check_lesson


def said(text: str | bytes) -> list[str]:
    with pytest.raises(LessonError) as error:
        read_lesson(text.encode() if isinstance(text, str) else text, "lesson")
    return [str(fault) for fault in error.value.faults]


def spoilt(damage: Damage) -> str:
    assert damage.old in RIGHT
    return RIGHT.replace(damage.old, damage.new, 1)


def test_a_lesson_is_read_as_it_is_written(tmp_path):
    path = tmp_path / "one-word.toml"
    path.write_text(RIGHT, encoding="utf-8")
    lesson = read_lesson(path)
    (step,) = lesson.steps
    assert lesson.id == "one-word"
    assert lesson.title == Text({"en": "Which word?", "fr": "Quel mot ?"})
    assert step.see == See("cross-attention", "best at content words", writes="noir")
    assert step.answer == Answer("largest")
    assert step.cover == ("row", "words")
    assert step.wrong["see"].said("fr") == "C'est le suivant en anglais."
    assert read_lesson(RIGHT.encode(), "one-word") == lesson


def test_an_upload_may_begin_with_a_mark_and_have_other_line_ends():
    data = b"\xef\xbb\xbf" + RIGHT.replace("\n", "\r\n").encode()
    assert read_lesson(data, "lesson") == read_lesson(RIGHT.encode(), "lesson")


@pytest.mark.parametrize("damage", FORM, ids=lambda damage: damage.new[:30])
def test_one_fault_of_form_is_one_message(damage):
    assert said(spoilt(damage)) == [damage.says]


@pytest.mark.parametrize("damage", CONTENT, ids=lambda damage: damage.new[:30])
def test_one_fault_of_content_is_one_message(damage, runs):
    lesson = read_lesson(spoilt(damage).encode(), "lesson")
    assert [str(fault) for fault in check_lesson(lesson, runs)] == [damage.says]


def test_every_fault_of_a_file_is_told():
    text = RIGHT.replace("title =", "titel =").replace("fr = ", "de = ", 1)
    assert said(text) == [
        "it needs the field “title”",
        "no field here is called “titel”; the nearest is “title”",
    ]
    text = RIGHT.replace('kind = "largest"', 'kind = "written", words = ["il", "il", "elle"]')
    assert len(said(text)) == 3


@pytest.mark.parametrize("name", ["", "Big", "a b", "../up", "a" * 81, "é"])
def test_a_name_is_small_letters_digits_and_hyphens(name):
    with pytest.raises(LessonError, match="small letters, digits and hyphens"):
        read_lesson(RIGHT.encode(), name)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a//b", "a/../b", ".hidden", "a b"])
def test_no_checkpoint_leads_to_another_folder(name):
    text = RIGHT.replace("everyday-paper-0", name)
    assert said(text) == [f"checkpoint: no checkpoint has such a name: “{name}”"]


def test_what_is_no_text_is_refused():
    assert said(b"\xff\xfe") == ["it cannot be read: invalid start byte"]
    assert said(b"") == [
        "it needs the field “checkpoint”",
        "it needs a [[step]]",
        "it needs the field “title”",
        "it needs the field “goal”",
    ]


def test_what_is_too_large_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (MOST_BYTES + 1))
    message = "at most 65,536 bytes, got 65,537"
    assert said(b"#" * (MOST_BYTES + 1)) == [message]
    with pytest.raises(LessonError, match=message):
        read_lesson(path)


def test_what_is_not_there_or_no_file_is_refused(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(LessonError, match="it cannot be read"):
            read_lesson(Path(path))


LINE = "a line has {} characters; at most 3,000 are read"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 2_900, "it is nested too deeply"),
        ("a = " + "[\n" * 30_000, "it is nested too deeply"),
        ("a = " + "{a=" * 900, "it is nested too deeply"),
        ("a" + ".a" * 20_000 + " = 1", LINE.format("40,005")),
        ("path = " + "9" * 60_000, LINE.format("60,007")),
        ('title = "' + "x" * 60_000 + '"', LINE.format("60,010")),
    ],
)
def test_what_would_cost_much_is_refused(text, says):
    assert said(text) == [says]


@pytest.mark.parametrize(
    ("number", "says"),
    [
        ("9" * 2_000, "path: it must be from 0 to 99, got a larger one"),
        ("0x" + "f" * 2_000, "path: it must be from 0 to 99, got a larger one"),
        ("inf", "path: it must be from 0 to 99, got inf"),
        ("nan", "path: it must be from 0 to 99, got nan"),
        ("-1", "path: it must be from 0 to 99, got -1"),
        ("true", "path: it must be a number, got true or false"),
        ('"1"', "path: it must be a number, got text"),
    ],
)
def test_a_number_is_a_small_one(number, says):
    assert said(f"path = {number}\n{RIGHT}") == [says]


def test_more_steps_wrong_answers_than_anyone_needs_are_refused():
    head, step = RIGHT.split("[[step]]")
    assert said(head + "".join(["[[step]]" + step] * 13)) == ["step: at most 12 entries, got 13"]
    wrong = "".join(f'w{n} = {{ en = "a", fr = "b" }}\n' for n in range(12))
    assert said(RIGHT + wrong) == ["step 1.wrong: at most 12 entries, got 13"]


def test_markup_is_text():
    text = RIGHT.replace("You can tell.", "<b onclick=alert(1)>**bold**</b>")
    goal = read_lesson(text.encode(), "lesson").goal
    assert goal.said("en") == "<b onclick=alert(1)>**bold**</b>"


def test_a_deep_table_where_text_belongs_is_told_by_its_kind():
    """From Python 3.14 on, the TOML reader itself refuses such a depth."""
    deep = "goal" + ".a" * 1_000 + " = 1"
    text = RIGHT.replace('goal = { en = "You can tell.", fr = "Vous saurez." }', deep)
    assert {"goal: the language en is missing", "it is nested too deeply"} & set(said(text))
