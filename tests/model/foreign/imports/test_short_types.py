"""A folder in fewer bits computes in them, as near to the exact numbers as transformers does."""

from pathlib import Path
from typing import Any

import pytest
import torch

from model.foreign.imports.load import open_folder
from model.foreign.imports.original import difference
from model.traces import named_tensors
from tests.model.foreign.imports.encoders import SMALL, SMALL_PAIR, TARGET, redrawn
from tests.model.foreign.imports.oracle import VOCABULARY, build, save, texts
from tests.model.foreign.imports.test_decoders_oracle import GPT2, LLAMA, NEOX

_DECODER = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
}
KINDS: dict[str, dict[str, Any]] = {
    GPT2: {"n_embd": 32, "n_layer": 3, "n_head": 4, "vocab_size": VOCABULARY, "n_positions": 40},
    LLAMA: _DECODER | {"num_key_value_heads": 2},
    NEOX: _DECODER,
    "BertForMaskedLM BertConfig": SMALL,
    "MarianMTModel MarianConfig": SMALL_PAIR
    | {"pad_token_id": VOCABULARY - 1, "decoder_start_token_id": VOCABULARY - 1},
    "T5ForConditionalGeneration T5Config": {
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 48,
        "num_layers": 2,
        "num_heads": 4,
        "vocab_size": VOCABULARY,
        "decoder_start_token_id": 0,
    },
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_it_computes_in_the_type_of_its_weights(
    kind: str, dtype: torch.dtype, tmp_path: Path
) -> None:
    model = redrawn(build(kind, KINDS[kind]), 0).to(dtype)
    folder = save(model, tmp_path)
    opened = open_folder(folder).model
    asked = {"input_ids": texts()}
    if opened.config.has_cross_attention:
        asked["decoder_input_ids"] = TARGET
    with torch.inference_mode():
        theirs, exact = (
            type(model).from_pretrained(folder, dtype=each, attn_implementation="eager")
            for each in (dtype, torch.float64)
        )
        theirs, exact = theirs.eval()(**asked).logits, exact.eval()(**asked).logits
        trace = opened(
            texts() if opened.config.has_encoder else None,
            asked.get("decoder_input_ids", texts()) if opened.config.has_decoder else None,
        )
    assert {x.dtype for _, x in named_tensors(trace)} == {dtype, torch.bool}
    assert opened.precision == str(dtype).removeprefix("torch.")
    ours = trace.logits
    assert ours is not None
    assert (ours - exact).abs().max() <= 2 * (theirs - exact).abs().max()
    if kind == GPT2:
        assert 0 < difference(folder, opened) < 0.1
