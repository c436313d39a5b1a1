import hashlib
import json
import os
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import safetensors.torch
import torch

from model.checkpoint import (
    MOST_JSON,
    MOST_WEIGHTS,
    CheckpointError,
    CheckpointInfo,
    list_checkpoints,
    load_checkpoint,
    read_info,
    save_checkpoint,
)
from model.checkpoint_json import FORMAT_VERSION
from model.presets import PRESETS
from model.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, shaken, tiny_model

TOKENIZERS = Tokenizers.train(
    ["a b c d"], ["e f g"], source_kind="word", target_kind="word", shared=True
)
"""Of 11 tokens, as the tiny model is."""


def info_of(model: Transformer, **changes) -> CheckpointInfo:
    fields = {
        "name": "tiny",
        "title": "A tiny model",
        "variant": "paper",
        "task": "nothing",
        "config": model.config,
        "tokenizers": TOKENIZERS,
        "training": {
            **{"steps": 3, "step": 3, "warmup": 4, "factor": 0.5, "seed": 0},
            **{"losses": [3.0, 2.5], "loss_every": 2},
        },
        "scores": {"exact": 0.5, "places": {"decoder.layers.1.cross_attn": [0.1, 1]}},
    }
    return CheckpointInfo(**(fields | changes))


def logits(model: Transformer) -> torch.Tensor:
    with torch.inference_mode():
        return model(SOURCE, TARGET).logits


@pytest.fixture
def saved(model, tmp_path) -> Path:
    """One tiny checkpoint, for tests that change its files."""
    save_checkpoint(tmp_path / "tiny", model, info_of(model), half=False)
    return tmp_path / "tiny"


def edit_json(path: Path, **changes) -> None:
    """Set fields of the JSON; a double underscore goes into an object, None takes a field away."""
    file = path.with_suffix(".json")
    values = json.loads(file.read_text())
    for name, value in changes.items():
        *parents, last = name.split("__")
        part = values
        for parent in parents:
            part = part[parent]
        if value is None:
            del part[last]
        else:
            part[last] = value
    file.write_text(json.dumps(values | digest_of(values)))


def digest_of(values: dict) -> dict:
    """Give the digest that fits the other fields, where there is one."""
    rest = {name: value for name, value in values.items() if name != "json_sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    digest = {"json_sha256": hashlib.sha256(text.encode("ascii")).hexdigest()}
    return digest if values.keys() != rest.keys() else {}


def write_weights(path: Path, data: bytes) -> None:
    """Replace the weights, with a sha256 that fits."""
    path.with_suffix(".safetensors").write_bytes(data)
    edit_json(path, sha256=hashlib.sha256(data).hexdigest())


def edit_weights(path: Path, change) -> None:
    weights = safetensors.torch.load_file(path.with_suffix(".safetensors"))
    change(weights)
    write_weights(path, safetensors.torch.save(weights))


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path)
    return str(caught.value)


# What is saved comes back


@pytest.mark.parametrize("variant", PRESETS)
def test_full_precision_gives_the_same_logits(variant, tmp_path):
    model = tiny_model(variant)
    save_checkpoint(tmp_path / "x", model, info_of(model, variant=variant), half=False)
    loaded = load_checkpoint(tmp_path / "x")
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


@pytest.mark.parametrize("positions", ["learned", "none"])
def test_other_positions_come_back(positions, tmp_path):
    model = tiny_model(positions=positions, max_length=7)
    save_checkpoint(tmp_path / "x", model, info_of(model), half=False)
    assert torch.equal(logits(load_checkpoint(tmp_path / "x").model), logits(model))


def test_information_comes_back(model, saved):
    info = read_info(saved)
    given = info_of(model)
    for name in ("name", "title", "variant", "task", "config", "training", "scores"):
        assert getattr(info, name) == getattr(given, name)
    assert info.tokenizers == TOKENIZERS
    assert load_checkpoint(saved).info.scores == given.scores


def test_information_is_read_without_weights(saved):
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


def test_loading_leaves_random_numbers_alone(saved):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_checkpoint(saved)
    assert torch.equal(torch.rand(3), expected)


def test_saving_leaves_the_model_alone(tmp_path):
    model = tiny_model().train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    save_checkpoint(tmp_path / "x", model, info_of(model))
    assert model.training
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize("suffix", ["", ".json", ".safetensors"])
def test_a_path_may_name_either_file(saved, suffix):
    assert load_checkpoint(saved.with_name(saved.name + suffix)).info.name == "tiny"


