"""The exam: who follows the lessons passes, who reads from left to right gets nothing."""

import pytest

from sample_data.gold import find_gold
from sample_data.tasks import load_held_out
from viz.lessons.exam import ROWS, draw_exam
from viz.lessons.faults import LessonError
from viz.lessons.judge import judge

NAMES = {"everyday-paper-0": "everyday", "english-french-paper-0": "english-french"}
SEEDS = range(2)


@pytest.fixture(scope="module", params=NAMES)
def exams(request, runs):
    return request.param, [draw_exam(runs, request.param, seed) for seed in SEEDS]


def score(exam, guess) -> int:
    return sum(judge(row.resolved, str(guess(row))).right for row in exam)


def by_the_lessons(row) -> int:
    """Guess as the texts say: the English word that the asked French word translates."""
    step, task = row.resolved.step, NAMES[row.resolved.query["checkpoint"]]
    gold = find_gold(task, step.source)
    french = gold.target.split()
    (english,) = {s for s, t in gold.alignment if french[t] == step.see.writes}
    return english


@pytest.mark.slow
def test_a_reader_who_follows_the_lessons_has_all_ten(exams):
    for exam in exams[1]:
        assert score(exam, by_the_lessons) == ROWS


def test_who_guesses_the_diagonal_or_reads_on_has_none(exams):
    for exam in exams[1]:
        assert score(exam, lambda row: row.resolved.place.query) == 0
        assert not any(judge(row.resolved, "0").simple_right for row in exam)
        reads_on = [row for row in exam if row.resolved.simple is not None]
        assert score(reads_on, lambda row: row.resolved.simple) == 0


def test_the_sentences_are_held_out_and_all_different(exams):
    name, found = exams
    held_out = {pair.source for pair in load_held_out(NAMES[name])}
    for exam in found:
        sources = [row.resolved.step.source for row in exam]
        assert len(exam) == len(set(sources)) == ROWS
        assert set(sources) <= held_out


def test_the_same_seed_draws_the_same_rows_and_another_one_others(exams, runs):
    name, found = exams
    again = [row.resolved.step.source for row in draw_exam(runs, name, 0)]
    drawn = [[row.resolved.step.source for row in exam] for exam in found]
    assert again == drawn[0]
    assert drawn[0] != drawn[1]


def test_the_gloss_is_the_word_that_is_read(exams):
    for row in exams[1][0]:
        options = {option.name: option.shown for option in row.resolved.options}
        assert options[row.resolved.truth.name] == row.gloss


@pytest.mark.parametrize("name", ["brackets", "induction-two-heads"])
def test_a_model_that_translates_nothing_has_no_exam(name, runs):
    with pytest.raises(LessonError, match="no held-out sentences"):
        draw_exam(runs, name, 0)
