import pytest
import torch
from torch import Tensor, nn

from model.config import TransformerConfig
from model.decoding.greedy import greedy
from model.foreign.imports.families.marian import FAMILY
from model.foreign.imports.settings import Settings
from model.positions import sinusoidal
from tests.model.foreign.imports.encoders import (
    SMALL_PAIR,
    check_every_tensor,
    opened,
    sharpened,
    written,
)
from tests.model.foreign.imports.oracle import build

PAD = 45
SMALL = SMALL_PAIR | {"pad_token_id": PAD, "decoder_start_token_id": PAD, "eos_token_id": 0}
TRANSLATES = "MarianMTModel MarianConfig"
AS_OPUS = {"activation_function": "swish", "scale_embedding": True}
SOURCE = torch.tensor([[9, 31, 44, 7, 0]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (TRANSLATES, AS_OPUS),
        (TRANSLATES, {"share_encoder_decoder_embeddings": False}),
        (TRANSLATES, {"tie_word_embeddings": False}),
        (TRANSLATES, {"d_model": 40}),
    ],
    ids=["as OPUS-MT", "two embeddings", "untied", "wider"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL | settings), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [AS_OPUS, {"share_encoder_decoder_embeddings": False}])
def test_writes_what_generate_writes(settings, tmp_path):
    """The start token has the padding id."""
    for seed in range(2):
        theirs = sharpened(TRANSLATES, seed, **SMALL, **settings)
        ours = opened(theirs, tmp_path / str(seed))
        steps = greedy(ours, SOURCE, max_length=12, bos_id=PAD, eos_id=0)
        assert [step.token for step in steps] == written(theirs, SOURCE, 12)


def test_ties_what_transformers_ties():
    two = {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 50}
    configs = [_read(sharpened(TRANSLATES, **SMALL, **options))[0] for options in ({}, two)]
    assert [config.tying for config in configs] == ["all", "decoder"]
    assert [config.target_vocab_size for config in configs] == [90, 50]


def test_stored_positions_must_be_the_formula():
    theirs = sharpened(TRANSLATES, **SMALL)
    config, weights = _read(theirs)
    FAMILY.take(weights, config)
    weights["model.encoder.embed_positions.weight"] = sinusoidal(24, 32)
    with pytest.raises(ValueError, match="sines and then cosines"):
        FAMILY.take(weights, config)


def _read(theirs: nn.Module) -> tuple[TransformerConfig, dict[str, Tensor]]:
    weights = {n: t for n, t in theirs.state_dict().items() if n != "lm_head.weight"}
    return FAMILY.read_config(Settings(theirs.config.to_dict()), weights.keys()), weights
