"""The sentences that the page of decoding offers: found again here, by the decoding itself."""

import json

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.beam import beam, best
from model.decoding.greedy import greedy, sample, score
from sample_data.examples import FOLDER, examples_path, read_examples, weights_digest
from sample_data.find_examples import find_examples
from sample_data.pairs import Pair
from sample_data.tasks import is_held_out
from tests.checkpoints import BY_HEART, SHIPPED, write_checkpoints

NAMES = [
    path.stem for path in sorted(FOLDER.glob("*.json")) if (SHIPPED / f"{path.stem}.json").exists()
]


def total(model, source, ids) -> float:
    return sum(step.log_probability for step in score(model, source, ids))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_does_what_it_is_offered_for(name):
    found = read_examples(examples_path(name))
    checkpoint = load_checkpoint(SHIPPED / name)
    assert found.weights == weights_digest(SHIPPED / name)
    if name in ("english-french-paper-0", "everyday-paper-0"):  # those that open first
        assert found.beam
        assert found.sampling
    model, tokenizers = checkpoint.model, checkpoint.info.tokenizers
    for example in (*found.beam, *found.sampling):
        assert is_held_out(example.source)
        source = torch.tensor([tokenizers.encode_source(example.source).ids])
        own = [step.token for step in greedy(model, source)]
        assert tokenizers.target.decode(own) == example.greedy
        if example in found.beam:
            other = best(
                tuple(beam(model, source, width=found.width, length_penalty=found.length_penalty))
            )
            assert example.other == example.target != example.greedy
            assert total(model, source, other) > total(model, source, own)
        else:
            other = [step.token for step in sample(model, source, seed=found.seed)]
            assert example.other != example.target == example.greedy
        assert tokenizers.target.decode(other) == example.other


def test_nothing_is_found_where_greedy_decoding_is_always_right(tmp_path):
    checkpoint = load_checkpoint(write_checkpoints(tmp_path) / "english-french-paper")
    pairs = [Pair(source, target, frozenset()) for source, target in BY_HEART.items()]
    found = find_examples(checkpoint, pairs, "digest")
    assert found.searched == len(BY_HEART)
    assert found.beam == ()


def test_a_file_that_says_something_else_is_refused(tmp_path):
    assert read_examples(tmp_path / "none.json") is None
    path = tmp_path / "other.json"
    for text in ("[]", "{}", json.dumps({"beam": [{"text": 1}], "sampling": []}), "no json"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"examples of decoding|Expecting"):
            read_examples(path)
