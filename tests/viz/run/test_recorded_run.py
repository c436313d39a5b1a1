from pathlib import Path

import pytest
import torch
from torch import nn

from model.foreign.huggingface import RecordedFolder, record_folder
from tests.model.foreign.huggingface.families import write_family
from viz.heads.head_checks import check_head
from viz.run.axes import all_heads, axis_tokens
from viz.run.recorded_run import make_recorded_run


def opened(folder: Path, name: str) -> tuple[RecordedFolder, nn.Module]:
    model = write_family(folder, name)
    return record_folder(folder), model


def test_a_prompt_is_gone_on_from_and_every_attention_is_there(tmp_path):
    folder, model = opened(tmp_path, "Qwen3")

    run = make_recorded_run(folder, "The quick fox")

    n_prompt = len(run.source.ids)
    assert run.target_ids[:n_prompt] == run.source.ids
    assert len(run.target_ids) == n_prompt + 16
    assert [step.token for step in run.steps] == list(run.target_ids[1:])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([run.target_ids[:-1]])).logits
    torch.testing.assert_close(run.trace.logits, logits, atol=1e-5, rtol=1e-5)
    kind = "decoder self-attention"
    n = n_prompt + 15
    assert all_heads(run, kind).shape == (3, 4, n, n)
    assert axis_tokens(run, kind) == (run.target_tokens[:-1], run.target_tokens[:-1])
    checks = check_head(run, kind, 1, 2)
    assert checks.row_sum_error < 1e-5
    assert checks.largest_masked_weight == 0
    assert checks.float64_error < 1e-5


def test_what_is_given_is_read_and_nothing_written(tmp_path):
    folder, _ = opened(tmp_path, "Qwen3")

    run = make_recorded_run(folder, "The quick", target=" fox")

    assert run.given
    assert run.text == " fox"


def test_an_encoder_alone_writes_nothing(tmp_path):
    folder, _ = opened(tmp_path, "ALBERT")

    run = make_recorded_run(folder, "The quick fox")

    assert (run.steps, run.target_ids) == ((), ())
    assert all_heads(run, "encoder self-attention").shape[:2] == (3, 4)
    with pytest.raises(ValueError, match="at least one token"):
        make_recorded_run(folder, "")
