"""The lessons that are shipped: in order, right, and in words that both languages have."""

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
        "queries-keys-values",
        "square-root",
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
