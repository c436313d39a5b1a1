"""Heads by role, compared with a plain loop, and rows by word."""

import numpy as np
import pytest

from tests.viz.lessons.referents import it_sentences
from viz.lessons.faults import LessonError
from viz.lessons.lesson import See
from viz.lessons.places import find_head, find_row, find_word
from viz.run.axes import all_heads

NAME = "everyday-paper-0"


def test_the_head_of_content_words_is_the_one_that_the_file_says(runs):
    found = runs.checkpoint(NAME)
    best = max(found.info.scores["heads"], key=lambda head: head["content_words"])
    assert find_head(found, "best at content words") == (best["layer"], best["head"])
    best = found.info.scores["best_head"]
    assert find_head(found, "best at all tokens") == (best["layer"], best["head"])


@pytest.mark.slow
def test_the_head_of_it_is_the_one_that_reads_the_right_noun(runs):
    found = runs.checkpoint(NAME)
    layer, head = find_head(found, "best at referents of it")
    for sentence in it_sentences(found.info)[::9]:
        run = runs.run(NAME, sentence.source, "", ())
        row = all_heads(run, "encoder self-attention")[layer, head, run.source.tokens.index("it")]
        assert run.source.tokens[int(row.argmax())] == sentence.referent
        assert sentence.pronoun in run.target_tokens


def test_of_equal_heads_the_last_is_meant(runs, monkeypatch):
    found = runs.checkpoint(NAME)
    rates = np.array([[0.9, 0.2], [0.9, 0.1]])
    monkeypatch.setattr("viz.lessons.places.head_rates", lambda *_: rates)
    assert find_head(found, "best at negations") == (1, 0)


def test_a_model_without_such_a_head_says_how_near_it_comes(runs, monkeypatch):
    monkeypatch.setattr("viz.lessons.places.head_rates", lambda *_: np.array([[0.05, 0.02]]))
    says = f"no head of {NAME} is “best at referents of it”: the best does it in 5%"
    with pytest.raises(LessonError, match=says):
        find_head(runs.checkpoint(NAME), "best at referents of it")
    monkeypatch.undo()
    with pytest.raises(LessonError, match="no head of brackets is"):
        find_head(runs.checkpoint("brackets"), "best at content words")


def test_a_row_is_the_one_that_writes_or_reads_a_word(runs):
    run = runs.run(NAME, "the cat sees the dog .", "", ())
    assert run.target_tokens == ("<s>", "le", "chat", "voit", "le", "chien", ".", "</s>")
    cross = "cross-attention"
    assert find_row(run, See(cross, writes="chat")) == 1
    assert find_row(run, See(cross, reads="chat")) == 2
    assert find_row(run, See(cross, writes="le", place=2)) == 3
    assert find_row(run, See("encoder self-attention", reads="the", place=2)) == 3
    with pytest.raises(LessonError, match="place asks for number 3 of “le”, there is only 2"):
        find_row(run, See(cross, writes="le", place=3))
    with pytest.raises(LessonError, match=r"there is no “chats” .* the nearest is “chat”"):
        find_word(run.target_tokens, "chats", "x")


def test_sentences_of_it_have_two_nouns_of_different_gender(runs):
    found = runs.checkpoint(NAME)
    sentences = it_sentences(found.info)
    assert len({s.source for s in sentences}) == len(sentences) > 100
    for sentence in sentences:
        read = found.info.tokenizers.encode_source(sentence.source)
        assert not read.unknown
        assert {sentence.referent, sentence.other} <= set(read.tokens)
    assert {s.pronoun for s in sentences} == {"il", "elle"}
    assert it_sentences(runs.checkpoint("digits-paper").info) == ()
