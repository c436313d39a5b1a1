import json
import os
import struct
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from model.foreign.errors import FolderError
from model.foreign.finding import find_models
from model.foreign.imports.folder import family_of, look_into, read_if_there
from model.foreign.imports.tensor_files import read_header
from tests.model.foreign.imports.folders import (
    edit_config,
    edit_tokenizer,
    gpt2_weights,
    write_gpt2,
    write_llama,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_gpt2(tmp_path / "models" / "small-gpt")


def refusal(folder: Path) -> str:
    with pytest.raises(FolderError) as caught:
        look_into(folder)
    return str(caught.value)


def test_a_folder_is_described_from_its_headers_alone(folder):
    found = look_into(folder)
    assert found.family.title == "GPT-2"
    weights = gpt2_weights()
    assert {name: stored.shape for name, stored in found.tensors.items()} == {
        name: tuple(tensor.shape) for name, tensor in weights.items()
    }
    stored = found.tensors["transformer.h.1.mlp.c_fc.weight"]
    torch.testing.assert_close(
        stored.read(), weights["transformer.h.1.mlp.c_fc.weight"], rtol=0, atol=0
    )


def test_sharded_weights_are_found_by_their_index(folder):
    weights = gpt2_weights()
    parts = dict(list(weights.items())[:7]), dict(list(weights.items())[7:])
    (folder / "model.safetensors").unlink()
    named = {}
    for i, part in enumerate(parts, start=1):
        file = f"model-0000{i}-of-00002.safetensors"
        save_file(part, folder / file)
        named |= dict.fromkeys(part, file)
    write_index(folder, named)
    found = look_into(folder)
    assert found.tensors.keys() == weights.keys()
    for name, stored in found.tensors.items():
        torch.testing.assert_close(stored.read(), weights[name], rtol=0, atol=0)

    write_index(folder, dict(list(named.items())[1:]))
    assert "does not say" in refusal(folder)
    write_index(folder, named | {"more": "model-00001-of-00002.safetensors"})
    assert "names more, which is in none of its files" in refusal(folder)


def write_index(folder: Path, named: dict) -> None:
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": named}))


@pytest.mark.parametrize("place", ["../outside.safetensors", "ABSOLUTE", "..\\outside.safetensors"])
def test_an_index_cannot_name_a_file_outside(folder, tmp_path, place):
    outside = tmp_path / "models" / "outside.safetensors"
    (folder / "model.safetensors").rename(outside)
    place = str(outside) if place == "ABSOLUTE" else place
    write_index(folder, dict.fromkeys(gpt2_weights(), place))
    assert "only .safetensors files in the folder itself" in refusal(folder)


@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
)
def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path, name):
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    assert f"{name} is a link to a file outside the folder" in refusal(folder)


def test_a_link_within_the_folder_is_followed(folder):
    (folder / "model.safetensors").rename(folder / "kept.safetensors")
    (folder / "model.safetensors").symlink_to("kept.safetensors")
    assert look_into(folder).tensors


def test_snapshots_of_hugging_faces_cache_may_link_to_its_blobs_and_nothing_else(tmp_path):
    snapshot = write_gpt2(tmp_path / "models--some--gpt" / "snapshots" / "0a1b")
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    (snapshot / "config.json").rename(blobs / "abc")
    (snapshot / "config.json").symlink_to("../../blobs/abc")
    assert look_into(snapshot).family.title == "GPT-2"
    (blobs / "abc").rename(snapshot.parents[1] / "abc")
    (snapshot / "config.json").unlink()
    (snapshot / "config.json").symlink_to("../../abc")
    assert "outside the folder" in refusal(snapshot)


def test_a_link_to_itself_is_refused(folder):
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("config.json")
    assert "config.json" in refusal(folder)


def test_a_pipe_is_not_waited_for(folder):
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    assert "not a regular file" in refusal(folder)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_the_folder_is_refused(folder, file):
    values = json.loads((folder / file).read_text())
    values["auto_map"] = {"AutoModelForCausalLM": "evil.Evil"}
    (folder / file).write_text(json.dumps(values))
    (folder / "evil.py").write_text("raise SystemExit('executed')")
    assert f"auto_map of {file} asks for Python code" in refusal(folder)


@pytest.mark.parametrize(
    "field", ["attn_implementation", "_attn_implementation", "_attn_implementation_internal"]
)
def test_code_from_elsewhere_is_refused(folder, field):
    edit_config(folder, **{field: "evil/kernel"})
    assert "names code to download from elsewhere (evil/kernel)" in refusal(folder)


def test_quantised_weights_are_refused(folder):
    edit_config(folder, quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True})
    assert "quantised" in refusal(folder)


def test_an_adapter_is_refused(folder):
    (folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    assert "adapter" in refusal(folder)


def test_pickled_weights_are_refused_with_the_way_out(folder):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"")
    assert "save_pretrained(folder, safe_serialization=True)" in refusal(folder)
    (folder / "pytorch_model.bin").unlink()
    assert "it has no model.safetensors" in refusal(folder)


