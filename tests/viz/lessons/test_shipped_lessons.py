"""The shipped lessons: in order, valid, and in words that both languages have."""

import re

from viz.lessons.reading import SHORT_PATH, shipped_lessons

LESSONS = shipped_lessons()


def texts(lesson):
    yield from (lesson.title, lesson.goal)
    for step in lesson.steps:
        yield from (step.prompt, step.why, *step.wrong.values(), *step.hints)
        yield from (chip.text for chip in (step.answer.chips if step.answer else ()))


def test_they_stand_in_the_order_of_their_path_and_the_first_four_take_ten_minutes():
    assert [lesson.path for lesson in LESSONS] == list(range(1, len(LESSONS) + 1))
    assert [lesson.id for lesson in LESSONS[:SHORT_PATH]] == [
        "which-word",
        "it",
        "cut",
        "queries-keys-values",
    ]
    assert sum(lesson.minutes for lesson in LESSONS[:SHORT_PATH]) <= 10


NEEDS = {
    "who-reads": ("which-word",),
    "cut": ("it",),
    "square-root": ("sharpness",),
    "find-the-head": ("sharpness",),
    "what-is-added": ("find-the-head",),
    "the-other-half": ("what-is-added",),
    "depth": ("what-is-added",),
    "peeking": ("who-reads",),
    "word-order": ("sharpness",),
    "learned": ("sharpness", "square-root"),
}
"""For each lesson, those whose ideas it uses: dot products and softmax, the two names of a row."""


def test_a_lesson_comes_after_those_that_it_needs():
    place = {lesson.id: lesson.path for lesson in LESSONS}
    assert [one for one in NEEDS if any(place[other] > place[one] for other in NEEDS[one])] == []


def test_a_lesson_counts_rows_only_once_their_two_names_are_known():
    place = {lesson.id: lesson.path for lesson in LESSONS}
    counting = [
        lesson.path
        for lesson in LESSONS
        for step in lesson.steps
        if step.answer and step.answer.of in ("keys in reach", "predictions in a pass")
    ]
    assert place["who-reads"] < min(counting)


def test_french_signs_come_after_their_spaces():
    spaces = {"\u00a0": "»:%", "\u202f": "?;!"}
    for lesson in LESSONS:
        for text in texts(lesson):
            bare = text.said("fr").replace("<s>", "")
            for space, signs in spaces.items():
                places = [n for n, one in enumerate(bare) if one in signs and n]
                assert all(bare[n - 1] == space for n in places), bare
            assert "« " not in bare
            assert "'" not in re.sub("«[^»]*»", "", bare), bare


def test_no_text_names_a_head_by_its_number():
    for lesson in LESSONS:
        said = " ".join(" ".join(text.by_language.values()) for text in texts(lesson))
        assert "L1" not in said
        assert "head 1" not in said
