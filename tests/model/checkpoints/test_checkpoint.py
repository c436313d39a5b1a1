import hashlib
import json
import os
import subprocess
import sys

import pytest
import safetensors.torch
import torch

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints, read_info
from model.checkpoints.errors import CheckpointError
from model.checkpoints.metadata import FORMAT_VERSION
from model.presets import PRESETS
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.model.saving import (
    TOKENIZERS,
    digest_of,
    info_of,
    large_info,
    large_model,
)
from tests.tiny import SOURCE, TARGET, tiny_model


def logits(model: Transformer) -> torch.Tensor:
    with torch.inference_mode():
        return model(SOURCE, TARGET).logits


# What is saved is loaded unchanged


@pytest.mark.parametrize("variant", [*PRESETS, "custom"])
def test_full_precision_gives_the_same_logits(variant, tmp_path):
    learned = {"positions": "learned", "max_length": 7}
    model = tiny_model(variant) if variant in PRESETS else tiny_model(**learned)
    path = tmp_path / "a" / "folder" / "x"
    save_checkpoint(path, model, info_of(model, variant=variant), half=False)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    loaded = load_checkpoint(path)
    assert torch.equal(torch.rand(3), expected), "random numbers are left alone"
    assert loaded.info.config == model.config
    assert torch.equal(logits(loaded.model), logits(model))


def test_half_precision_gives_nearly_the_same_logits(model, tmp_path):
    save_checkpoint(tmp_path / "x", model, info_of(model))
    loaded = load_checkpoint(tmp_path / "x").model
    assert {parameter.dtype for parameter in loaded.parameters()} == {torch.float32}
    for name, parameter in loaded.named_parameters():
        rounded = model.get_parameter(name).detach().half().float()
        assert torch.equal(parameter, rounded)
    assert not torch.equal(logits(loaded), logits(model))
    torch.testing.assert_close(logits(loaded), logits(model), rtol=0.02, atol=0.05)
    half = (tmp_path / "x.safetensors").stat().st_size
    save_checkpoint(tmp_path / "y", model, info_of(model), half=False)
    assert half < 0.7 * (tmp_path / "y.safetensors").stat().st_size


def test_large_tables_are_stored_in_8_bits(tmp_path):
    model = large_model()
    table = model.get_parameter("source_embedding.weight")
    with torch.no_grad():
        table[7] = 0
        table[8] *= 1e-9  # float16 rounds this to 0
    save_checkpoint(tmp_path / "x", model, large_info(model))
    stored = safetensors.torch.load_file(tmp_path / "x.safetensors")
    assert {n: t.dtype for n, t in stored.items() if t.dtype != torch.float16} == {
        "source_embedding.weight": torch.int8
    }
    largest = table.detach().double().abs().amax(1, keepdim=True)
    loaded = load_checkpoint(tmp_path / "x").model
    found = loaded.get_parameter("source_embedding.weight")
    assert found.dtype == torch.float32
    assert loaded.get_parameter("generator.weight") is found
    # Half a step and a rounded scale; the last term is 127 halves of float16's least number.
    off = (found.double() - table.detach().double()).abs()
    assert (off <= largest / 127 * (0.5 + 127 * 2**-11) + 127 * 2**-25).all()
    assert not found[7:9].any()
    once = (tmp_path / "x.safetensors").read_bytes()
    save_checkpoint(tmp_path / "x", loaded, large_info(model))
    assert (tmp_path / "x.safetensors").read_bytes() == once
    save_checkpoint(tmp_path / "y", model, large_info(model), half=False)
    assert torch.equal(
        load_checkpoint(tmp_path / "y").model.get_parameter("source_embedding.weight"), table
    )


def test_a_number_that_is_none_is_found_in_a_large_table(tmp_path):
    for value in (float("nan"), float("inf")):
        model = large_model()
        with torch.no_grad():
            model.get_parameter("source_embedding.weight")[5, 3] = value
        with pytest.raises(CheckpointError, match=r"inf or nan in source_embedding\.weight"):
            save_checkpoint(tmp_path / "x", model, large_info(model))


def test_information_comes_back(model, saved):
    info = read_info(saved)
    given = info_of(model)
    for name in ("name", "title", "variant", "task", "config", "training", "scores"):
        assert getattr(info, name) == getattr(given, name)
    assert info.tokenizers == TOKENIZERS
    for suffix in ("", ".json", ".safetensors"):  # a path may name either file
        loaded = load_checkpoint(saved.with_name(saved.name + suffix))
        assert loaded.info.scores == given.scores
    saved.with_suffix(".safetensors").unlink()
    assert read_info(saved).title == "A tiny model"


