"""The sentence offered for comparison: similar to the given one, but answered otherwise."""

import pytest

from model.attribution.patching import contest, differences
from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT, SHIPPED
from viz.run.making import make_run
from viz.subjects.mattered.pairing import suggest


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("everyday-paper-0", "the cats slept ."),
        ("digits-paper", "reverse 3 1 4 1 5 9"),
    ],
)
def test_a_sentence_of_every_task_has_one_to_compare_with(name, text):
    checkpoint = load_checkpoint(SHIPPED / name)
    run = make_run(checkpoint, text)
    other = suggest(checkpoint, run)
    assert other
    assert other != text
    ids = checkpoint.info.tokenizers.encode_source(other).ids
    assert len(ids) == len(run.source.ids)
    clean, corrupt = differences(checkpoint.model, contest(checkpoint.model, run.source.ids, ids))
    assert clean - corrupt >= 1


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (DEFAULT, DEFAULT.replace("tired", "wide")),
        ("The animal is too wide.", "The animal is too tired."),
    ],
)
def test_tired_is_compared_with_wide(text, other):
    checkpoint = load_checkpoint(SHIPPED / "everyday-paper-0")
    assert suggest(checkpoint, make_run(checkpoint, text)) == other


def test_a_part_of_a_word_is_not_exchanged():
    checkpoint = load_checkpoint(SHIPPED / "everyday-paper-0")
    text = "I don't know."
    other = suggest(checkpoint, make_run(checkpoint, text))
    assert other is None or "don't" in other or "'" not in other
