import pytest
import torch

from model.foreign.errors import FolderError
from model.foreign.imports.families.bert import FAMILY
from model.foreign.imports.load import open_folder
from model.foreign.imports.settings import Settings
from tests.model.foreign.imports.encoders import SMALL, check_every_tensor, opened, sharpened
from tests.model.foreign.imports.folders import edit_config
from tests.model.foreign.imports.oracle import build, save, texts

MASKED_WORDS = "BertForMaskedLM BertConfig"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (MASKED_WORDS, {}),
        (MASKED_WORDS, {"hidden_act": "gelu_new", "layer_norm_eps": 1e-3}),
        (MASKED_WORDS, {"tie_word_embeddings": False, "type_vocab_size": 3}),
        ("BertModel BertConfig", {"hidden_act": "relu", "num_attention_heads": 8}),
    ],
    ids=["masked words", "tanh formula", "untied", "bare"],
)
def test_every_tensor_is_transformers_own(kind, settings, tmp_path):
    check_every_tensor(build(kind, SMALL | settings), tmp_path)


def test_bare_stack_predicts_nothing(tmp_path):
    model = opened(sharpened("BertModel BertConfig", **SMALL), tmp_path)
    trace = model(texts(), None)
    assert (model.config.head, trace.logits, trace.decoder) == ("none", None, None)


@pytest.mark.parametrize(
    "kind", ["BertForSequenceClassification", "BertForQuestionAnswering", "BertForPreTraining"]
)
def test_reads_of_other_models_what_gives_tokens(kind, tmp_path):
    theirs = sharpened(f"{kind} BertConfig", **SMALL)
    model = opened(theirs, tmp_path)
    hidden = theirs.bert(texts()).last_hidden_state
    torch.testing.assert_close(model(texts(), None).encoder.output, hidden, atol=1e-5, rtol=0)
    assert model.config.head == ("transform" if kind == "BertForPreTraining" else "none")


def test_the_id_of_padding_is_read_unless_a_mask_hides_it(tmp_path):
    theirs = sharpened(MASKED_WORDS, **SMALL, pad_token_id=4)
    model = opened(theirs, tmp_path)
    ids = torch.tensor([[7, 9, 4, 4]])
    seen = torch.tensor([[True, True, False, False]])
    for mask in (None, seen):
        expected = theirs(ids, attention_mask=mask if mask is None else mask.long()).logits
        found = model(ids, None, source_mask=mask if mask is None else mask[:, None]).logits
        torch.testing.assert_close(found[:, :2], expected[:, :2], atol=1e-5, rtol=0)


def test_reads_the_names_of_the_first_folders():
    theirs = sharpened(MASKED_WORDS, **SMALL)
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    weights, of_today = {}, theirs.state_dict()
    for name, tensor in of_today.items():
        part = next((part for part in old if name.endswith(part)), "")
        weights[name.removesuffix(part) + old.get(part, "")] = tensor
    config = FAMILY.read_config(Settings(theirs.config.to_dict()), weights.keys())
    taken, expected = FAMILY.take(weights, config), FAMILY.take(of_today, config)
    assert "bert.embeddings.LayerNorm.gamma" in weights
    assert taken.keys() == expected.keys()
    assert all(torch.equal(taken[name], tensor) for name, tensor in expected.items())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("is_decoder", True),
        ("position_embedding_type", "relative_key"),
        ("hidden_act", "quick_gelu"),
    ],
)
def test_refuses_what_it_does_not_compute(field, value, tmp_path):
    folder = save(sharpened(MASKED_WORDS, **SMALL), tmp_path)
    edit_config(folder, **{field: value})
    with pytest.raises(FolderError, match=field):
        open_folder(folder)
