"""The lessons that are shipped: twelve, right, and in words that both languages have."""

from viz.lessons.shipped_lessons import SHORT_PATH, shipped_lessons

LESSONS = shipped_lessons()


def texts(lesson):
    yield from (lesson.title, lesson.goal)
    for step in lesson.steps:
        yield from (step.prompt, step.why, *step.wrong.values(), *step.hints)
        yield from (chip.text for chip in (step.answer.chips if step.answer else ()))


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
