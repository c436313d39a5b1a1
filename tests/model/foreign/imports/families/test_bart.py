import pytest
import torch

from model.decoding.greedy import greedy
from model.foreign.errors import FolderError
from model.foreign.imports.families.bart import FAMILY
from model.foreign.imports.load import open_folder
from model.foreign.imports.settings import Settings
from tests.model.foreign.imports.encoders import (
    SMALL_PAIR,
    TARGET,
    check_every_tensor,
    opened,
    sharpened,
    written,
)
from tests.model.foreign.imports.folders import edit_config
from tests.model.foreign.imports.oracle import build, save, transformers

WRITES = "BartForConditionalGeneration BartConfig"
SOURCE = torch.tensor([[0, 9, 31, 44, 7, 2]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (WRITES, {}),
        (WRITES, {"scale_embedding": True, "activation_function": "relu"}),
        (WRITES, {"tie_word_embeddings": False}),
        (WRITES, {"d_model": 40, "pad_token_id": 5}),
    ],
    ids=["writes", "scaled", "untied", "wider"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL_PAIR | settings), tmp_path)


def test_writes_what_generate_writes(tmp_path):
    for seed in range(2):
        theirs = sharpened(WRITES, seed, **SMALL_PAIR)
        ours = opened(theirs, tmp_path / str(seed))
        steps = greedy(ours, SOURCE, max_length=12, bos_id=2, eos_id=2)
        assert [step.token for step in steps] == written(theirs, SOURCE, 12)


def test_padding_is_what_a_mask_says_and_not_what_has_its_id(tmp_path):
    theirs = sharpened(WRITES, **SMALL_PAIR, pad_token_id=5)
    ours = opened(theirs, tmp_path)
    padded = torch.cat([SOURCE, torch.full((1, 3), 5)], dim=1)
    asked = {"input_ids": padded, "decoder_input_ids": TARGET[:1]}
    for real in (torch.ones_like(padded), (padded != 5).long()):
        expected = theirs(**asked, attention_mask=real).logits
        made = ours(padded, TARGET[:1], source_mask=real.bool()[:, None]).logits
        torch.testing.assert_close(made, expected, atol=1e-5, rtol=0)
    read, alone = (ours(source, TARGET[:1]).logits for source in (padded, SOURCE))
    assert (read - alone).abs().max() > 1e-2


def test_first_word_that_its_folder_demands_is_a_prefix(tmp_path):
    """Large BARTs set this prefix by `forced_bos_token_id` in generation_config.json."""
    theirs = sharpened(WRITES, **SMALL_PAIR)
    ours = opened(theirs, tmp_path)
    steps = greedy(ours, SOURCE, max_length=12, bos_id=2, eos_id=2, prefix=(33,))
    assert [step.token for step in steps] == written(theirs, SOURCE, 12, forced_bos_token_id=33)


def test_folder_without_the_bias_of_logits_has_none():
    theirs = sharpened(WRITES, **SMALL_PAIR)
    names = theirs.state_dict().keys() - {"final_logits_bias", "lm_head.weight"}
    config = FAMILY.read_config(Settings(theirs.config.to_dict()), names)
    assert (config.generator_bias, config.tying) == (False, "all")


def test_bare_stacks_write_with_their_embeddings(tmp_path):
    """Transformers ties them in the same way if it opens the folder for writing."""
    ours = opened(sharpened("BartModel BartConfig", **SMALL_PAIR | {"d_model": 40}), tmp_path)
    theirs = transformers.BartForConditionalGeneration.from_pretrained(tmp_path)
    expected = theirs(SOURCE, decoder_input_ids=TARGET[:1]).logits
    torch.testing.assert_close(ours(SOURCE, TARGET[:1]).logits, expected, atol=1e-5, rtol=0)


def test_refuses_a_classifier(tmp_path):
    with pytest.raises(FolderError, match="classifies texts"):
        opened(sharpened("BartForSequenceClassification BartConfig", **SMALL_PAIR), tmp_path)


def test_refuses_stacks_that_are_built_differently(tmp_path):
    theirs = sharpened(WRITES, **SMALL_PAIR | {"decoder_attention_heads": 8})
    with pytest.raises(FolderError, match="encoder_attention_heads and decoder_attention_heads"):
        opened(theirs, tmp_path)


def test_refuses_embeddings_that_are_said_to_be_one_and_are_not(tmp_path):
    theirs = sharpened("BartModel BartConfig", **SMALL_PAIR, tie_word_embeddings=False)
    folder = save(theirs, tmp_path)
    edit_config(folder, tie_word_embeddings=True)
    with pytest.raises(FolderError, match="two different ones"):
        open_folder(folder)
