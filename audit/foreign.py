"""Folders of models in the Hugging Face format, with weights drawn at random, and their references.

The same numbers are written under the names that GPT-2 and Llama have for them, and handed to the
reference under its own: so a part that is read as another, or turned, shows.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.reference.files import Files, write_safetensors
from audit.reference.words import SPECIALS
from audit.truth import State, Truth

WORDS = (
    "river", "lamp", "horse", "bread", "moon", "star",
    "tree", "door", "wind", "glass", "ship", "coin",
)  # fmt: skip
SOURCE = "moon star river lamp moon star"
PREFIX = "models/"
_WIDTH, _HEADS, _LAYERS, _INNER, _LENGTH = 32, 4, 2, 48, 64


@dataclass(frozen=True)
class Foreign:
    """One folder that was written."""

    name: str
    """As the app lists it."""
    files: Files
    """The same model as the reference reads it."""


class ForeignTruth(Truth):
    """A run of such a model: its text begins with no token of its own, and nothing ends it."""

    def __init__(self, files: Files, state: State) -> None:
        super().__init__(files, state)
        self.prompt = self.prompt[1:]

    @cached_property
    def target_ids(self) -> list[int]:
        """The text and what goes on from it, to the most that is written."""
        return self.reference.greedy(self.source_ids, self.prompt, self._most(), end=-1)

    @cached_property
    def text(self) -> str:
        """What was written, each token as its tokenizer has it."""
        return " ".join(self.target_tokens[len(self.prompt) :])


def write_models(folder: Path, seed: int = 0) -> list[Foreign]:
    """Write both models into a folder, one folder each."""
    generator = np.random.default_rng(seed)
    return [
        _write_gpt2(folder / "audit-gpt2", generator),
        _write_llama(folder / "audit-llama", generator),
    ]


def truth_of_foreign(foreign: Foreign, source: str = SOURCE) -> ForeignTruth:
    """Give the reference's run of a text."""
    return ForeignTruth(foreign.files, State(foreign.name, source))


def _draw(generator: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    return (generator.standard_normal(shape) * (1.4 / np.sqrt(shape[-1]))).astype(np.float32)


def _around_one(generator: np.random.Generator) -> NDArray[np.float32]:
    return (1 + _draw(generator, _WIDTH) / 2).astype(np.float32)


def _write(folder: Path, config: dict[str, Any], tensors: dict[str, NDArray[np.float32]]) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)
    vocabulary = {word: i for i, word in enumerate((*SPECIALS, *WORDS))}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def _files(name: str, config: dict[str, Any], tensors: dict[str, NDArray[np.float32]]) -> Files:
    side = {
        "kind": "word",
        "lower_case": False,
        "vocabulary": {w: i + 4 for i, w in enumerate(WORDS)},
    }
    about = {
        "config": config,
        "tokenizers": {"shared": True, "source": side, "target": side},
        "task": "",
    }
    return Files(name, about, {n: t.astype(np.float64) for n, t in tensors.items()})


def _config(**more: object) -> dict[str, Any]:
    return {
        "pad_id": 0, "d_model": _WIDTH, "d_ff": _INNER, "n_heads": _HEADS, "d_k": _WIDTH // _HEADS,
        "d_v": _WIDTH // _HEADS, "n_encoder_layers": 0, "n_decoder_layers": _LAYERS,
        "norm_placement": "pre",
        "final_norm": True, "norm": "layer", "norm_eps": 1e-5, "max_length": _LENGTH,
        "scale_embeddings": False, "mask_fill": "-inf", "causal_mask": True,
        "encoder_padding_mask": False, "decoder_padding_mask": False, "output": "logits",
    } | more  # fmt: skip


