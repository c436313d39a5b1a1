import pytest
import torch

from model.config import TransformerConfig
from model.decoding.greedy import greedy
from model.foreign.errors import FolderError
from model.foreign.imports.families.t5 import FAMILY
from model.foreign.imports.load import open_folder
from model.foreign.imports.settings import Settings
from model.positions import relative_bucket
from tests.model.foreign.imports.encoders import (
    TARGET,
    check_every_tensor,
    opened,
    sharpened,
    written,
)
from tests.model.foreign.imports.folders import edit_config
from tests.model.foreign.imports.oracle import VOCABULARY, build, save, transformers

SMALL = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "d_kv": 6,
    "d_ff": 48,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 6,
    "decoder_start_token_id": 0,
}
WRITES = "T5ForConditionalGeneration T5Config"
SECOND = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
"""The changes of T5 1.1."""
MANY_BUCKETS = {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 17}
ENCODER = "T5EncoderModel T5Config"
SOURCE = torch.tensor([[9, 31, 44, 7, 25, 13, 8, 1]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (WRITES, {}),
        (WRITES, SECOND),
        (WRITES, MANY_BUCKETS),
        (ENCODER, {"feed_forward_proj": "gelu", "layer_norm_epsilon": 1e-3}),
        ("MT5ForConditionalGeneration MT5Config", {}),
    ],
    ids=["first", "gated", "32 buckets", "encoder alone", "mT5"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL | settings), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, SECOND])
def test_writes_what_generate_writes(settings, tmp_path):
    """The start token has the padding id, which the model may also write."""
    for seed in range(2):
        theirs = sharpened(WRITES, seed, **SMALL, **settings)
        ours = opened(theirs, tmp_path / str(seed))
        steps = greedy(ours, SOURCE, max_length=16, bos_id=0, eos_id=1)
        assert [step.token for step in steps] == written(theirs, SOURCE, 16)


def test_bare_stacks_write_with_their_embeddings(tmp_path):
    ours = opened(sharpened("T5Model T5Config", **SMALL), tmp_path)
    theirs = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path)
    expected = theirs(SOURCE, decoder_input_ids=TARGET[:1]).logits
    torch.testing.assert_close(ours(SOURCE, TARGET[:1]).logits, expected, atol=1e-5, rtol=0)


def test_matrix_of_its_own_for_logits_is_kept_apart():
    """T5 1.1 is stored so, although today's config.json always says that all weights are tied."""
    theirs = sharpened(WRITES, **SMALL, **SECOND)
    weights = theirs.state_dict() | {"lm_head.weight": torch.randn(VOCABULARY, 32)}
    values = theirs.config.to_dict()
    assert values["tie_word_embeddings"] is True
    config = FAMILY.read_config(Settings(values), weights.keys())
    assert (config.tying, config.scale_logits) == ("none", False)
    taken = FAMILY.take(weights, config)
    assert torch.equal(taken["generator.weight"], weights["lm_head.weight"])
    assert torch.equal(taken["target_embedding.weight"], weights["shared.weight"])


def test_logits_of_the_first_are_scaled_and_those_of_mt5_are_not():
    mt5 = "MT5ForConditionalGeneration MT5Config"
    configs = [_config(kind, **options) for kind, options in ((WRITES, {}), (WRITES, SECOND))]
    assert [c.scale_logits for c in (*configs, _config(mt5))] == [True, False, False]


def test_refuses_a_feed_forward_network_that_it_does_not_know(tmp_path):
    folder = save(sharpened(WRITES, **SMALL), tmp_path)
    edit_config(folder, feed_forward_proj="gated-tanh")
    with pytest.raises(FolderError, match="feed_forward_proj"):
        open_folder(folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [WRITES, ENCODER], ids=["whole", "encoder alone"])
@pytest.mark.parametrize("buckets", [4, 5, 7, 8, 15, 32, 33])
def test_takes_every_largest_distance_with_which_transformers_reads_long_texts(kind, buckets):
    """With a smaller distance, the formula names missing buckets or divides by zero."""
    theirs = build(kind, SMALL)
    ways = (True, False) if kind == WRITES else (True,)
    for most in range(1, buckets + 2):
        said = {
            "relative_attention_num_buckets": buckets,
            "relative_attention_max_distance": most,
        }
        settings = Settings(theirs.config.to_dict() | said)
        if all(_reads_long_texts(buckets, most, both_ways) for both_ways in ways):
            FAMILY.read_config(settings, theirs.state_dict().keys())
            for both_ways in ways:
                ours = relative_bucket(
                    0, 80, both_ways=both_ways, buckets=buckets, max_distance=most
                )
                places = torch.arange(80)
                distances = places[None] - places[:, None]
                assert torch.equal(ours, _buckets(buckets, most, both_ways, distances)), most
        else:
            with pytest.raises(ValueError, match=r"need a max_distance above|at least 2"):
                FAMILY.read_config(settings, theirs.state_dict().keys())


def test_says_what_is_wrong_with_a_largest_distance_of_a_folder(tmp_path):
    folder = save(sharpened(WRITES, **SMALL), tmp_path)
    edit_config(folder, relative_attention_num_buckets=32)
    message = "32 buckets of relative positions need a max_distance above 16, .*, got 6"
    with pytest.raises(FolderError, match=message):
        open_folder(folder)


def _buckets(buckets: int, most: int, both_ways: bool, distances: torch.Tensor) -> torch.Tensor:
    attention = transformers.models.t5.modeling_t5.T5Attention
    return attention._relative_position_bucket(distances, both_ways, buckets, most)


def _reads_long_texts(buckets: int, most: int, both_ways: bool) -> bool:
    try:
        found = _buckets(buckets, most, both_ways, torch.arange(-999, 1000))
    except ZeroDivisionError:
        return False
    return bool(((found >= 0) & (found < buckets)).all())


def _config(kind: str, **options) -> TransformerConfig:
    theirs = sharpened(kind, **SMALL, **options)
    return FAMILY.read_config(Settings(theirs.config.to_dict()), theirs.state_dict().keys())
