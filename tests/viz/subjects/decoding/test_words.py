from types import SimpleNamespace

import pytest

from texts import say
from viz.subjects.decoding import words
from viz.subjects.decoding.sections import introduction


def test_what_is_odd_is_said_in_plain_words():
    usual = {"finished": True, "causal": True}
    assert words.oddities(5, **usual) == ()
    assert words.oddities(1, **usual) == (say("decoding.ended_at_once"),)
    cut = words.oddities(64, **(usual | {"finished": False}))
    assert cut == (say("decoding.cut_off"),)
    assert words.oddities(5, **(usual | {"causal": False})) == (say("decoding.no_cache"),)


def written(text, total):
    tokens = (*text.split(), "</s>")
    ranks = [0] * len(tokens)
    return words.Written(text, tokens, [0.5] * len(tokens), ranks, total, 100)


def greedy(text, total):
    return words.Greedy(text, total, (*text.split(), "</s>"))


def test_says_at_which_step_a_beam_differs_from_greedy_decoding():
    beam = written("elle aimait la mer", -1.9)
    said = words.answer("Beam", beam, width=4, greedy=greedy("elle a aimé la mer", -2.0))
    assert said.endswith("They differ at step 1: greedy decoding wrote “a”, the beam “aimait”.")
    said = words.answer("Beam", beam, width=4, greedy=greedy("elle a aimé la mer", -1.0))
    assert "the beam prefers “elle aimait la mer”. They differ at step 1" in said
    said = words.answer("Beam", beam, width=4, greedy=greedy("elle aimait la mer", -1.9))
    assert "differ" not in said


def test_the_first_difference_is_where_one_of_two_texts_goes_on():
    assert words.first_difference((1, 2, 3), (1, 4, 3)) == 1
    assert words.first_difference((1, 2), (1, 2, 3)) == 2
    assert words.first_difference((1, 2), (1, 2)) is None


def test_of_a_given_target_it_is_said_how_often_the_model_would_have_written_it():
    said = words.answer("Given", written("elle aimait", -2.0))
    assert "at 3 of 3 steps" in said


@pytest.mark.parametrize(
    ("classes", "second", "step"),
    [({}, 0.002, 0), ({"il": "pronoun"}, 0.002, 2), ({"il": "pronoun"}, 0.04, 1)],
)
def test_opens_where_the_model_hesitates_else_on_a_pronoun(run, monkeypatch, classes, second, step):
    def decoded(token: int, best: float, next_best: float) -> SimpleNamespace:
        found = [SimpleNamespace(probability=best), SimpleNamespace(probability=next_best)]
        return SimpleNamespace(token=token, candidates=lambda _: found)

    il = run.info.tokenizers.target.vocabulary["il"]
    steps = (decoded(5, 0.9, 0.001), decoded(6, 0.8, second), decoded(il, 0.9, 0.001))
    end = decoded(2, 0.5, 0.4)
    known = SimpleNamespace(target=classes)
    monkeypatch.setattr(f"{introduction.__name__}.word_classes", lambda _: known)
    asked = SimpleNamespace(steps=(*steps, end), n_prompt=0, info=run.info)
    assert introduction.telling_step(asked) == step
