"""Every named tensor of an opened decoder agrees with transformers' own code."""

import json

import pytest
import torch

from model.foreign.imports.load import open_folder, read_folder
from tests.model.foreign.imports.oracle import (
    VOCABULARY,
    build,
    check_every_tensor,
    save,
    sharp,
    texts,
)

_GPT2 = {"n_embd": 32, "n_layer": 3, "n_head": 4, "vocab_size": VOCABULARY, "n_positions": 40}
_TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
}
_GROUPED = _TINY | {"num_key_value_heads": 2}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
GPT2 = "GPT2LMHeadModel GPT2Config"
LLAMA = "LlamaForCausalLM LlamaConfig"
MISTRAL = "MistralForCausalLM MistralConfig"
QWEN2 = "Qwen2ForCausalLM Qwen2Config"
NEOX = "GPTNeoXForCausalLM GPTNeoXConfig"
CONFIGS = {
    "GPT-2": (GPT2, _GPT2),
    "GPT-2, untied, ReLU, its own width": (
        GPT2,
        _GPT2 | {"tie_word_embeddings": False, "activation_function": "relu", "n_inner": 20},
    ),
    "GPT-2, scores as they are": (
        GPT2,
        _GPT2 | {"scale_attn_weights": False, "layer_norm_epsilon": 1e-3},
    ),
    "Llama": (LLAMA, _TINY),
    "Llama, grouped, tied, wide heads": (
        LLAMA,
        _GROUPED | {"tie_word_embeddings": True, "head_dim": 12, "rms_norm_eps": 1e-3},
    ),
    "Llama, biases, GELU": (
        LLAMA,
        _GROUPED | {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"},
    ),
    "Llama 3's positions": (LLAMA, _GROUPED | {"rope_parameters": _LLAMA3}),
    "Llama, positions stretched": (
        LLAMA,
        _TINY | {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e3, "factor": 3.0}},
    ),
    "Mistral": (MISTRAL, _GROUPED | {"sliding_window": 4}),
    "Mistral, no window": (MISTRAL, _GROUPED | {"sliding_window": None}),
    "Qwen2": (QWEN2, _GROUPED),
    "Qwen2, a window": (
        QWEN2,
        _GROUPED | {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 0},
    ),
    "NeoX": (NEOX, _TINY),
    "NeoX, one after the other, all turned": (
        NEOX,
        _TINY
        | {
            "use_parallel_residual": False,
            "rope_parameters": {"rope_theta": 1e3, "partial_rotary_factor": 1.0},
        },
    ),
    "NeoX, no biases, tied": (
        NEOX,
        _TINY | {"attention_bias": False, "tie_word_embeddings": True, "hidden_act": "gelu_new"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_every_tensor_is_theirs(name, tmp_path):
    kind, settings = CONFIGS[name]
    model = build(kind, settings)
    compared = check_every_tensor(model, tmp_path)
    layers = model.config.num_hidden_layers
    assert {"logits", "decoder.output", "target_embedding.output"} <= compared
    parts = {"weights", "scores", "query", "key", "value", "heads", "output"}
    for i in range(layers):
        layer = f"decoder.layers.{i}."
        assert {f"{layer}self_attn.{part}" for part in parts} <= compared
        assert {f"{layer}input", f"{layer}feed_forward.hidden", f"{layer}output"} <= compared
        assert (f"{layer}after_self_attn" in compared) == (
            "NeoX" not in name or not model.config.use_parallel_residual
        )


@pytest.mark.parametrize("name", ["GPT-2", "Llama 3's positions", "Mistral", "NeoX"])
def test_what_it_writes_is_what_they_write(name, tmp_path):
    model = sharp(build(*CONFIGS[name]), 0)
    opened = open_folder(save(model, tmp_path)).model
    ours = texts()[0, :5].tolist()
    theirs = model.generate(
        texts()[:1, :5], do_sample=False, max_new_tokens=15, pad_token_id=0, eos_token_id=None
    )[0].tolist()
    with torch.inference_mode():
        while len(ours) < len(theirs):
            logits = opened(None, torch.tensor([ours])).logits
            ours.append(int(logits[0, -1].argmax()))
    assert ours == theirs


def test_folders_of_old_mean_the_same(tmp_path):
    save(build(*CONFIGS["Llama 3's positions"]), tmp_path)
    file = tmp_path / "config.json"
    values = json.loads(file.read_text())
    today = read_folder(tmp_path).config
    scaling = dict(values.pop("rope_parameters"))
    values["rope_theta"] = scaling.pop("rope_theta")
    file.write_text(json.dumps(values | {"rope_scaling": scaling}))
    assert read_folder(tmp_path).config == today
    file.write_text(json.dumps(values | {"rope_scaling": None}))
    plain = read_folder(tmp_path).config
    assert (plain.rotary_base, plain.rotary_factor) == (today.rotary_base, 1.0)


def test_an_old_pythia_means_the_same(tmp_path):
    save(build(NEOX, _TINY), tmp_path)
    file = tmp_path / "config.json"
    values = json.loads(file.read_text())
    today = read_folder(tmp_path).config
    del values["rope_parameters"]
    file.write_text(json.dumps(values | {"rotary_pct": 0.25, "rotary_emb_base": 10000}))
    assert read_folder(tmp_path).config == today
