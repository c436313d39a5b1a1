"""The lessons that are shipped: twelve, right, and in words that both languages have."""

import pytest

from viz.lessons.__main__ import main
from viz.lessons.shipped_lessons import FOLDER, SHORT_PATH, shipped_lessons
from viz.lessons.validation import check_lesson

LESSONS = shipped_lessons()


def texts(lesson):
    yield from (lesson.title, lesson.goal)
    for step in lesson.steps:
        yield from (step.prompt, step.why, *step.wrong.values(), *step.hints)
        yield from (chip.text for chip in (step.answer.chips if step.answer else ()))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_nothing_is_wrong_with_a_shipped_lesson(lesson, runs):
    assert check_lesson(lesson, runs) == ()


def test_there_are_twelve_in_the_order_of_their_path():
    assert [lesson.path for lesson in LESSONS] == list(range(1, 13))
    assert [lesson.id for lesson in LESSONS[:SHORT_PATH]] == [
        "which-word",
        "who-reads",
        "not-ne-pas",
        "it",
    ]
    assert sum(lesson.minutes for lesson in LESSONS[:SHORT_PATH]) <= 10


def test_french_signs_stand_behind_a_fixed_space():
    for lesson in LESSONS:
        for text in texts(lesson):
            bare = text.said("fr").replace("<s>", "")
            for sign in "»?;:!":
                places = [n for n, one in enumerate(bare) if one == sign and n]
                assert all(bare[n - 1] == "\u00a0" for n in places), bare
            assert "« " not in bare


def test_no_text_names_a_head_by_its_number():
    for lesson in LESSONS:
        said = " ".join(" ".join(text.by_language.values()) for text in texts(lesson))
        assert "L1" not in said
        assert "head 1" not in said


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    right = FOLDER / "depth.toml"
    wrong = tmp_path / "wrong.toml"
    text = right.read_text(encoding="utf-8").replace("kind = ", "knd = ", 1)
    wrong.write_text(text, encoding="utf-8")
    assert main(["check", str(right)]) == 0
    assert capsys.readouterr().out == f"{right}: nothing is wrong\n"
    assert main(["check", str(right), str(wrong)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{right}: nothing is wrong"
    assert lines[1:] == [
        f"{wrong}: step 1: it needs the field “kind”",
        f"{wrong}: step 1: there is no field “knd” here; the nearest is “kind”",
    ]


def test_the_command_measures_what_holds(tmp_path, capsys):
    path = tmp_path / "one.toml"
    text = (FOLDER / "depth.toml").read_text(encoding="utf-8").replace("300", "5")
    path.write_text(text, encoding="utf-8")
    assert main(["holds", str(path)]) == 0
    assert capsys.readouterr().out.count(" holds\n") == 6
    path.write_text(text.replace("at_most = 0.05", "at_least = 0.05"), encoding="utf-8")
    assert main(["holds", str(path)]) == 1
    assert "DOES NOT HOLD" in capsys.readouterr().out
