import math
from typing import Any

import pytest

from model.presets import PRESETS, preset, variant_name
from tests.tiny import tiny_config

INF = -math.inf
FILL = -1e9
HIDDEN = "feed_forward_hidden"
WEIGHTS = "attention_weights"
OUT = "sublayer_output"
VARIANTS = ("paper", "addnorm", "temperature", "prenorm", "headlist", "tied")
TABLE: dict[str, tuple[Any, ...]] = {
    # field                 paper, addnorm, temperature, prenorm, headlist, tied
    "norm_placement": ("post", "post", "post", "pre", "post", "post"),
    "final_norm": (False, False, False, True, False, False),
    "norm": ("layer", "unbiased_std", "layer", "unbiased_std", "layer", "layer"),
    "norm_eps": (1e-5, 1e-6, 1e-6, 1e-6, 1e-5, 1e-5),
    "attention_bias": (True, True, False, True, True, True),
    "mask_fill": (INF, FILL, FILL, INF, INF, INF),
    "causal_mask": (True, True, True, True, False, True),
    "encoder_padding_mask": (True, True, True, True, False, False),
    "decoder_padding_mask": (True, True, True, True, False, True),
    "positions": (
        "sinusoidal",
        "double_sine",
        "sinusoidal",
        "sinusoidal",
        "single_frequency",
        "sinusoidal",
    ),
    "scale_embeddings": (True, True, False, True, False, True),
    "tying": ("all", "none", "none", "none", "none", "all"),
    "output": ("logits", "logits", "logits", "log_softmax", "softmax", "log_softmax"),
    "dropout_at": (
        {"embedding", OUT},
        {"embedding", WEIGHTS, HIDDEN, OUT},
        {WEIGHTS, OUT},
        {OUT},
        {OUT},
        {WEIGHTS, OUT},
    ),
}


def test_what_each_variant_does():
    assert tuple(PRESETS) == VARIANTS
    for n, variant in enumerate(VARIANTS):
        config = tiny_config(variant)
        found = {field: getattr(config, field) for field in TABLE}
        found["dropout_at"] = set(found["dropout_at"])
        assert found == {field: row[n] for field, row in TABLE.items()}


def test_heads_share_d_model_or_round_down_where_it_need_not_divide():
    for variant in ("paper", "addnorm", "prenorm", "tied"):
        assert tiny_config(variant, d_model=24, n_heads=3).d_k == 8
        with pytest.raises(ValueError, match=f"divisible by n_heads in {variant}, got 16 and 3"):
            tiny_config(variant, n_heads=3)
    for variant in ("temperature", "headlist"):
        config = tiny_config(variant, d_model=512, n_heads=6)
        assert (config.d_k, config.d_v) == (85, 85)
        assert tiny_config(variant, d_model=4, n_heads=6).d_k == 1


def test_values_have_the_size_of_keys_unless_they_are_given_another():
    config = tiny_config("temperature", d_k=7, d_v=5)
    assert (config.d_k, config.d_v) == (7, 5)
    assert tiny_config("paper", n_heads=3, d_k=5).d_v == 5


@pytest.mark.parametrize(("wrong", "nearest"), [("papre", "paper"), ("headlst", "headlist")])
def test_an_unknown_name_is_told_the_nearest(wrong: str, nearest: str):
    names = "paper, addnorm, temperature, prenorm, headlist, tied"
    with pytest.raises(ValueError, match=rf"no preset '{wrong}'; there are {names} \({nearest}\?"):
        preset(wrong, source_vocab_size=11, target_vocab_size=11)


def test_an_unknown_field_is_told_what_there_is():
    with pytest.raises(ValueError, match=r"a config has no heads; it has .*n_heads, n_kv_heads"):
        tiny_config("paper", heads=4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_config_of_other_sizes_is_still_the_variant(variant: str):
    config = tiny_config(variant, n_heads=1, d_k=3, d_v=5, n_decoder_layers=3, dropout=0.3)
    assert variant_name(config, variant) == variant


@pytest.mark.parametrize("field", ["positions", "causal_mask", "norm_eps", "dropout_at"])
def test_a_config_that_computes_something_else_is_custom(field: str):
    other = {"positions": "learned", "causal_mask": False, "norm_eps": 1e-3, "dropout_at": ()}
    assert variant_name(tiny_config("paper", **{field: other[field]}), "paper") == "custom"
