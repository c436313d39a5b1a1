"""What is offered for words that the shipped models do not know, judged by hand."""

import numpy as np
import pytest

from sample_data.everyday.senses import Sense
from viz.run import session
from viz.run.suggestions import MOST_OFFERED, Place, unknown_places
from viz.run.vocabulary_neighbours import EDGE, Lexis, read_lexis

SMALL = "english-french-paper-0"


def offered(text: str) -> dict[str, tuple[str, ...]]:
    """What is offered, by the unknown word."""
    found = session.offers(SMALL, text, "cpu")
    assert found is not None
    unknown = session.read_info(SMALL).tokenizers.encode_source(text).unknown
    return {word.text.lower(): found[word.start] for word in unknown}


@pytest.mark.parametrize(
    ("text", "word", "sensible"),
    [
        ("I want to go to the bank.", "bank", {"house", "school", "hotel", "city"}),
        ("My grandmother bakes bread.", "bakes", {"buys", "eats", "loves", "has", "cuts", "sees"}),
        ("She loves us.", "us", {"her", "you", "it", "him", "them", "me"}),
        ("The doctor is very friendly.", "friendly", {"happy", "angry", "tired", "close", "sad"}),
    ],
)
def test_what_is_offered_means_something_near(text, word, sensible):
    assert set(offered(text)[word]) <= sensible


@pytest.mark.parametrize(
    ("text", "word", "part", "form"),
    [
        ("She had a beautiful garden.", "had", "verb", {"past", "participle"}),
        ("The boy lost his keys.", "lost", "verb", {"past", "participle"}),
        ("I want to dance.", "want", "verb", {"base"}),
        ("The kitchen is small.", "kitchen", "noun", {"il"}),
    ],
)
def test_what_is_offered_is_of_the_same_form(text, word, part, form):
    senses = session._lexis(session.stamp(SMALL), "cpu").senses
    for known in offered(text)[word]:
        assert {s.form for s in senses[known] if s.part == part} & form, known


@pytest.mark.parametrize(
    ("text", "word", "first"),
    [
        ("The dog gobbled the bread.", "gobbled", {"ate", "eaten"}),
        ("She writed a letter.", "writed", {"write", "wrote", "written", "writes"}),
        ("I see teh cat.", "teh", {"the"}),
    ],
)
def test_words_that_no_lexicon_has_are_judged_by_place_ending_and_slips(text, word, first):
    assert offered(text)[word][0] in first


def test_nothing_is_offered_rather_than_something_else():
    assert offered("My brother likes football.")["football"] == ()
    assert offered("the 🐈 sleeps .")["🐈"] == ()
    assert offered(f"the {'x' * 41} sleeps .")["x" * 41] == ()


def test_at_most_a_few_words_are_answered_and_other_tasks_not_at_all():
    found = session.offers(SMALL, "gnu " * 200, "cpu")
    assert found is not None
    assert len(found) == 8
    assert all(len(known) <= MOST_OFFERED for known in found.values())
    assert session.offers("digits-paper", "copy gnu", "cpu") is None


def test_an_unknown_word_stands_where_it_begins():
    text = "The 🐈 gnu sleeps."
    info = session.read_info(SMALL)
    found = info.tokenizers.encode_source(text)
    read = [info.tokenizers.source.all_tokens[i] for i in found.ids]
    places = unknown_places(found, text, read)
    assert places[6] == Place("gnu", ("the", "🐈"), ("sleeps", "."))


NONE: frozenset[str] = frozenset()


def lexis() -> Lexis:
    """Four words in three sentences."""
    senses = {
        "the": (Sense("determiner", "det", NONE, NONE, 1.0),),
        "cat": (Sense("noun", "il", frozenset({"animal"}), NONE, 1.0),),
        "sleeps": (Sense("verb", "third", frozenset({"animal"}), NONE, 1.0),),
        "walks": (
            Sense("verb", "third", frozenset({"animal"}), NONE, 3.0),
            Sense("noun", "ils", NONE, NONE, 1.0),
        ),
    }
    rows = dict(zip(senses, np.eye(4), strict=True))
    told = [("the", "cat", "sleeps"), ("the", "cat", "walks"), ("the", "walks")]
    return read_lexis(rows, {}, senses, told, {})


def test_the_tags_of_a_word_are_shares():
    assert lexis().tags("walks") == {"verb third": 0.75, "noun ils": 0.25}
    assert lexis().tags("gnu") == {}


def test_a_tag_is_likely_where_it_was_seen():
    likely = lexis().likely_tags("the", "sleeps")
    assert max(likely, key=likely.__getitem__) == "noun il"
    assert sum(likely.values()) == pytest.approx(1)
    end = lexis().likely_tags("cat", EDGE)
    assert max(end, key=end.__getitem__) == "verb third"


def test_the_company_of_a_word_is_the_mean_of_its_neighbours():
    known = lexis()
    before, after = known.company
    expected = known.vectors[known.places["the"]] + known.vectors[known.places["cat"]]
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(before[known.places["walks"]], expected)
    assert not after[known.places["sleeps"]].any()