def test_tied_weights_are_stored_once_and_tied_again(model, saved):
    stored = safetensors.torch.load_file(saved.with_suffix(".safetensors"))
    assert set(stored) == {name for name, _ in model.named_parameters()}
    assert "generator.weight" not in stored
    loaded = load_checkpoint(saved).model
    assert loaded.generator.weight is loaded.target_embedding.weight
    assert loaded.generator.weight is loaded.source_embedding.weight


def test_a_loaded_model_is_for_use_not_training(saved):
    loaded = load_checkpoint(saved).model
    assert not any(module.training for module in loaded.modules())
    assert not any(parameter.requires_grad for parameter in loaded.parameters())


def test_saving_leaves_the_model_alone(tmp_path):
    model = tiny_model().train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    save_checkpoint(tmp_path / "x", model, info_of(model))
    assert model.training
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_a_name_may_have_dots(model, tmp_path):
    for _ in range(2):  # the second replaces the first
        save_checkpoint(tmp_path / "tiny.v1.5", model, info_of(model))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "tiny.v1.5.json",
        "tiny.v1.5.safetensors",
    ]
    assert list_checkpoints(tmp_path) == [tmp_path / "tiny.v1.5"]
    assert load_checkpoint(tmp_path / "tiny.v1.5").info.name == "tiny"


# Writing


def test_an_interrupted_save_keeps_the_old_files(saved, monkeypatch):
    before = {path: path.read_bytes() for path in saved.parent.iterdir()}
    other = tiny_model("tied")

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("model.files.durable.os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(saved, other, info_of(other))
    assert {path: path.read_bytes() for path in saved.parent.iterdir()} == before


def test_what_a_killed_save_left_is_swept_and_no_other_file(model, saved):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = saved.parent
    left = [f".tiny.json.{dead.pid}.tmp", f".other.v1.safetensors.{dead.pid}.tmp"]
    kept = [
        f".tiny.json.{os.getppid()}.tmp",
        f".notes.txt.{dead.pid}.tmp",
        f"tiny.json.{dead.pid}.tmp",
        ".tiny.json.tmp",
    ]
    for name in (*left, *kept):
        (folder / name).write_text("")
    save_checkpoint(saved, model, info_of(model))
    found = {path.name for path in folder.iterdir()}
    assert found == {"tiny.json", "tiny.safetensors", *kept}


def test_weights_beyond_half_precision_are_refused(tmp_path):
    model = tiny_model()
    with torch.no_grad():
        model.generator.bias[0] = 1e5
    with pytest.raises(CheckpointError, match=r"inf or nan in generator.bias; float16 ends at"):
        save_checkpoint(tmp_path / "x", model, info_of(model))
    assert list(tmp_path.iterdir()) == []
    save_checkpoint(tmp_path / "x", model, info_of(model), half=False)
    assert load_checkpoint(tmp_path / "x").model.generator.bias[0] == 1e5


@pytest.mark.parametrize("value", [float("nan"), torch.zeros(1), {1, 2}])
def test_a_record_must_be_json(model, tmp_path, value):
    with pytest.raises(CheckpointError, match=r"x.json: training and scores must be plain JSON"):
        save_checkpoint(tmp_path / "x", model, info_of(model, training={"loss": value}))
    assert list(tmp_path.iterdir()) == []


def test_the_config_must_be_that_of_the_model(model, tmp_path):
    other = tiny_model("addnorm")
    with pytest.raises(CheckpointError, match="config given must be that of the model"):
        save_checkpoint(tmp_path / "x", model, info_of(other))


def test_information_must_fit_together(model):
    few = Tokenizers.train(["a"], ["b"], source_kind="word", target_kind="word", shared=True)
    with pytest.raises(ValueError, match="size of the source tokenizer, got 11 and 6"):
        info_of(model, tokenizers=few)
    other = tiny_model(pad_id=2)
    with pytest.raises(
        ValueError, match="pad_id of the config must be 0, as in the tokenizers, got 2"
    ):
        info_of(other)


# Finding


def test_only_whole_pairs_are_listed(saved):
    folder = saved.parent
    for name in ("b.json", "c.safetensors", "README.md", ".tiny.json.1.tmp"):
        (folder / name).write_text("{}")
    (folder / "a.json").write_text("{}")
    (folder / "a.safetensors").write_text("")
    assert list_checkpoints(folder) == [folder / "a", saved]
    assert list_checkpoints(folder / "none") == []


def test_the_format_is_pinned(saved):
    values = json.loads(saved.with_suffix(".json").read_text())
    assert values["format_version"] == FORMAT_VERSION == 3
    assert set(values) == {
        *("format_version", "name", "title", "variant", "task", "config"),
        *("tokenizers", "training", "scores", "sha256", "json_sha256"),
    }
    assert digest_of(values) == {"json_sha256": values["json_sha256"]}
    weights = saved.with_suffix(".safetensors").read_bytes()
    assert values["sha256"] == hashlib.sha256(weights).hexdigest()
