"""What lessons state: it holds on the checkpoints that they name, and what is false does not."""

import pytest
import torch

from model.text.corpus import make_example
from sample_data.tasks import TASKS, load_held_out
from viz.lessons.claims import measure, measure_holds
from viz.lessons.lesson import Hold, Lesson, Text
from viz.lessons.shipped_lessons import shipped_lessons

FEW = 16
OTHERS = {"cut": 19}
"""Lessons that so few sentences tell nothing of."""
LESSONS = shipped_lessons()


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_what_a_lesson_states_holds(lesson, runs):
    found = measure_holds(lesson, runs, OTHERS.get(lesson.id, FEW))
    assert found
    wrong = [(m.hold.measure, m.checkpoint, m.value) for m in found if not m.holds]
    assert not wrong


def test_what_is_false_does_not_hold(runs):
    text = Text({"en": "a", "fr": "b"})
    never = Hold("content words read", 5, at_most=0.5)
    always = Hold("row reads its own word", 5, at_least=0.5)
    none = Hold("questions read their mark", 1, at_least=0.0)
    lesson = Lesson("one", text, text, "english-french-paper-0", (), (never, always, none))
    found = measure_holds(lesson, runs)
    assert [m.holds for m in found] == [False, False, False]
    assert found[2].count == 0


def test_content_words_are_counted_as_the_weights_say(runs):
    """Counted once more in plain loops over the words of the alignment."""
    found = runs.checkpoint("english-french-paper-0")
    best = max(found.info.scores["heads"], key=lambda head: head["content_words"])
    scored, right = TASKS[found.info.task].scored_words, []
    for pair in load_held_out(found.info.task)[:FEW]:
        example = make_example(found.info.tokenizers, pair.source, pair.target)
        with torch.inference_mode():
            given = torch.tensor([example.target[:-1]])
            trace = found.model(torch.tensor([example.source]), given)
        weights = trace.decoder.layers[best["layer"]].cross_attn.weights[0, best["head"]]
        for n, word in enumerate(pair.target.split()):
            gold = {s for s, t in pair.alignment if t == n}
            if word in scored and gold:
                right.append(int(weights[n].argmax()) in gold)
    value, count = measure("content words read", found, FEW)
    assert (value, count) == (pytest.approx(sum(right) / len(right)), len(right))


def test_jumps_are_content_rows_that_neither_rule_gets(runs):
    """Counted once more from the alignments alone: how many rows there are."""
    found = runs.checkpoint("english-french-paper-0")
    scored, count = TASKS[found.info.task].scored_words, 0
    for pair in load_held_out(found.info.task)[:FEW]:
        french = pair.target.split()
        read = [{s for s, t in pair.alignment if t == n} for n in range(len(french))]
        for n, word in enumerate(french):
            following = max(read[n - 1]) + 1 if n and read[n - 1] else 0
            count += word in scored and bool(read[n]) and not {n, following} & read[n]
    assert measure("jumps read", found, FEW)[1] == count


@pytest.mark.slow
def test_texts_are_right_as_often_as_the_checkpoint_says(runs):
    found = runs.checkpoint("english-french-paper-0")
    right = 0
    for pair in load_held_out(found.info.task)[:FEW]:
        example = make_example(found.info.tokenizers, pair.source, pair.target)
        ids = [1]
        while len(ids) < 40 and ids[-1] != 2:
            with torch.inference_mode():
                trace = found.model(torch.tensor([example.source]), torch.tensor([ids]))
            ids.append(int(trace.logits[0, -1].argmax()))
        right += tuple(ids) == example.target
    assert measure("right texts", found, FEW) == (right / FEW, FEW)
