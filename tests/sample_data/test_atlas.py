"""What is recorded of the main models is of their weights, and is what cutting them gives."""

import pytest

from model.attribution.ablation import corpus_sweep
from model.attribution.cuts import Part
from model.checkpoints.checkpoint import load_checkpoint
from model.text.corpus import make_example
from sample_data.atlas import measure
from sample_data.atlas_record import Atlas, PairScore
from sample_data.pairs import Pair
from sample_data.records import read_record, record_path
from sample_data.tasks import load_held_out
from tests.checkpoints import BY_HEART, load_shipped, write_checkpoints

PAIRS = [Pair(source, target, frozenset()) for source, target in BY_HEART.items()]


def recorded(name: str):
    found = read_record(record_path(Atlas, name), Atlas)
    assert found is not None
    return found


def cut_of(atlas, sublayer: str, head: int | None, how: str = "zero"):
    (found,) = [c for c in atlas.cuts if (c.sublayer, c.head, c.how) == (sublayer, head, how)]
    return found


@pytest.mark.slow
def test_what_is_recorded_is_what_a_cut_gives():
    name, sublayer = "digits-paper", "decoder.layers.1.cross_attn"
    checkpoint, atlas = load_shipped(name), recorded(name)
    pairs = load_held_out("digits")[: atlas.sentences]
    examples = [make_example(checkpoint.info.tokenizers, p.source, p.target) for p in pairs]
    uncut, one = corpus_sweep(checkpoint.model, examples, [(), (Part(sublayer, 0),)])
    assert (atlas.loss, atlas.exact) == pytest.approx((uncut.loss, uncut.exact), abs=2e-3)
    found = cut_of(atlas, sublayer, 0)
    assert (found.loss, found.exact) == pytest.approx((one.loss, one.exact), abs=5e-3)


def test_a_known_value_is_recorded():
    """Measured once by other code: a cut of the first 300 held-out sentences."""
    digits = recorded("digits-paper")
    assert cut_of(digits, "decoder.layers.0.self_attn", None).exact >= 0.99 > digits.exact


def test_an_atlas_has_every_part_in_every_way(tmp_path):
    checkpoint = load_checkpoint(write_checkpoints(tmp_path) / "everyday-paper")
    told = []
    atlas = measure(checkpoint, PAIRS, "digest", lambda *at: told.append(at))
    assert len([c for c in atlas.cuts if c.how == "zero"]) == 6 * (4 + 1) + 4
    assert len([c for c in atlas.cuts if c.how == "even"]) == 6 * (4 + 1)
    assert (atlas.exact, atlas.sentences, atlas.mean_sentences) == (1, 3, 3)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]
    interactions = [pair.interaction for pair in atlas.pairs]
    assert interactions == sorted(interactions, reverse=True)
    assert PairScore(("a", 0), ("a", 1), 0.25, 0.5, 1.0).interaction == 0.25
    with pytest.raises(ValueError, match="at least 1"):
        measure(checkpoint, [], "digest")
