"""Training on single texts: the command, the options that it refuses, and that it learns."""

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.config import TransformerConfig
from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.one_text.training import text_config
from sample_data.train import main

TINY = ["--d-model", "16", "--heads", "2", "--d-ff", "16", "--layers", "1", "--batch-size", "8"]
SHORT = ["--pairs", "60", "--steps", "3", "--evaluate-every", "0", "--label-smoothing", "0"]


def options(task: str, out, *more: str) -> list[str]:
    return [task, "--out", str(out), *TINY, *SHORT, *more]


@pytest.mark.parametrize(
    ("task", "stack", "absent"),
    [("induction", "decoder", "encoder"), ("agreement", "encoder", "decoder")],
)
def test_a_task_says_which_stack_its_model_has(task: str, stack: str, absent: str):
    config = text_config(TEXT_TASKS[task], 20, 3, {"d_model": 16, "n_heads": 2, "d_ff": 0})
    assert getattr(config, f"n_{stack}_layers") == 3
    assert getattr(config, f"n_{absent}_layers") == 0
    assert (config.positions, config.norm_placement) == ("rotary", "pre")
    assert config.d_ff == 0
    assert isinstance(config, TransformerConfig)


@pytest.mark.parametrize("name", TEXT_TASKS)
def test_the_command_writes_a_checkpoint_with_scores(name: str, tmp_path, capsys):
    assert main(options(name, tmp_path)) == 0
    assert "60 texts to train on, 500 held out" in capsys.readouterr().err
    info = load_checkpoint(tmp_path / name).info
    assert info.task == name
    assert info.training["step"] == 3
    assert info.scores["texts"] == 500
    assert len(info.scores["looks"]) == 2
    assert info.training["exact_matches"] == [[3, pytest.approx(info.scores["right"], abs=1e-3)]]


@pytest.mark.parametrize(
    ("option", "value"), [("--variant", "prenorm"), ("--words", "5"), ("--tokenizer", "bpe")]
)
def test_options_that_are_for_pairs_are_refused(option: str, value: str, tmp_path, capsys):
    assert main(options("induction", tmp_path, option, value)) == 2
    assert f"{option} is for pairs of texts; induction has single texts" in capsys.readouterr().err