@pytest.mark.parametrize("kept", ["tokenizer.model", "spiece.model", "source.spm"])
def test_a_tokenizer_of_another_format_is_refused_with_the_way_out(folder, kept, monkeypatch):
    monkeypatch.setattr("model.foreign.imports.folder.has_transformers", lambda: False)
    (folder / "tokenizer.json").unlink()
    (folder / kept).write_bytes(b"")
    said = refusal(folder)
    assert f"Loupe does not read its {kept}" in said
    assert "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)" in said


def test_unknown_families_are_refused_with_those_that_are_known(folder):
    edit_config(folder, model_type="mamba")
    said = refusal(folder)
    assert "gpt2" in said
    assert said.endswith("got mamba")
    edit_config(folder, model_type=["gpt2"])
    assert "model_type" in refusal(folder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "must be an object"),
        ("[" * 200_000, "not JSON"),
        ('{"a": NaN}', "NaN"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "nested more than 30 levels deep"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ('{"a": "' + "x" * (1 << 20) + '"}', "at most 1,048,576 bytes"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "not JSON"),
    ],
)
def test_a_config_that_is_none_is_refused(folder, text, said):
    (folder / "config.json").write_text(text, encoding="latin-1")
    assert said in refusal(folder)


def test_a_huge_tokenizer_is_refused_by_its_size_alone(folder):
    with (folder / "tokenizer.json").open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(FolderError, match="at most 50,000,000 bytes"):
        read_if_there(folder, "tokenizer.json")


def test_a_missing_config_says_what_a_folder_has(folder):
    (folder / "config.json").unlink()
    assert "a model's folder has config.json, model.safetensors and tokenizer.json" in refusal(
        folder
    )


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (struct.pack("<Q", 10**12) + b"{}", "header should have 1,000,000,000,000 bytes"),
        (b"abc", "too few for a safetensors file"),
        (struct.pack("<Q", 2) + b"[]", "must be an object"),
        (struct.pack("<Q", 5) + b"{\xff\xff\xff}", "not JSON"),
    ],
)
def test_a_broken_header_is_refused(folder, header, said):
    (folder / "model.safetensors").write_bytes(header)
    assert said in refusal(folder)


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        ({"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]}, "needs 64 bytes"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}, "needs 4 bytes"),
        (
            {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]},
            "does not give the place and shape",
        ),
        (
            {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]},
            "does not give the place and shape",
        ),
        (
            {"dtype": "F32", "shape": [1] * 9, "data_offsets": [0, 4]},
            "does not give the place and shape",
        ),
        ({"dtype": "Q4", "shape": [1], "data_offsets": [0, 4]}, "unknown type"),
        ({"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]}, "unknown type"),
        ({"dtype": "F32", "shape": [1 << 40, 1 << 40], "data_offsets": [0, 4]}, "needs"),
        ("nothing", "unknown type"),
    ],
)
def test_a_header_that_lies_is_refused(folder, tensor, said):
    header = json.dumps({"wte.weight": tensor}).encode()
    data = struct.pack("<Q", len(header)) + header + b"\0" * 8
    (folder / "model.safetensors").write_bytes(data)
    assert said in refusal(folder)


def test_a_file_that_is_cut_meanwhile_is_noticed(folder):
    stored = look_into(folder).tensors
    last = max(stored.values(), key=lambda one: one.start)
    os.truncate(last.file, last.start)
    for mapped in (False, True):
        with pytest.raises(ValueError, match="shorter than its header says"):
            last.read(mapped=mapped)


@pytest.mark.parametrize("shift", range(4))
def test_numbers_at_any_byte_are_read_and_mapped_alike(tmp_path, shift):
    numbers = torch.arange(3000.0)
    said = {"data": {"dtype": "F32", "shape": [3000], "data_offsets": [4000, 16000]}}
    header = json.dumps(said).encode() + b" " * shift
    before = b"\1" * 4000
    data = struct.pack("<Q", len(header)) + header + before + numbers.numpy().tobytes()
    (tmp_path / "it").write_bytes(data)
    stored = read_header(tmp_path / "it")["data"]
    for mapped in (False, True):
        assert torch.equal(stored.read(mapped=mapped), numbers)


def test_names_in_messages_hide_nothing(tmp_path):
    folder = write_gpt2(tmp_path / "\u202egnp.exe\n")
    edit_config(folder, model_type="\u202e<script>" + "x" * 10_000)
    said = refusal(folder)
    assert "\u202e" not in said
    assert "\n" not in said
    assert "\\u202e" in said
    assert len(said) < 500


def test_models_are_found_one_level_deep(tmp_path):
    first, second = write_gpt2(tmp_path / "b"), write_llama(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    (tmp_path / "note.txt").write_text("")
    write_gpt2(tmp_path / "deep" / "er")
    assert find_models(tmp_path) == [second, first]
    assert find_models(first) == [first]
    assert find_models(tmp_path / "nowhere") == []
    assert family_of(first).title == "GPT-2"
    (first / "config.json").write_text("{")
    assert family_of(first) is None
    assert find_models(tmp_path) == [second, first]


def test_a_tokenizer_may_be_as_deep_as_its_own_reader_lets_it(folder):
    edit_tokenizer(folder, lambda values: values.update(added_tokens=[[[[]]]]))
    assert look_into(folder)  # the tokenizer's reader refuses it
