"""Which cells a relation means, on sentences that one can read."""

import pytest

from sample_data.english_french import english_classes, french_classes
from viz.run.jobs import JOBS
from viz.run.relations import Sentence

TEXTS = (
    "the small black cat did not see it because the red house was too wide . </s>",
    "<s> le petit chat noir ne la voyait pas . </s>",
)
SOURCE, TARGET = (text.split() for text in TEXTS)
ALIGNED = {0: {0}, 1: {1}, 2: {3}, 3: {2}, 4: {5}, 5: {7}, 6: {6}, 7: {5}, 8: {15}}
SENTENCE = Sentence(
    tuple(SOURCE),
    tuple(TARGET),
    tuple(english_classes.get(word, "") for word in SOURCE),
    tuple(french_classes.get(word, "") for word in TARGET),
    {row: frozenset(keys) for row, keys in ALIGNED.items()},
)
EXPECTED = {
    "determiners read their noun": {"the cat", "the house"},
    "adjectives read their noun": {"small cat", "black cat", "red house"},
    "determiners and adjectives read their noun": {
        "the cat", "small cat", "black cat", "the house", "red house",
    },
    "nouns read their adjective": {"cat small", "cat black", "house red"},
    "nouns read their determiner": {"cat the", "house the"},
    "verbs read their subject": {"see cat"},
    "subjects read their verb": {"cat see"},
    "helping verbs read their verb": {"did see"},
    "verbs read their helping verb": {"see did"},
    "helping verbs read their subject": {"did cat", "was house"},
    "“not” reads its helping verb": {"not did"},
    "helping verbs read their “not”": {"did not"},
    "adjectives read their adverb": {"wide too"},
    "adjectives read what they are said of": {"wide house"},
    "“it” reads a noun before it": {"it cat"},
    "verbs read their object": set(),
    "to write a noun, reads the determiner before it": {"chat le"},
    "to write an adjective, reads the noun before it": {"noir chat"},
    "to write a noun, reads what it translates": {"chat cat"},
    "to write an adjective, reads what it translates": {"petit small", "noir black"},
    "to write a determiner or adjective, reads the noun": {"le cat", "petit cat", "noir cat"},
    "reads what was translated just before": {
        "petit the", "chat small", "noir cat", "ne black", "la not", "voyait it", "pas see",
        ". not", "</s> .",
    },
}  # fmt: skip


def said(words: str) -> set[str]:
    (job,) = [job for job in JOBS if job.words == words]
    rows = SOURCE if job.kind == "encoder self-attention" else TARGET[1:]
    keys = TARGET if job.kind == "decoder self-attention" else SOURCE
    return {f"{rows[row]} {keys[key]}" for row, key in job.cells(SENTENCE)}


@pytest.mark.parametrize(("words", "pairs"), EXPECTED.items(), ids=list(EXPECTED))
def test_a_relation_is_between_these_words(words, pairs):
    assert said(words) == pairs


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("reads the token before", {(row, row - 1) for row in range(1, 17)}),
        ("reads the token after", {(row, row + 1) for row in range(16)}),
        ("reads its own token", {(row, row) for row in range(17)}),
        ("reads the end of the sentence", {(row, 16) for row in range(16)}),
        ("reads the closing mark", {(row, 15) for row in range(17) if row != 15}),
        ("reads the token just written", {(row, row) for row in range(10)}),
        ("reads the token written before that", {(row, row - 1) for row in range(1, 10)}),
        ("reads the start of the sentence", {(row, 0) for row in range(1, 10)}),
        ("reads the end of the source", {(row, 16) for row in range(9)}),
        ("reads what it translates", {(row, key) for row, (key,) in ALIGNED.items()}),
    ],
)
def test_a_place_is_counted_from_the_row(words, cells):
    (job,) = [job for job in JOBS if job.words == words]
    assert set(job.cells(SENTENCE)) == cells


def test_every_job_stays_within_the_matrix():
    size = {
        "encoder self-attention": (17, 17),
        "decoder self-attention": (10, 10),
        "cross-attention": (10, 17),
    }
    for job in JOBS:
        rows, keys = size[job.kind]
        assert all(0 <= row < rows and 0 <= key < keys for row, key in job.cells(SENTENCE))
    assert len({(job.kind, job.words) for job in JOBS}) == len(JOBS)