def _write_gpt2(folder: Path, generator: np.random.Generator) -> Foreign:
    size = len(SPECIALS) + len(WORDS)
    ours: dict[str, NDArray[np.float32]] = {
        "target_embedding.weight": _draw(generator, size, _WIDTH),
        "target_embedding.learned.weight": _draw(generator, _LENGTH, _WIDTH),
    }
    theirs = {
        "wte.weight": ours["target_embedding.weight"],
        "wpe.weight": ours["target_embedding.learned.weight"],
    }

    def norm(own: str, other: str) -> None:
        ours[f"{own}.weight"] = theirs[f"{other}.weight"] = _around_one(generator)
        ours[f"{own}.bias"] = theirs[f"{other}.bias"] = _draw(generator, _WIDTH)

    def linear(own: str, other: str, out: int, read: int) -> None:
        ours[f"{own}.weight"], ours[f"{own}.bias"] = (
            _draw(generator, out, read),
            _draw(generator, out),
        )
        theirs[f"{other}.weight"] = np.ascontiguousarray(ours[f"{own}.weight"].T)
        theirs[f"{other}.bias"] = ours[f"{own}.bias"]

    for i in range(_LAYERS):
        own, other = f"decoder.layers.{i}", f"h.{i}"
        for part in ("query", "key", "value"):
            ours[f"{own}.self_attn.{part}.weight"] = _draw(generator, _WIDTH, _WIDTH)
            ours[f"{own}.self_attn.{part}.bias"] = _draw(generator, _WIDTH)
        parts = [f"{own}.self_attn.{part}" for part in ("query", "key", "value")]
        theirs[f"{other}.attn.c_attn.weight"] = np.concatenate(
            [ours[f"{p}.weight"].T for p in parts], axis=1
        )
        theirs[f"{other}.attn.c_attn.bias"] = np.concatenate([ours[f"{p}.bias"] for p in parts])
        linear(f"{own}.self_attn.output", f"{other}.attn.c_proj", _WIDTH, _WIDTH)
        linear(f"{own}.feed_forward.expand", f"{other}.mlp.c_fc", _INNER, _WIDTH)
        linear(f"{own}.feed_forward.contract", f"{other}.mlp.c_proj", _WIDTH, _INNER)
        norm(f"{own}.self_attn_norm", f"{other}.ln_1")
        norm(f"{own}.feed_forward_norm", f"{other}.ln_2")
    norm("decoder.norm", "ln_f")
    config = {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": size,
        "n_embd": _WIDTH, "n_head": _HEADS, "n_layer": _LAYERS, "n_inner": _INNER,
        "n_positions": _LENGTH, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
    }  # fmt: skip
    _write(folder, config, theirs)
    own_config = _config(positions="learned", activation="gelu_tanh", tying="all")
    return Foreign(f"{PREFIX}{folder.name}", _files(folder.name, own_config, ours))


def _write_llama(folder: Path, generator: np.random.Generator) -> Foreign:
    size, kept = len(SPECIALS) + len(WORDS), 2
    d_k = _WIDTH // _HEADS
    names: dict[str, tuple[str, tuple[int, ...]]] = {
        "target_embedding.weight": ("model.embed_tokens.weight", (size, _WIDTH)),
        "generator.weight": ("lm_head.weight", (size, _WIDTH)),
    }
    for i in range(_LAYERS):
        own, other = f"decoder.layers.{i}", f"model.layers.{i}"
        for mine, its, shape in (
            ("self_attn.query", "self_attn.q_proj", (_WIDTH, _WIDTH)),
            ("self_attn.key", "self_attn.k_proj", (kept * d_k, _WIDTH)),
            ("self_attn.value", "self_attn.v_proj", (kept * d_k, _WIDTH)),
            ("self_attn.output", "self_attn.o_proj", (_WIDTH, _WIDTH)),
            ("feed_forward.gate", "mlp.gate_proj", (_INNER, _WIDTH)),
            ("feed_forward.expand", "mlp.up_proj", (_INNER, _WIDTH)),
            ("feed_forward.contract", "mlp.down_proj", (_WIDTH, _INNER)),
            ("self_attn_norm", "input_layernorm", (_WIDTH,)),
            ("feed_forward_norm", "post_attention_layernorm", (_WIDTH,)),
        ):
            names[f"{own}.{mine}.weight"] = (f"{other}.{its}.weight", shape)
    names["decoder.norm.weight"] = ("model.norm.weight", (_WIDTH,))
    ours = {
        own: _draw(generator, *shape) + (1 if len(shape) == 1 else 0)
        for own, (_, shape) in names.items()
    }
    ours = {own: values.astype(np.float32) for own, values in ours.items()}
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": size,
        "hidden_size": _WIDTH, "num_attention_heads": _HEADS, "num_key_value_heads": kept,
        "num_hidden_layers": _LAYERS, "intermediate_size": _INNER, "rms_norm_eps": 1e-6,
        "max_position_embeddings": _LENGTH, "rope_theta": 10000.0, "hidden_act": "silu",
        "tie_word_embeddings": False,
    }  # fmt: skip
    _write(folder, config, {other: ours[own] for own, (other, _) in names.items()})
    own_config = _config(
        positions="rotary", rotary_base=10000.0, rotary_share=1.0, norm="rms", norm_eps=1e-6,
        activation="silu", gated=True, tying="none", n_kv_heads=kept,
    )  # fmt: skip
    return Foreign(f"{PREFIX}{folder.name}", _files(folder.name, own_config, ours))
