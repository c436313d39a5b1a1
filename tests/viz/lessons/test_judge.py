"""Judging guesses: right or wrong, the lesson's own text, and a full sentence in both languages."""

import re

import numpy as np
import pytest

from model.interventions.kinds import Intervention
from texts import speaking
from viz.lessons.judge import chip_text, judge
from viz.lessons.lesson import Chip
from viz.lessons.reading import shipped_lessons
from viz.lessons.resolution import resolve

LESSONS = {lesson.id: lesson for lesson in shipped_lessons()}


@pytest.fixture(scope="module")
def first(runs):
    return resolve(LESSONS["which-word"], LESSONS["which-word"].steps[1], runs)


def asked(runs, id, number):
    return resolve(LESSONS[id], LESSONS[id].steps[number], runs)


def named(resolved, shown: str) -> str:
    return next(option.name for option in resolved.options if option.shown == shown)


def weight(resolved) -> str:
    """Write the weight of the right option; it depends on the training."""
    return f"{resolved.truth.value:.2f}"


def test_a_wrong_word_is_told_beside_the_right_one_with_its_weight(first):
    found = judge(first, named(first, "sees"))
    assert not found.right
    assert found.sentence == f"You said “sees”; it read “black”: {weight(first)}."
    assert found.wrong == first.step.wrong["sees"].said("en")
    with speaking("fr"):
        found = judge(first, named(first, "sees"))
    said = "Vous avez dit «\u00a0sees\u00a0»\u202f; c’est «\u00a0black\u00a0» qui est lu\u00a0: "
    assert found.sentence == said + weight(first).replace(".", ",") + "."
    assert found.wrong == first.step.wrong["sees"].said("fr")


def test_a_right_word_has_no_text_for_wrong_ones(first):
    found = judge(first, named(first, "black"))
    assert (found.right, found.wrong) == (True, "")
    assert found.sentence == f"It read “black”: {weight(first)}."


def test_a_row_is_named_by_the_word_that_it_reads(runs):
    resolved = asked(runs, "who-reads", 0)
    found = judge(resolved, named(resolved, "maison"))
    assert found.sentence == "You said “maison”; the row of “la” does the reading."
    assert found.wrong.startswith("“maison” does not exist yet")
    assert judge(resolved, named(resolved, "la")).right


@pytest.mark.slow
def test_a_chip_says_what_the_lesson_or_the_house_says(runs):
    sharper = asked(runs, "sharpness", 3)
    assert isinstance(sharper.step.answer.chips[0], Chip)
    assert chip_text(sharper, "less") == "sharper: fewer words get the weight"
    depth = asked(runs, "depth", 0)
    with speaking("fr"):
        assert chip_text(depth, "layer 0") == "après la couche 0"
    found = judge(depth, "layer 0")
    said = "You said “after layer 0”; the model’s run says “after layer 1”. "
    said += "From depth to depth, the model would write “"
    assert found.sentence.startswith(said)
    assert found.sentence.endswith("”, “noir”.")
    assert found.sentence.count("noir") == 1
    assert chip_text(asked(runs, "cut", 0), "elle") == "elle"


def test_what_scaled_scores_do_to_rows_and_text_is_told_as_the_run_has_it(runs):
    scaled = Intervention("scale", "encoder.layers.*.self_attn.scores", amount=4.0)
    source = LESSONS["sharpness"].steps[3].source
    told = []
    for made in ((), (scaled,)):
        run = runs.run("everyday-paper-0", source, "", made)
        rows = np.stack([layer.self_attn.weights[0] for layer in run.trace.encoder.layers])
        sharp = f"{100 * (rows.max(-1) > 0.99).mean():.0f}"
        told.append((sharp, 1 - (rows**2).sum(-1).mean()))
    (before, learns), (after, learns_now) = told
    said = judge(asked(runs, "sharpness", 3), "same").sentence
    rows = rf"Rows with a weight of 99% or more: {before}\s?% before, {after}\s?% now"
    assert re.search(rf"It still translates the same\. {rows}", said)
    assert f"Gradient through the softmax: {learns:.2f} before, {learns_now:.2f} now." in said


def test_what_became_of_the_largest_weight_is_told(runs):
    resolved = asked(runs, "queries-keys-values", 1)
    place, source = resolved.place, resolved.step.source
    run = runs.run("everyday-paper-0", source, "", ())
    layer = run.trace.encoder.layers[place.layer]
    before = f"{layer.self_attn.weights[0, place.head, place.query].max():.2f}"
    now = f"{1 / len(run.source.ids):.2f}"  # equal keys, equal shares
    assert judge(resolved, "less").sentence.endswith(f"Before {before}, now {now}.")
    with speaking("fr"):
        said = judge(resolved, "less").sentence
    assert f"Avant\u00a0: {before.replace('.', ',')}\u202f; maintenant" in said


def test_both_translations_are_told_where_two_are_compared(runs):
    said = judge(asked(runs, "word-order", 0), "same").sentence
    assert "“le chat voit le chien.” and “le chien voit le chat.”" in said
    without = asked(runs, "word-order", 1)
    positions = (Intervention("zero", "source_embedding.positions"),)
    one = runs.run("everyday-paper-0", without.step.source, "", positions).text
    assert judge(without, "same").sentence == f"The model’s run agrees. Both become “{one}”"


@pytest.mark.parametrize(
    ("guess", "right", "key"),
    [("0.35", True, None), ("0,4", True, None), (" .45 ", True, None), ("0.9", False, "high")],
)
def test_a_number_may_be_somewhat_off(runs, guess, right, key):
    resolved = asked(runs, "how-sure", 0)
    with speaking("fr"):
        found = judge(resolved, guess)
    assert found.right == right
    assert found.wrong == (resolved.step.wrong[key].said("fr") if key else "")
    assert f"{resolved.truth.value:.2f}".replace(".", ",") in found.sentence


def test_an_order_names_every_picture_once(runs):
    resolved = asked(runs, "learned", 0)
    assert judge(resolved, resolved.truth.name).right
    backwards = " ".join(reversed(resolved.truth.name.split()))
    assert not judge(resolved, backwards).right
    for guess in ("A B", "A A B", "A B C D", "", "A B X"):
        with pytest.raises(ValueError, match="is not a possible answer"):
            judge(resolved, guess)


@pytest.mark.parametrize("guess", ["", "-1", "99", "black", "x" * 10_000])
def test_what_cannot_be_clicked_is_no_guess(first, guess):
    with pytest.raises(ValueError, match="is not a possible answer") as error:
        judge(first, guess)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("guess", ["", "many", "nan", "inf", "1e999", "1_0", "0x1", "1.2.3"])
def test_what_is_no_number_is_no_guess(runs, guess):
    with pytest.raises(ValueError, match="is not a possible answer"):
        judge(asked(runs, "how-sure", 0), guess)
