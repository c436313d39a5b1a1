"""The sentences that the page of decoding offers: found again here, by the decoding itself."""

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.beam import beam, best
from model.decoding.greedy import greedy, sample, score
from sample_data.examples import DecodingExamples
from sample_data.find_examples import find_examples
from sample_data.pairs import Pair
from sample_data.records import FOLDER, read_record, record_path
from sample_data.tasks import is_held_out
from tests.checkpoints import BY_HEART, load_shipped, write_checkpoints

NAMES = sorted(path.stem for path in (FOLDER / DecodingExamples.folder).glob("*.json"))


def total(model, source, ids) -> float:
    return sum(step.log_probability for step in score(model, source, ids))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_does_what_it_is_offered_for(name):
    found = read_record(record_path(DecodingExamples, name), DecodingExamples)
    checkpoint = load_shipped(name)
    if name in ("everyday-paper-0", "everyday-paper-0"):  # those that open first
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
    checkpoint = load_checkpoint(write_checkpoints(tmp_path) / "everyday-paper")
    pairs = [Pair(source, target, frozenset()) for source, target in BY_HEART.items()]
    found = find_examples(checkpoint, pairs, "digest")
    assert found.searched == len(BY_HEART)
    assert found.beam == ()
