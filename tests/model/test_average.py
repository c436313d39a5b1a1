"""The mean of checkpoints, on tiny models."""

from dataclasses import replace

import pytest
import torch

from model.average import average, main
from model.checkpoint import Checkpoint, load_checkpoint
from model.training import new_model
from tests.checkpoints import SHIPPED


@pytest.fixture
def two():
    """Give a shipped checkpoint, and one with other weights."""
    one = load_checkpoint(SHIPPED / "numbers-paper")
    other = new_model(one.info.config, 5).eval().requires_grad_(False)
    return [one, Checkpoint(replace(one.info, training={**one.info.training, "step": 7}), other)]


def test_each_weight_is_the_mean(two):
    expected = {
        name: (weight.double() + two[1].model.state_dict()[name].double()) / 2
        for name, weight in two[0].model.state_dict().items()
    }
    mean = average(two)
    for name, weight in mean.model.state_dict().items():
        assert torch.allclose(weight.double(), expected[name], atol=1e-7), name
    assert mean.info.training["averaged_steps"] == [2000, 7]


def test_two_trainings_have_no_mean(two):
    strange = replace(two[1].info, training={"seed": 12})
    with pytest.raises(ValueError, match="must be of one training"):
        average([two[0], Checkpoint(strange, two[1].model)])
    with pytest.raises(ValueError, match="at least 2 checkpoints, got 1"):
        average(two[:1])


def test_the_command_scores_what_it_writes(tmp_path, capsys):
    path = str(SHIPPED / "numbers-paper")
    assert main([path, path, "--name", "mean", "--out", str(tmp_path)]) == 0
    mean, one = load_checkpoint(tmp_path / "mean"), load_checkpoint(SHIPPED / "numbers-paper")
    assert mean.info.scores["exact_match"] == one.info.scores["exact_match"]
    assert "held-out exact match 0.999" in capsys.readouterr().out


def test_what_is_wrong_is_said(tmp_path, capsys):
    assert main([str(tmp_path / "a"), str(tmp_path / "b"), "--name", "c"]) == 2
    assert "no such file" in capsys.readouterr().err
