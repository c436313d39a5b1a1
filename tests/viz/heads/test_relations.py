"""Which cells a relation means, in sentences short enough to check by reading."""

from functools import cache

import pytest

from sample_data.everyday import english_classes, french_classes
from viz.heads.jobs import JOBS
from viz.heads.relations import Sentence, after_same, one_further, same_before

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


PLACES = {
    "reads_before": {(row, row - 1) for row in range(1, 17)},
    "reads_after": {(row, row + 1) for row in range(16)},
    "reads_itself": {(row, row) for row in range(17)},
    "reads_end": {(row, 16) for row in range(16)},
    "reads_closing_mark": {(row, 15) for row in range(17) if row != 15},
    "reads_written": {(row, row) for row in range(10)},
    "reads_written_before": {(row, row - 1) for row in range(1, 10)},
    "reads_start": {(row, 0) for row in range(1, 10)},
    "reads_source_end": {(row, 16) for row in range(9)},
    "reads_translated": {(row, key) for row, (key,) in ALIGNED.items()},
}


@pytest.mark.parametrize(("name", "cells"), PLACES.items(), ids=list(PLACES))
def test_a_place_is_counted_from_the_row(name, cells):
    (job,) = [job for job in JOBS if job.name == name]
    assert set(job.cells(sentence())) == cells


def test_the_token_after_a_phrase_is_after_all_of_it():
    """If the last token is translated, no token comes after it."""
    of = Sentence(tuple("abcde"), tuple("vwxyz"), ("",) * 5, ("",) * 5, {
        0: frozenset({0, 2}), 1: frozenset({3}), 2: frozenset({1, 4}),
    })  # fmt: skip
    assert set(one_further(of)) == {(0, 3), (1, 4)}


def test_what_followed_the_same_token_is_never_the_token_itself():
    """By hand: the second of two equal neighbours follows the first but cannot copy itself."""
    of = Sentence.of_one_text(tuple("aabab"))
    assert set(same_before(of)) == {(1, 0), (3, 0), (3, 1), (4, 2)}
    assert set(after_same(of)) == {(3, 1), (3, 2), (4, 3)}


MADE = (
    "she has not slowly eaten the old bread . </s>",
    "<s> elle n' a pas mangé lentement le vieux pain . </s>",
)
MADE_CLASSES = (
    "pronoun auxiliary negation adverb verb determiner adjective noun mark end",
    "start pronoun negation auxiliary negation verb adverb determiner adjective noun mark end",
)
MADE_ALIGNED = {0: 0, 1: 2, 2: 1, 3: 2, 4: 4, 5: 3, 6: 5, 7: 6, 8: 7, 9: 8, 10: 9}
MADE_EXPECTED = {
    "verb_object": {"eaten bread"},
    "object_verb": {"bread eaten"},
    "verb_subject": {"eaten she"},
    "subject_verb": {"she eaten"},
    "auxiliary_subject": {"has she"},
    "subject_auxiliary": {"she has"},
    "auxiliary_verb": {"has eaten"},
    "verb_auxiliary": {"eaten has"},
    "negation_auxiliary": {"not has"},
    "auxiliary_negation": {"has not"},
    "noun_after_determiner": {"pain le"},
    "adjective_after_noun": set(),
    "verb_after_subject": {"a elle", "mangé elle"},
    "verb_after_auxiliary": {"mangé a"},
    "negation_after_verb": {"pas a"},
    "reads_further": {
        "elle has", "n' slowly", "a not", "pas slowly", "mangé the", "lentement eaten", "le old",
        "vieux bread", "pain .", ". </s>",
    },
    "modifier_across": {"le bread", "vieux bread"},
    "verb_across": {"mangé she", "a she"},
    "noun_translated": {"pain bread"},
    "verb_translated": {"mangé eaten"},
    "adjective_translated": {"vieux old"},
    "adverb_translated": {"lentement slowly"},
    "determiner_translated": {"le the"},
    "pronoun_translated": {"elle she"},
    "auxiliary_translated": {"a has"},
    "negation_translated": {"n' not", "pas not"},
}  # fmt: skip


@pytest.mark.parametrize(("name", "pairs"), MADE_EXPECTED.items(), ids=list(MADE_EXPECTED))
def test_a_relation_is_between_words_whose_classes_are_given(name, pairs):
    """The parts of speech are given here, so no word list decides them."""
    source, target = (tuple(text.split()) for text in MADE)
    classes = [tuple(names.split()) for names in MADE_CLASSES]
    aligned = {row: frozenset({key}) for row, key in MADE_ALIGNED.items()}
    (job,) = [job for job in JOBS if job.name == name]
    rows = source if job.kind == "encoder self-attention" else target[1:]
    keys = target if job.kind == "decoder self-attention" else source
    cells = job.cells(Sentence(source, target, classes[0], classes[1], aligned))
    assert {f"{rows[row]} {keys[key]}" for row, key in cells} == pairs


def test_no_job_is_without_a_sentence_that_shows_it():
    shown = EXPECTED.keys() | MADE_EXPECTED.keys() | PLACES.keys()
    assert shown == {job.name for job in JOBS}
