"""Which cells a relation means, on sentences that one can read."""

from functools import cache

import pytest

from sample_data.everyday import english_classes, french_classes
from viz.run.jobs import JOBS
from viz.run.relations import Sentence, after_same, one_further, same_before

TEXTS = (
    "the small black cat did not see it because the red house was too wide . </s>",
    "<s> le petit chat noir ne la voyait pas . </s>",
)
SOURCE, TARGET = (text.split() for text in TEXTS)
ALIGNED = {0: {0}, 1: {1}, 2: {3}, 3: {2}, 4: {5}, 5: {7}, 6: {6}, 7: {5}, 8: {15}}
EXPECTED = {
    "determiner_noun": {"the cat", "the house"},
    "adjective_noun": {"small cat", "black cat", "red house"},
    "modifier_noun": {
        "the cat", "small cat", "black cat", "the house", "red house",
    },
    "noun_adjective": {"cat small", "cat black", "house red"},
    "noun_determiner": {"cat the", "house the"},
    "verb_subject": {"see cat"},
    "subject_verb": {"cat see"},
    "auxiliary_verb": {"did see"},
    "verb_auxiliary": {"see did"},
    "auxiliary_subject": {"did cat", "was house"},
    "negation_auxiliary": {"not did"},
    "auxiliary_negation": {"did not"},
    "adjective_adverb": {"wide too"},
    "adjective_said_of": {"wide house"},
    "it_referent": {"it cat"},
    "verb_object": set(),
    "noun_after_determiner": {"chat le"},
    "adjective_after_noun": {"noir chat"},
    "noun_translated": {"chat cat"},
    "adjective_translated": {"petit small", "noir black"},
    "modifier_across": {"le cat", "petit cat", "noir cat"},
    "reads_translated_before": {
        "petit the", "chat small", "noir cat", "ne black", "la not", "voyait it", "pas see",
        ". not", "</s> .",
    },
}  # fmt: skip


@cache
def sentence() -> Sentence:
    return Sentence(
        tuple(SOURCE),
        tuple(TARGET),
        tuple(english_classes().get(word, "") for word in SOURCE),
        tuple(french_classes().get(word, "") for word in TARGET),
        {row: frozenset(keys) for row, keys in ALIGNED.items()},
        {7: 3},
    )


def said(name: str) -> set[str]:
    (job,) = [job for job in JOBS if job.name == name]
    rows = SOURCE if job.kind == "encoder self-attention" else TARGET[1:]
    keys = TARGET if job.kind == "decoder self-attention" else SOURCE
    return {f"{rows[row]} {keys[key]}" for row, key in job.cells(sentence())}


@pytest.mark.parametrize(("name", "pairs"), EXPECTED.items(), ids=list(EXPECTED))
def test_a_relation_is_between_these_words(name, pairs):
    assert said(name) == pairs


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("reads_before", {(row, row - 1) for row in range(1, 17)}),
        ("reads_after", {(row, row + 1) for row in range(16)}),
        ("reads_itself", {(row, row) for row in range(17)}),
        ("reads_end", {(row, 16) for row in range(16)}),
        ("reads_closing_mark", {(row, 15) for row in range(17) if row != 15}),
        ("reads_written", {(row, row) for row in range(10)}),
        ("reads_written_before", {(row, row - 1) for row in range(1, 10)}),
        ("reads_start", {(row, 0) for row in range(1, 10)}),
        ("reads_source_end", {(row, 16) for row in range(9)}),
        ("reads_translated", {(row, key) for row, (key,) in ALIGNED.items()}),
    ],
)
def test_a_place_is_counted_from_the_row(name, cells):
    (job,) = [job for job in JOBS if job.name == name]
    assert set(job.cells(sentence())) == cells


def test_the_token_after_a_phrase_is_after_all_of_it():
    """Where the last token is translated, nothing is further on."""
    of = Sentence(tuple("abcde"), tuple("vwxyz"), ("",) * 5, ("",) * 5, {
        0: frozenset({0, 2}), 1: frozenset({3}), 2: frozenset({1, 4}),
    })  # fmt: skip
    assert set(one_further(of)) == {(0, 3), (1, 4)}


def test_what_followed_the_same_token_is_never_the_token_itself():
    """By hand: the second of two equal neighbours follows the first, and cannot copy itself."""
    of = Sentence.of_one_text(tuple("aabab"))
    assert set(same_before(of)) == {(1, 0), (3, 0), (3, 1), (4, 2)}
    assert set(after_same(of)) == {(3, 1), (3, 2), (4, 3)}
