import dataclasses
import json
import math
import re

import pytest

from model.config import TransformerConfig
from model.presets import PRESETS
from tests.tiny import tiny_config

VOCABULARIES = {"source_vocab_size": 11, "target_vocab_size": 11}


def make_config(**overrides) -> TransformerConfig:
    return TransformerConfig(**(VOCABULARIES | overrides))


REFUSED = [
    # the settings, the rule that they break and the value
    ({"d_model": 0}, "d_model must be a positive whole number, got 0"),
    ({"d_k": 4.0}, "d_k must be a positive whole number, got 4.0"),
    ({"d_v": True}, "d_v must be a positive whole number, got True"),
    (
        {"source_vocab_size": 0},
        "source_vocab_size must be positive if that side has layers, and 0 otherwise, "
        "got 0 and 6 layers",
    ),
    ({"norm_placement": "mid"}, "norm_placement must be one of post, pre, parallel, got 'mid'"),
    ({"norm": "batch"}, "norm must be one of layer, unbiased_std, rms, got 'batch'"),
    (
        {"positions": "spiral"},
        "positions must be one of sinusoidal, double_sine, single_frequency, sinusoidal_halves, "
        "learned, rotary, alibi, relative, none, got 'spiral'",
    ),
    ({"tying": "both"}, "tying must be one of none, decoder, all, got 'both'"),
    ({"output": "ids"}, "output must be one of logits, log_softmax, softmax, got 'ids'"),
    (
        {"dropout_at": ("embedding", "scores", "logits")},
        "dropout_at must be among embedding, attention_weights, feed_forward_hidden, "
        "sublayer_output, got logits, scores",
    ),
    ({"dropout": 1.0}, "dropout must be at least 0 and below 1, got 1.0"),
    ({"norm_eps": math.nan}, "norm_eps must be positive, got nan"),
    ({"norm_eps": math.inf}, "norm_eps must be within float32's 3.4e38, got inf"),
    ({"mask_fill": -1e300}, "mask_fill must be within float32's 3.4e38, got -1e+300"),
    ({"mask_fill": math.nan}, "mask_fill must be a number or -inf, got nan"),
    ({"pad_id": 11}, "pad_id must be an id of both vocabularies, 0 to 10, got 11"),
    ({"pad_id": 1.5}, "pad_id must be an id of both vocabularies, 0 to 10, got 1.5"),
    (
        {"pad_id": 8, "target_vocab_size": 7, "tying": "none"},
        "pad_id must be an id of both vocabularies, 0 to 6, got 8",
    ),
    (
        {"positions_skip_padding": True},
        "positions_skip_padding is for encoders whose table has a row before the first position: "
        "position_offset must be at least 1, got 0, and n_decoder_layers 0, got 6",
    ),
    (
        {"d_model": 15},
        "sinusoidal positions come in pairs of dimensions: d_model must be even, got 15",
    ),
    (
        {"target_vocab_size": 13},
        "source_vocab_size and target_vocab_size must be equal, got 11 and 13",
    ),
    ({"relative_buckets": 3}, "relative_buckets must be a whole number of at least 4, got 3"),
    (
        {"relative_max_distance": 1},
        "relative_max_distance must be a whole number of at least 2, got 1",
    ),
    (
        {"positions": "relative", "relative_max_distance": 16},
        "32 buckets of relative positions need a max_distance above 16, as 16 distances are "
        "exact, got 16",
    ),
]


@pytest.mark.parametrize(("overrides", "message"), REFUSED)
def test_says_which_rule_is_broken_and_by_what(overrides: dict, message: str):
    with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
        make_config(**overrides)


def test_the_defaults_are_the_papers_base_model():
    """Table 3 of the paper, first row."""
    config = make_config()
    assert (config.n_encoder_layers, config.n_decoder_layers) == (6, 6)
    assert (config.d_model, config.d_ff, config.n_heads) == (512, 2048, 8)
    assert (config.d_k, config.d_v, config.dropout) == (64, 64, 0.1)


def test_a_config_never_changes():
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_config().d_model = 8  # pyright: ignore


@pytest.mark.parametrize("variant", PRESETS)
def test_survives_json(variant: str):
    config = tiny_config(variant, dropout=0.25, d_k=5, d_v=3)
    assert config.to_dict()["mask_fill"] == ("-inf" if math.isinf(config.mask_fill) else -1e9)
    text = json.dumps(config.to_dict(), allow_nan=False)
    assert TransformerConfig.from_dict(json.loads(text)) == config


def test_from_dict_fills_in_the_defaults():
    assert TransformerConfig.from_dict(VOCABULARIES) == make_config()


def test_from_dict_takes_whole_numbers_for_real_ones():
    config = TransformerConfig.from_dict(VOCABULARIES | {"dropout": 0, "mask_fill": -1000})
    assert isinstance(config.dropout, float)
    assert config.mask_fill == -1000.0


UNREADABLE = [
    ({"d_modle": 16, "heads": 4}, "a config has no d_modle, heads"),
    ({"norm_eps": None}, "norm_eps must be a number, got None"),
    ({"dropout": "a tenth"}, "dropout must be a number, got 'a tenth'"),
    ({"dropout_at": "embedding"}, "dropout_at must be a list of names, got 'embedding'"),
    ({"dropout_at": [["embedding"]]}, "dropout_at must be a list of names, got [['embedding']]"),
    ({"pad_id": "0"}, "pad_id must be an id of both vocabularies, 0 to 10, got '0'"),
]


@pytest.mark.parametrize(("values", "message"), UNREADABLE)
def test_from_dict_says_what_it_cannot_read(values: dict, message: str):
    with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
        TransformerConfig.from_dict(VOCABULARIES | values)


def test_from_dict_says_what_is_missing():
    with pytest.raises(ValueError, match="a config needs source_vocab_size, target_vocab_size"):
        TransformerConfig.from_dict({"d_model": 16})
