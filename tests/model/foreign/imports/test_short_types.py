"""A folder in fewer bits computes in that type, as near to the exact numbers as transformers."""

from pathlib import Path
from typing import Any

import pytest
import torch

from model.foreign.imports.load import open_folder
from model.foreign.imports.original import difference
from model.traces import named_tensors
from tests.model.foreign.imports.encoders import SMALL, TARGET, redrawn
from tests.model.foreign.imports.families import test_marian, test_t5
from tests.model.foreign.imports.oracle import build, save, texts
from tests.model.foreign.imports.test_decoders_oracle import CONFIGS, GPT2

KINDS: dict[str, dict[str, Any]] = {
    **dict(CONFIGS[name] for name in ("GPT-2", "Llama 3's positions", "NeoX")),
    "BertForMaskedLM BertConfig": SMALL,
    test_marian.TRANSLATES: test_marian.SMALL,
    test_t5.WRITES: test_t5.SMALL,
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