def test_a_name_may_have_dots(model, tmp_path):
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

    monkeypatch.setattr("model.files.os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(saved, other, info_of(other))
    assert {path: path.read_bytes() for path in saved.parent.iterdir()} == before


def test_saving_again_replaces(saved):
    other = tiny_model("tied")
    save_checkpoint(saved, other, info_of(other, title="Another"))
    assert load_checkpoint(saved).info.title == "Another"
    assert len(list(saved.parent.iterdir())) == 2


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


def test_a_folder_is_made(model, tmp_path):
    save_checkpoint(tmp_path / "a" / "b" / "x", model, info_of(model))
    assert load_checkpoint(tmp_path / "a" / "b" / "x").info.name == "tiny"


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
    with pytest.raises(ValueError, match="pad_id of the config must be the tokenizers', 0, got 2"):
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


# Files that are not as written


@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_missing_file_is_named(saved, suffix):
    saved.with_suffix(suffix).unlink()
    message = refusal(saved)
    assert f"tiny{suffix}: no such file" in message
    assert "NAME.safetensors and NAME.json together" in message


def test_a_folder_in_place_of_a_file_is_named(saved):
    saved.with_suffix(".json").unlink()
    saved.with_suffix(".json").mkdir()
    assert "tiny.json: cannot be read" in refusal(saved)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": NaN}', "not JSON .JSON has no NaN"),
        (b"[1]", r"the checkpoint must be an object, got \[1\]"),
        (b"{}", "the checkpoint needs config, format_version, name, scores, sha256, task"),
    ],
)
def test_json_that_is_none(saved, text, message):
    saved.with_suffix(".json").write_bytes(text)
    assert re.search(f"tiny.json: {message}", refusal(saved))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 3}, "format_version must be 1 or 2, got 3: a newer version of this"),
        ({"format_version": 0}, "format_version must be 1 or 2, got 0"),
        ({"format_version": 1}, "the checkpoint has no json_sha256"),
        ({"format_version": 10**99}, "format_version must be 1 or 2, got 1000"),
        ({"json_sha256": None}, "the checkpoint needs json_sha256"),
        ({"config__mask_fill": 1e300}, "its config cannot be used: mask_fill must be within"),
        ({"config__mask_fill": -(10**400)}, "its config cannot be used"),
        ({"format_version": "1"}, "format_version of the checkpoint must be a whole number"),
        ({"title": None, "task": None}, "the checkpoint needs task, title"),
        ({"colour": "red"}, "the checkpoint has no colour"),
        ({"title": 3}, "title of the checkpoint must be a string, got 3"),
        ({"scores": []}, r"scores of the checkpoint must be an object, got \[\]"),
        ({"config__d_model": 15}, "its config cannot be used: sinusoidal .* even, got 15"),
        ({"config__d_model": "x"}, "its config cannot be used"),
        ({"config__colour": 1}, "its config cannot be used: a config has no colour"),
        ({"config__d_ff": 0}, "its config cannot be used: d_ff must be a positive whole number"),
        ({"config__dropout_at": 3}, "its config cannot be used"),
        ({"config__norm_eps": []}, "its config cannot be used"),
        ({"config__pad_id": 2}, "pad_id of the config must be the tokenizers', 0, got 2"),
        ({"tokenizers__shared": 3}, "its tokenizers cannot be used: shared of the tokenizers"),
        (
            {"config__source_vocab_size": 12, "config__target_vocab_size": 12},
            "size of the source tokenizer, got 12 and 11",
        ),
    ],
)
def test_information_that_cannot_be(saved, changes, message):
    edit_json(saved, **changes)
    found = refusal(saved)
    assert re.search(f"tiny.json: .*{message}", found)
    with pytest.raises(CheckpointError, match=re.escape(found)):
        read_info(saved)


@pytest.mark.parametrize("kept", [0, 7, 8, 100, -1])
def test_a_truncated_file(saved, kept):
    file = saved.with_suffix(".safetensors")
    file.write_bytes(file.read_bytes()[:kept])
    assert "tiny.safetensors: not a whole safetensors file" in refusal(saved)


class Explosive:
    exploded = False

    def __reduce__(self):
        return setattr, (Explosive, "exploded", True)


