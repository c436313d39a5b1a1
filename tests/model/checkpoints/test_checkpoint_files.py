import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import save_checkpoint
from model.checkpoints.checkpoint_files import MOST_JSON, MOST_WEIGHTS
from tests.model.saving import edit_json, edit_weights, info_of, refusal, write_weights
from tests.tiny import shaken, tiny_model


@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_missing_file_is_named(saved, suffix):
    saved.with_suffix(suffix).unlink()
    message = refusal(saved)
    assert f"tiny{suffix}: this file does not exist" in message
    assert "NAME.safetensors and NAME.json together" in message


def test_a_folder_in_place_of_a_file_is_named(saved):
    saved.with_suffix(".json").unlink()
    saved.with_suffix(".json").mkdir()
    assert "tiny.json: cannot be read" in refusal(saved)


@pytest.mark.parametrize("kept", [0, 7, 8, 100, -1])
def test_a_truncated_file(saved, kept):
    file = saved.with_suffix(".safetensors")
    file.write_bytes(file.read_bytes()[:kept])
    assert "tiny.safetensors: not a complete safetensors file" in refusal(saved)


class Explosive:
    exploded = False

    def __reduce__(self):
        return setattr, (Explosive, "exploded", True)


def test_a_pickle_is_refused_and_does_not_run(saved, tmp_path):
    data = pickle.dumps(Explosive())
    pickle.loads(data)
    assert Explosive.exploded  # without protection it would
    Explosive.exploded = False
    torch.save({"weights": Explosive()}, tmp_path / "x.pt")
    for disguised in (data, (tmp_path / "x.pt").read_bytes()):
        write_weights(saved, disguised)
        assert "not a complete safetensors file" in refusal(saved)
    assert not Explosive.exploded


# Not a regular file, or too large


READ = """
import sys
from pathlib import Path
from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.errors import CheckpointError
try:
    load_checkpoint(Path(sys.argv[1]))
except CheckpointError as error:
    print(error)
"""


def refusal_in_time(path: Path) -> str:
    """Load in another process with a time limit, since reading a pipe could wait for ever."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="no pipes and devices here")
@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(saved, suffix):
    file = saved.with_suffix(suffix)
    file.unlink()
    os.mkfifo(file) if suffix == ".json" else file.symlink_to("/dev/zero")
    assert f"tiny{suffix}: cannot be read (it is not a regular file)" in refusal_in_time(saved)


@pytest.mark.parametrize(("suffix", "most"), [(".json", MOST_JSON), (".safetensors", MOST_WEIGHTS)])
def test_a_file_beyond_the_limit_is_refused_before_it_is_read(saved, suffix, most, monkeypatch):
    with saved.with_suffix(suffix).open("wb") as file:
        file.truncate(most + 1)  # a sparse file

    def unread(self, mode="r", *_, **__):
        assert self.suffix != suffix, "it was opened"
        return open(self, mode)  # noqa: PTH123 - Path.open is what is watched

    monkeypatch.setattr(Path, "open", unread)
    message = f"tiny{suffix}: cannot be read: it must have at most {most:,} bytes, got {most + 1:,}"
    assert message in refusal(saved)


def test_files_of_two_checkpoints(saved, tmp_path):
    other = shaken(tiny_model())
    save_checkpoint(tmp_path / "other", other, info_of(other), half=False)
    (tmp_path / "other.safetensors").replace(saved.with_suffix(".safetensors"))
    assert "tiny.safetensors: its sha256 differs from the one in tiny.json" in refusal(saved)


def test_one_changed_byte(saved):
    file = saved.with_suffix(".safetensors")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert "its sha256 differs from the one in tiny.json" in refusal(saved)


def test_missing_and_unknown_weights_are_named(saved):
    def change(weights):
        weights["generator.colour"] = weights.pop("generator.bias")

    edit_weights(saved, change)
    message = refusal(saved)
    assert "tiny.safetensors: weights must be those that the config describes" in message
    assert "missing are generator.bias; unknown are generator.colour" in message


def test_both_shapes_are_named(saved):
    edit_json(saved, config__d_ff=33)
    message = refusal(saved)
    assert "encoder.layers.0.feed_forward.expand.weight is (32, 16) instead of (33, 16)" in message


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite(saved, value):
    def change(weights):
        weights["generator.bias"][3] = value

    edit_weights(saved, change)
    assert "weights must be finite, got inf or nan in generator.bias" in refusal(saved)


def test_numbers_that_are_no_weights(saved):
    def change(weights):
        weights["generator.bias"] = weights["generator.bias"].long()

    edit_weights(saved, change)
    assert "or int8 of a matrix, got torch.int64 in generator.bias" in refusal(saved)


TABLE = "source_embedding.weight"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({f"{TABLE}.scale": None}, "missing are source_embedding.weight.scale"),
        ({f"{TABLE}.scale": torch.ones(12)}, r"weight.scale is \(12,\) instead of \(11,\)"),
        ({f"{TABLE}.scale": torch.ones(11, 1)}, r"scale is \(11, 1\) instead of \(11,\)"),
        ({f"{TABLE}.scale": torch.full((11,), torch.inf)}, "must be finite, got inf or nan in"),
        ({f"{TABLE}.scale": torch.full((11,), 3e38)}, "must be finite, got inf or nan in"),
        ({f"{TABLE}.scale": torch.ones(11).char()}, "got torch.int8 in source_embedding.weight.sc"),
        ({TABLE: torch.ones(11, 16)}, "unknown are source_embedding.weight.scale"),
        ({TABLE: torch.ones(11, 16).byte()}, "unknown are source_embedding.weight.scale"),
        ({TABLE: torch.ones(11, 17).char()}, r"weight is \(11, 17\) instead of \(11, 16\)"),
        ({"generator.bias": torch.ones(11).char()}, "got torch.int8 in generator.bias"),
    ],
)
def test_8_bits_that_are_no_matrix_with_a_scale_for_each_row(saved, changes, message):
    def change(weights):
        weights |= {TABLE: torch.full((11, 16), 2).char(), f"{TABLE}.scale": torch.ones(11)}
        for name, tensor in changes.items():
            weights[name] = tensor
            if tensor is None:
                del weights[name]

    edit_weights(saved, change)
    assert re.search(message, refusal(saved))


def test_more_numbers_than_are_read(saved, monkeypatch):
    monkeypatch.setattr("model.checkpoints.weights._MOST_NUMBERS", 1000)
    assert "weights must be at most 1,000 numbers, got" in refusal(saved)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config__d_model": 10**9}, r"instead of \(11, 1000000000\)"),
        ({"config__d_ff": 10**12}, r"instead of \(1000000000000, 16\)"),
        ({"config__d_model": 10**30}, "does not describe a possible model"),
        ({"config__n_encoder_layers": 10**9}, "it has 1000000003 layers, and there are"),
        ({"config__max_length": 10**9}, "max_length is 1000000000, d_model 16"),
        ({"config__max_length": 10**9, "config__positions": "learned"}, "missing are"),
    ],
)
def test_a_huge_model_is_refused_before_it_is_allocated(saved, changes, message):
    edit_json(saved, **changes)
    assert re.search(message, refusal(saved))
