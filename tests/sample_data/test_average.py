"""The mean of checkpoints, on tiny models."""

from dataclasses import replace

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.text.tokenizer import Tokenizers
from model.traces import present
from model.training.loop import new_model
from sample_data.average import average, main
from tests.checkpoints import SHIPPED


@pytest.fixture
def two():
    """Return a shipped checkpoint, and one with other weights."""
    one = load_checkpoint(SHIPPED / "digits-paper")
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
    assert mean.info.training["averaged_steps"] == [4500, 7]


def test_words_that_only_the_last_one_knows_keep_its_weights():
    def made(words: str, **training: str) -> Checkpoint:
        kinds = {"source_kind": "word", "target_kind": "word"}
        tokenizers = Tokenizers.train([words], ["a"], shared=True, **kinds)
        size = len(tokenizers.source.all_tokens)
        usual = load_checkpoint(SHIPPED / "digits-paper").info
        config = replace(usual.config, source_vocab_size=size, target_vocab_size=size)
        info = replace(usual, config=config, tokenizers=tokenizers, training=training)
        model = new_model(config, len(words)).eval().requires_grad_(False)
        return Checkpoint(replace(info, name=words), model)

    earlier = made("b a")
    last = made("c b a", start_from="b a")
    mean = average([earlier, last])
    ids = last.info.tokenizers.source.vocabulary
    before = earlier.info.tokenizers.source.vocabulary
    theirs, ours, found = (
        present(each.model.source_embedding).weight for each in (earlier, last, mean)
    )
    torch.testing.assert_close(found[ids["c"]], ours[ids["c"]])
    for word in before:
        torch.testing.assert_close(found[ids[word]], (ours[ids[word]] + theirs[before[word]]) / 2)


def test_two_trainings_have_no_mean(two):
    strange = replace(two[1].info, name="strange", training={"seed": 12})
    with pytest.raises(ValueError, match="must be of one training"):
        average([two[0], Checkpoint(strange, two[1].model)])
    with pytest.raises(ValueError, match="at least 2 checkpoints, got 1"):
        average(two[:1])


@pytest.mark.slow
def test_the_command_scores_what_it_writes(tmp_path, capsys):
    path = str(SHIPPED / "digits-paper")
    assert main([path, path, "--name", "mean", "--out", str(tmp_path)]) == 0
    mean, one = load_checkpoint(tmp_path / "mean"), load_checkpoint(SHIPPED / "digits-paper")
    assert mean.info.scores["exact_match"] == one.info.scores["exact_match"]
    assert "held-out exact match 0.981" in capsys.readouterr().out
    assert main([str(tmp_path / "a"), str(tmp_path / "b"), "--name", "c"]) == 2
    assert "no such file" in capsys.readouterr().err
