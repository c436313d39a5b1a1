import json
import math
import struct
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.foreign.errors import FolderError
from model.foreign.finding import name_of
from model.foreign.imports import memory
from model.foreign.imports.folder import look_into
from model.foreign.imports.load import open_folder, plan_folder, read_folder
from model.foreign.imports.plan import TakenWeights
from model.foreign.imports.tensor_files import Stored, read_header
from model.traces import named_tensors
from tests.model.foreign.imports.folders import (
    GPT2,
    edit_config,
    edit_tokenizer,
    gpt2_weights,
    write_gpt2,
    write_llama,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_gpt2(tmp_path / "small-gpt")


def refusal(folder: Path) -> str:
    with pytest.raises(FolderError) as caught:
        open_folder(folder)
    said = str(caught.value)
    assert said.startswith(f"{folder.name}: ")
    assert "\n" not in said
    return said


def edit_weights(folder: Path, change) -> None:
    """Let a function change the tensors of the folder."""
    file = folder / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file)


def test_a_folder_becomes_a_checkpoint(folder):
    opened = open_folder(folder)
    info, model = opened.info, opened.model
    assert (info.name, info.title, info.task) == ("small-gpt", "small-gpt (GPT-2)", "")
    assert info.config == model.config
    assert info.tokenizers.target.specials.eos == 0
    assert info.tokenizers.source is info.tokenizers.target
    assert not model.training
    assert not any(p.requires_grad or p.is_meta for p in model.parameters())
    assert not any(buffer.is_meta for buffer in model.buffers())
    assert model.generator.weight is model.target_embedding.weight
    weights = gpt2_weights()
    layer = model.decoder.layers[1]
    torch.testing.assert_close(
        layer.feed_forward.expand.weight, weights["transformer.h.1.mlp.c_fc.weight"].T
    )
    packed = weights["transformer.h.1.attn.c_attn.weight"].T
    torch.testing.assert_close(layer.self_attn.key.weight, packed[16:32])
    ids = info.tokenizers.encode_prompt("The quick brown fox").ids
    logits = model(None, torch.tensor([ids])).logits
    assert logits.shape == (1, len(ids), 340)


def test_what_is_known_without_the_numbers_is_the_same(folder):
    (folder / "model.safetensors").chmod(0o400)
    assert read_folder(folder).config == open_folder(folder).info.config
    planned = plan_folder(folder)
    assert planned.family.title == "GPT-2"
    n_parameters = sum(p.numel() for p in open_folder(folder).model.parameters())
    assert planned.estimate.n_parameters == n_parameters
    assert planned.estimate.n_bytes == 4 * n_parameters


