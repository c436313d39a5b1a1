import pytest

from model.foreign.errors import FolderError
from tests.model.foreign.imports.encoders import SMALL, check_every_tensor, opened, sharpened
from tests.model.foreign.imports.oracle import build

MASKED_WORDS = "RobertaForMaskedLM RobertaConfig"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (MASKED_WORDS, {"type_vocab_size": 1}),
        (MASKED_WORDS, {"tie_word_embeddings": False}),
        ("RobertaModel RobertaConfig", {"pad_token_id": 2, "hidden_act": "relu"}),
    ],
    ids=["masked words", "untied", "bare"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL | settings), tmp_path)


def test_positions_begin_after_that_of_the_padding(tmp_path):
    theirs = sharpened("RobertaModel RobertaConfig", **SMALL, pad_token_id=4)
    config = opened(theirs, tmp_path).config
    assert (config.position_offset, config.max_length) == (5, 19)


def test_refuses_a_head_whose_activation_differs_from_that_of_the_layers(tmp_path):
    with pytest.raises(FolderError, match="hidden_act"):
        opened(sharpened(MASKED_WORDS, **SMALL, hidden_act="relu"), tmp_path)
