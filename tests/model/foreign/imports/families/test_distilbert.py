import pytest

from tests.model.foreign.imports.encoders import check_every_tensor, opened, sharpened
from tests.model.foreign.imports.oracle import VOCABULARY, build

SMALL = {
    "vocab_size": VOCABULARY,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 48,
    "max_position_embeddings": 24,
}
MASKED_WORDS = "DistilBertForMaskedLM DistilBertConfig"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (MASKED_WORDS, {}),
        (MASKED_WORDS, {"tie_word_embeddings": False, "activation": "relu"}),
        ("DistilBertModel DistilBertConfig", {"sinusoidal_pos_embds": True}),
    ],
    ids=["masked words", "untied", "bare"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL | settings), tmp_path)


def test_stack_of_a_classifier_opens_without_a_head(tmp_path):
    kind = "DistilBertForSequenceClassification DistilBertConfig"
    assert opened(sharpened(kind, **SMALL), tmp_path).config.head == "none"