def test_a_pickle_is_refused_and_does_not_run(saved, tmp_path):
    data = pickle.dumps(Explosive())
    pickle.loads(data)
    assert Explosive.exploded  # it would have
    Explosive.exploded = False
    torch.save({"weights": Explosive()}, tmp_path / "x.pt")
    for disguised in (data, (tmp_path / "x.pt").read_bytes()):
        write_weights(saved, disguised)
        assert "not a whole safetensors file" in refusal(saved)
    assert not Explosive.exploded


def test_a_flipped_bit_of_the_json_changes_nothing_or_is_refused(saved):
    file = saved.with_suffix(".json")
    data, given = file.read_bytes(), json.loads(file.read_bytes())
    draw = random.Random(0)
    places = draw.sample(range(len(data)), 300)
    seen = {"refused": 0, "equal": 0}
    for place in places:
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            file.write_bytes(flipped)
            try:
                read_info(saved)
            except CheckpointError:
                seen["refused"] += 1
            else:
                assert json.loads(bytes(flipped)) == given, (place, bit)
                seen["equal"] += 1
    assert seen["refused"] > 10 * seen["equal"]


def test_a_damaged_json_says_so(saved):
    file = saved.with_suffix(".json")
    file.write_text(file.read_text().replace("A tiny model", "A tidy model"))
    assert "tiny.json: its json_sha256 is not that of its contents" in refusal(saved)


def test_the_layout_of_the_json_is_free(saved):
    file = saved.with_suffix(".json")
    values = json.loads(file.read_text())
    file.write_text(json.dumps(dict(reversed(values.items())), indent=4) + "\r\n")
    assert load_checkpoint(saved).info.title == "A tiny model"


def test_keys_that_are_numbers_are_saved_as_they_are_read(model, tmp_path):
    record = {"by_step": {10: 0.1, 9: 0.2}}
    save_checkpoint(tmp_path / "x", model, info_of(model, training=record))
    assert read_info(tmp_path / "x").training == {"by_step": {"10": 0.1, "9": 0.2}}


def test_a_file_of_version_1_still_opens(saved):
    file = saved.with_suffix(".json")
    values = json.loads(file.read_text())
    del values["json_sha256"]
    file.write_text(json.dumps(values | {"format_version": 1}))
    loaded = load_checkpoint(saved)
    assert loaded.info.title == "A tiny model"
    save_checkpoint(saved, loaded.model, loaded.info)
    assert json.loads(file.read_text())["format_version"] == 2


HEAD = {"layer": 0, "head": 1, "all_tokens": 0.5, "content_words": None}


@pytest.mark.parametrize(
    ("part", "values", "message"),
    [
        ("training", {"steps": "3"}, "steps of training must be a whole number of at least 1, got"),
        ("training", {"warmup": 0}, "warmup of training must be a whole number of at least 1"),
        ("training", {"warmup": 10**400}, "warmup of training must be a whole number"),
        ("training", {"factor": []}, r"factor of training must be a positive number, got \[\]"),
        ("training", {"factor": True}, "factor of training must be a positive number, got True"),
        ("training", {"label_smoothing": 1}, "label_smoothing of training must be a number from 0"),
        ("training", {"losses": "long"}, "losses of training must be a list of numbers, got long"),
        ("training", {"losses": [1, None]}, "losses of training must be a list of numbers"),
        (
            "training",
            {"losses": [1.0]},
            "training with losses needs step, loss_every, warmup",
        ),
        ("training", {"exact_matches": [[1]]}, r"exact_matches of training must be a list of \["),
        ("training", {"step": -1}, "step of training must be a whole number of at least 0, got -1"),
        ("scores", {"exact_match": "all", "loss": 1}, "exact_match of scores must be a number fro"),
        ("scores", {"exact_match": 0.5}, "scores with exact_match needs loss"),
        ("scores", {"loss": {}}, "loss of scores must be a number of at least 0, got {}"),
        ("scores", {"chance": 2}, "chance of scores must be a number from 0 to 1, or null, got 2"),
        ("scores", {"best_head": [1]}, r"best_head of scores must be an object with .*, got \[1\]"),
        ("scores", {"best_head": {"layer": "1", "head": 0}}, "best_head of scores must be"),
        ("scores", {"heads": {"0": HEAD}}, "heads of scores must be a list of objects"),
        ("scores", {"heads": [HEAD | {"all_tokens": None}]}, "heads of scores must be a list of"),
        ("scores", {"heads": [HEAD]}, "each of the 3 times 4 heads .* or none, got 1"),
        ("scores", {"heads": [HEAD] * 12}, "each of the 3 times 4 heads .* or none, got 12"),
    ],
)
def test_records_that_no_page_could_read_are_refused(model, saved, part, values, message):
    edit_json(saved, **{part: values})
    assert re.search(f"tiny.json: .*{message}", refusal(saved))
    with pytest.raises(CheckpointError, match=message):
        save_checkpoint(saved, model, info_of(model, **{part: values}))


