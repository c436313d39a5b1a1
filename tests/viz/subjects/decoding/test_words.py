import math

from texts import say
from viz.subjects.decoding import words


def test_what_is_odd_is_said_in_plain_words():
    usual = {"finished": True, "causal": True}
    assert words.oddities(5, **usual) == ()
    assert words.oddities(1, **usual) == (say("decoding.ended_at_once"),)
    cut = words.oddities(64, **(usual | {"finished": False}))
    assert cut == ("The sentence was cut off after 64 tokens: the model had not ended it.",)
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
    assert said.endswith("They differ at step 1: greedy wrote “a”, the beam “aimait”.")
    said = words.answer("Beam", beam, width=4, greedy=greedy("elle a aimé la mer", -1.0))
    assert "it prefers “elle aimait la mer”. They differ at step 1" in said
    said = words.answer("Beam", beam, width=4, greedy=greedy("elle aimait la mer", -1.9))
    assert "differ" not in said


def test_the_first_difference_is_where_one_of_two_texts_goes_on():
    assert words.first_difference((1, 2, 3), (1, 4, 3)) == 1
    assert words.first_difference((1, 2), (1, 2, 3)) == 2
    assert words.first_difference((1, 2), (1, 2)) is None


def test_of_a_given_target_its_loss_is_said():
    said = words.answer("Given", written("elle aimait", -3 * math.log(2)))
    assert "at 3 of 3 steps" in said
    assert said.endswith("Its loss is 0.6931 nats per token, a perplexity of 2.000.")
