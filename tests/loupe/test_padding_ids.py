"""A token of a text is not padding, even if it has the padding id; compared with transformers."""

from pathlib import Path

import pytest
import torch
from torch import nn

import loupe
from loupe.kept import batches
from model.foreign.huggingface import record_folder
from model.traces import present
from tests.loupe.spread import made
from tests.model.foreign.imports.encoders import SMALL_PAIR, sharpened
from tests.model.foreign.imports.folders import byte_tokenizer
from tests.model.foreign.imports.oracle import save

PAD = 5
SHORT, LONG = [9, PAD, 31, PAD], [PAD, 9, 31, 44, 7, 2, PAD]
BERT = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": SMALL_PAIR["vocab_size"],
    "max_position_embeddings": 32,
    "pad_token_id": PAD,
}
XLM = {"emb_dim": 32, "n_layers": 2, "n_heads": 4, "n_words": 60, "pad_index": 2}


@pytest.fixture(autouse=True)
def _without_gradients():
    with torch.no_grad():
        yield


def logits_of(model: nn.Module, ids: list[int], **more: torch.Tensor) -> torch.Tensor:
    given = torch.tensor([ids])
    return model(input_ids=given, attention_mask=torch.ones_like(given), **more).logits


@pytest.mark.parametrize("kind", ["Bart", "Roberta"])
def test_texts_of_a_batch_are_told_from_its_filling_by_their_lengths(
    kind: str, tmp_path: Path
) -> None:
    sizes: dict = {**SMALL_PAIR, "pad_token_id": PAD}
    if kind == "Roberta":
        sizes = BERT
    head = "ForConditionalGeneration" if kind == "Bart" else "ForMaskedLM"
    theirs = sharpened(f"{kind}{head} {kind}Config", **sizes)
    opened = loupe.load(save(theirs, tmp_path))
    target = {"target": [[2, 8, PAD], [2, PAD, 3, 4]]} if kind == "Bart" else {}
    runs = opened.trace([SHORT, LONG], **target)
    assert batches[opened.model] is True
    for i, ids in enumerate((SHORT, LONG)):
        more = {"decoder_input_ids": torch.tensor([target["target"][i][:-1]])} if target else {}
        expected = logits_of(theirs, ids, **more)
        torch.testing.assert_close(runs[i]["logits"], expected, atol=1e-4, rtol=0)


def test_a_recorded_folder_reads_every_token(tmp_path: Path) -> None:
    size = byte_tokenizer().get_vocab_size()
    model = made("DPRQuestionEncoder", "DPRConfig", **{**BERT, "vocab_size": size})
    model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(byte_tokenizer().to_str())
    ids = torch.tensor([SHORT])
    inside = model.question_encoder.bert_model
    expected = inside(ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    found = record_folder(tmp_path).model(ids, None)
    torch.testing.assert_close(present(found.encoder).output, expected, atol=1e-5, rtol=0)
    hidden = inside(ids, attention_mask=(ids != PAD).long()).last_hidden_state
    assert (hidden - expected).abs().max() > 1e-2


def test_ids_that_are_given_are_all_tokens() -> None:
    """Without a mask, XLM's code treats as many of the last tokens as padding."""
    model = made("XLMWithLMHeadModel", "XLMConfig", **XLM)
    ids = [9, 2, 31, 2]
    run = loupe.trace(model, ids)
    torch.testing.assert_close(run["logits"], logits_of(model, ids), atol=1e-5, rtol=0)
