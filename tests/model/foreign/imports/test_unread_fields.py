"""Fields that a family's own code ignores change nothing; fields that it reads do."""

from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.foreign.opening import open_model
from tests.model.foreign.hub_folders import (
    difference,
    read_by_transformers,
    read_hub_config,
    write_hub_folder,
)

_ROPE = {"rope_theta": 5e4, "rope_type": "default"}
_LINEAR = {"rope_type": "linear", "factor": 4.0}
CASES = [
    ("Llama-2-7b", {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5}}, True),
    ("Llama-2-7b", {"partial_rotary_factor": 0.5}, True),
    ("Llama-2-7b", {"rotary_emb_base": 500, "rotary_pct": 0.5}, True),
    ("Llama-2-7b", {"rope_scaling": _LINEAR, "rope_parameters": _ROPE}, True),
    ("Llama-2-7b", {"qk_layernorm": True}, False),
    ("Llama-2-7b", {"sliding_window": 4}, False),
    ("Mistral-7B-v0.1", {"attention_bias": True, "mlp_bias": True}, False),
    ("Qwen2.5-0.5B", {"attention_bias": False, "mlp_bias": True}, False),
    ("Qwen2.5-0.5B", {"layer_types": ["full_attention", "sliding_attention"],
                      "use_sliding_window": True, "sliding_window": 4}, False),
    ("pythia-70m", {"rope_theta": 500, "partial_rotary_factor": 1.0}, True),
    ("pythia-70m", {"rotary_emb_base": 500, "rotary_pct": 0.5}, True),
    ("pythia-70m", {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5}}, True),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, False),
    ("gpt2", {"activation_function": "quick_gelu"}, False),
    ("gpt2", {"logit_scale": 0.0, "gate": [], "more": ""}, True),
    ("bert-base-uncased", {"position_embedding_type": "relative_key"}, False),
    ("bert-base-uncased", {"is_decoder": True}, False),
    ("opus-mt-en-fr", {"normalize_embedding": True}, False),
    ("t5-small", {"dense_act_fn": "relu", "is_gated_act": False, "dropout_rate": 0.3}, True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "more", "is_poured"), CASES)
def test_a_field_means_what_transformers_reads(
    name: str, more: dict, is_poured: bool, tmp_path: Path
) -> None:
    said = read_hub_config(name) | more
    folder = write_hub_folder(tmp_path / name, said)
    opened = open_model(folder)
    assert isinstance(opened, Checkpoint) == is_poured
    with torch.no_grad():
        assert difference(opened, read_by_transformers(folder, said)) < 1e-5