def test_a_bare_stack_without_prefix_is_read_too(folder):
    def bare(tensors: dict) -> None:
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)

    before = open_folder(folder).model.state_dict()
    edit_weights(folder, bare)
    after = open_folder(folder).model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_masks_that_old_folders_hold_are_no_weights(folder):
    def add(tensors: dict) -> None:
        tensors["transformer.h.0.attn.bias"] = torch.ones(1, 1, 32, 32, dtype=torch.bool)
        tensors["transformer.h.0.attn.masked_bias"] = torch.tensor(-1e4)

    edit_weights(folder, add)
    assert open_folder(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"n_layer": 4},
            "have no transformer.h.2.ln_1.weight, which its config describes (4 layers)",
        ),
        ({"n_layer": 1}, "and 11 more, which no part of Loupe's GPT-2 uses"),
        ({"n_embd": 32}, "has the shape"),
        ({"n_embd": 15}, "has the shape"),
        ({"vocab_size": 341}, "has the shape 340 × 16, but its config describes 341 × 16"),
        ({"n_positions": 33}, "target_embedding.learned.weight has the shape 32 × 16"),
        ({"n_inner": 60}, "has the shape"),
        ({"tie_word_embeddings": False}, "have no lm_head.weight"),
        ({"n_layer": 65}, "it has 65 layers; Loupe can show at most 64"),
        ({"n_layer": 10**9}, "it has 1,000,000,000 layers"),
        ({"n_layer": 60}, "describes 60 layers, but it has only 28 tensors"),
        ({"n_head": 65, "n_embd": 650}, "65 heads"),
        ({"n_head": 17}, "d_k must be a positive whole number"),
        ({"vocab_size": 300_001}, "300,001 tokens in its vocabulary"),
        ({"n_embd": 10**8}, "dimensions"),
        ({"n_head": 0}, "n_head of config.json must be a whole number"),
        ({"n_layer": "2"}, "n_layer of config.json must be a whole number"),
        ({"layer_norm_epsilon": -1.0}, "norm_eps must be positive"),
        ({"activation_function": "mish"}, "activation_function of config.json must be one of"),
        ({"add_cross_attention": True}, "add_cross_attention of config.json must be false"),
        ({"scale_attn_by_inverse_layer_idx": True}, "must be false"),
        ({"is_encoder_decoder": True}, "sets is_encoder_decoder, which Loupe does not know"),
        ({"sink_tokens": 4}, "sets sink_tokens, which Loupe does not know"),
    ],
)
def test_a_config_that_is_not_of_these_weights_is_refused(folder, changes, said):
    edit_config(folder, **changes)
    assert said in refusal(folder)


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ({"type": "yarn", "factor": 4.0}, "type of rope_scaling of config.json must be one of"),
        ({"rope_type": "dynamic", "factor": 2.0}, "rope_type of rope_scaling"),
        ({"rope_type": "default", "mscale": 2.0}, "sets mscale"),
        ([1], "rope_scaling of config.json must be an object"),
        ({"rope_type": "llama3", "factor": 8.0}, "needs low_freq_factor"),
        ({"rope_type": "linear", "factor": 0.0}, "rotary_factor"),
    ],
)
def test_positions_whose_formula_is_not_computed_are_refused(tmp_path, scaling, said):
    assert said in refusal(write_llama(tmp_path / "llama", rope_scaling=scaling))


def test_other_layers_for_other_depths_are_refused(tmp_path):
    folder = write_llama(
        tmp_path / "qwen", model_type="qwen2", use_sliding_window=True, sliding_window=4,
        max_window_layers=1,
    )  # fmt: skip
    assert "only models whose layers are alike" in refusal(folder)


def test_tied_weights_that_differ_are_refused(folder):
    edit_weights(
        folder, lambda t: t.update({"lm_head.weight": t["transformer.wte.weight"].clone()})
    )
    assert open_folder(folder)
    edit_weights(folder, lambda t: t["lm_head.weight"].add_(1))
    assert "are the same weight (tie_word_embeddings), but the two differ" in refusal(folder)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_weights_that_are_no_numbers_are_refused(folder, number):
    edit_weights(folder, lambda t: t["transformer.h.1.ln_2.weight"].fill_(number))
    assert "got inf or nan in transformer.h.1.ln_2.weight" in refusal(folder)


def test_weights_that_overflow_are_found_by_the_first_pass(folder):
    edit_weights(folder, lambda t: t["transformer.ln_f.weight"].fill_(3e38))
    assert "infinite numbers or NaN for a short text" in refusal(folder)


def test_weights_of_other_types_are_refused(folder):
    edit_weights(folder, lambda t: t.update({"transformer.ln_f.bias": torch.zeros(16).int()}))
    assert "transformer.ln_f.bias is I32" in refusal(folder)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_of_several_types_are_widened(folder, dtype):
    norms = {name for name in gpt2_weights() if "ln_" in name}
    edit_weights(folder, lambda t: t.update({n: t[n].to(dtype) for n in t.keys() - norms}))
    model = open_folder(folder).model
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    expected = gpt2_weights()["transformer.wpe.weight"].to(dtype).float()
    torch.testing.assert_close(model.target_embedding.learned.weight, expected, rtol=0, atol=0)