def test_records_may_lack_everything_and_hold_more(model, saved):
    heads = [HEAD | {"layer": layer, "head": head} for layer in range(3) for head in range(4)]
    for scores in ({}, {"heads": []}, {"heads": heads, "best_head": None, "notes": ["mine"]}):
        save_checkpoint(saved, model, info_of(model, training={}, scores=scores))
        assert read_info(saved).scores == scores


# What is no file, or too large


READ = """
import sys
from pathlib import Path
from model.checkpoint import CheckpointError, load_checkpoint
try:
    load_checkpoint(Path(sys.argv[1]))
except CheckpointError as error:
    print(error)
"""


def refusal_in_time(path: Path) -> str:
    """Load in a process of its own, which would wait for ever at a pipe."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_pipe_is_refused_and_not_waited_for(saved, suffix):
    saved.with_suffix(suffix).unlink()
    os.mkfifo(saved.with_suffix(suffix))
    assert f"tiny{suffix}: cannot be read (it is no regular file)" in refusal_in_time(saved)


@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
def test_a_device_is_refused(saved, suffix):
    if not Path("/dev/zero").is_char_device():
        pytest.skip("no devices here")
    saved.with_suffix(suffix).unlink()
    saved.with_suffix(suffix).symlink_to("/dev/zero")
    assert f"tiny{suffix}: cannot be read (it is no regular file)" in refusal_in_time(saved)


@pytest.mark.parametrize(("suffix", "most"), [(".json", MOST_JSON), (".safetensors", MOST_WEIGHTS)])
def test_a_file_beyond_the_limit_is_refused_before_it_is_read(saved, suffix, most, monkeypatch):
    with saved.with_suffix(suffix).open("wb") as file:
        file.truncate(most + 1)  # takes no room on the disk

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
    assert "tiny.safetensors: its sha256 is not the one in tiny.json" in refusal(saved)


def test_one_changed_byte(saved):
    file = saved.with_suffix(".safetensors")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert "its sha256 is not the one in tiny.json" in refusal(saved)


def test_missing_and_unknown_weights_are_named(saved):
    def change(weights):
        weights["generator.colour"] = weights.pop("generator.bias")

    edit_weights(saved, change)
    message = refusal(saved)
    assert "tiny.safetensors: weights must be those that the config describes" in message
    assert "missing are generator.bias; unknown are generator.colour" in message


def test_only_the_first_few_weights_are_named(saved):
    edit_json(saved, config__n_decoder_layers=4)
    assert re.search(r"missing are decoder.layers.3.\S+, \S+, \S+ and \d+ more\.", refusal(saved))


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
    assert "must be float16, bfloat16 or float32, got torch.int64 in generator.bias" in refusal(
        saved
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config__d_model": 10**9}, r"instead of \(11, 1000000000\)"),
        ({"config__d_ff": 10**12}, r"instead of \(1000000000000, 16\)"),
        ({"config__d_model": 10**30}, "no possible model"),
        ({"config__n_encoder_layers": 10**9}, "it has 1000000003 layers, and there are"),
        ({"config__max_length": 10**9}, "max_length is 1000000000, d_model 16"),
        ({"config__max_length": 10**9, "config__positions": "learned"}, "missing are"),
    ],
)
def test_a_huge_model_is_refused_before_it_is_allocated(saved, changes, message):
    edit_json(saved, **changes)
    assert re.search(message, refusal(saved))


def test_the_format_is_pinned(saved):
    values = json.loads(saved.with_suffix(".json").read_text())
    assert values["format_version"] == FORMAT_VERSION == 2
    assert set(values) == {
        *("format_version", "name", "title", "variant", "task", "config"),
        *("tokenizers", "training", "scores", "sha256", "json_sha256"),
    }
    assert digest_of(values) == {"json_sha256": values["json_sha256"]}
    weights = saved.with_suffix(".safetensors").read_bytes()
    assert values["sha256"] == hashlib.sha256(weights).hexdigest()