@pytest.mark.parametrize("write", [write_gpt2, write_llama])
def test_a_model_that_has_no_room_to_be_read_is_mapped_and_the_same(tmp_path, monkeypatch, write):
    folder = write(tmp_path / "it")
    read = dict(named_tensors(open_folder(folder).model(None, torch.tensor([[1, 2, 3]]))))
    monkeypatch.setattr(memory, "MOST_READ", 1000)
    assert plan_folder(folder).estimate.is_mapped
    model = open_folder(folder).model
    maps = Path("/proc/self/maps")
    if maps.exists():  # Linux lists the mapped files of a process
        assert maps.read_text().count(str(folder / "model.safetensors")) > 10
    for name, tensor in named_tensors(model(None, torch.tensor([[1, 2, 3]]))):
        torch.testing.assert_close(tensor, read[name])
    before = (folder / "model.safetensors").read_bytes()
    model.target_embedding.weight.data.zero_()
    assert (folder / "model.safetensors").read_bytes() == before


def test_a_large_sparse_file_is_opened_in_little_memory(tmp_path):
    rows = 1 << 20
    header = {"x": {"dtype": "BF16", "shape": [rows, 4096], "data_offsets": [0, rows * 8192]}}
    said = json.dumps(header).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", len(said)) + said.ljust(len(said) + -len(said) % 8))
    begins = file.stat().st_size
    header_length = struct.pack("<Q", begins - 8)
    with file.open("r+b") as opened:
        opened.write(header_length)
        opened.truncate(begins + rows * 8192)  # 8.6 GB, all sparse
    with file.open("r+b") as opened:
        opened.seek(-2, 2)
        opened.write(b"\x80\x3f")  # 1 in bfloat16
    tensor = read_header(file)["x"].read(mapped=True)
    assert tensor.shape == (rows, 4096)
    assert (tensor[0, 0].item(), tensor[-1, -1].item()) == (0.0, 1.0)


def test_too_large_a_model_is_refused_before_any_of_it_is_read(folder, monkeypatch):
    read = []
    monkeypatch.setattr(
        "model.foreign.imports.tensor_files.Stored.read", lambda self: read.append(self)
    )
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    assert "Loupe loads at most 0.0 MB of the 0.0 MB that are free" in refusal(folder)
    assert not read


def test_a_tokenizer_that_cannot_be_used_is_refused(folder):
    edit_tokenizer(folder, lambda values: values["model"].update(type="Evil"))
    assert "tokenizer.json cannot be used" in refusal(folder)


def test_no_prompt_is_padded_so_that_any_id_may_be_the_padding(folder):
    edit_config(folder, pad_token_id=7)
    opened = open_folder(folder)
    assert opened.info.config.pad_id == 7
    assert opened.model.target_mask(torch.tensor([[7, 7]])).tolist() == [
        [[True, False], [True, True]]
    ]


def test_names_are_shown_as_text():
    assert name_of(Path("/models/gpt2")) == "gpt2"
    assert name_of(Path("/models/\u202e<b>" + "x" * 100)) == "\\u202e<b>" + "x" * 56 + "…"


def test_a_tensor_is_made_when_it_is_asked_for_and_not_before(folder):
    stored = look_into(folder).tensors
    made = []

    def make(name: str, one: Stored) -> torch.Tensor:
        made.append(name)
        return one.read()

    weights = TakenWeights(stored, make)
    assert "transformer.wte.weight" in weights
    assert list(weights) == list(stored)
    assert weights.get("nothing") is None
    assert not made
    assert weights["transformer.ln_f.bias"].shape == (16,)
    assert (made, weights.taken) == (["transformer.ln_f.bias"], {"transformer.ln_f.bias"})


def test_a_llama_shares_keys_among_queries(tmp_path):
    opened = open_folder(write_llama(tmp_path / "llama"))
    assert opened.info.config.n_kv_heads == 2
    trace = opened.model(None, torch.tensor([[1, 5, 6]]))
    assert trace.decoder.layers[0].self_attn.key.shape == (1, 2, 3, 4)
    assert opened.info.tokenizers.encode_prompt("The fox").ids[0] == 1


def test_a_config_is_as_its_file_says(folder):
    values = json.loads((folder / "config.json").read_text())
    assert values == GPT2
