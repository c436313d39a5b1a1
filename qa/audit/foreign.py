"""Folders of models in the Hugging Face format, with weights drawn at random, and their references.

The same numbers are written under the names that these models have for them, and handed to the
reference under its own: so a part that is read as another, or turned, shows.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa.audit.reference.files import Files, write_safetensors
from qa.audit.reference.words import END, SPECIALS
from qa.audit.truth import State, Truth

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
    """A run of such a model: no token of its own begins or ends what is read."""

    def __init__(self, files: Files, state: State) -> None:
        super().__init__(files, state)
        self.source_ids = self.source_ids[:-1]
        if not self.translates:
            self.prompt = self.prompt[1:]

    @cached_property
    def target_ids(self) -> list[int]:
        """The text and what goes on from it, to the most that is written."""
        if self.reads_only:
            return []
        end = END if self.translates else -1
        return self.reference.greedy(self.source_ids, self.prompt, self._most(), end=end)

    @cached_property
    def text(self) -> str:
        """What was written, each token as its tokenizer has it."""
        return " ".join(self.target_tokens[len(self.prompt) :])


def write_models(folder: Path, seed: int = 0) -> list[Foreign]:
    """Write the models into a folder, one folder each."""
    generator = np.random.default_rng(seed)
    return [
        _write_gpt2(folder / "audit-gpt2", generator),
        _write_llama(folder / "audit-llama", generator),
        _write_bert(folder / "audit-bert", generator),
        _write_t5(folder / "audit-t5", generator),
    ]


def truth_of_foreign(foreign: Foreign, source: str = SOURCE) -> ForeignTruth:
    """Give the reference's run of a text."""
    return ForeignTruth(foreign.files, State(foreign.name, source))


def _draw(generator: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    return (generator.standard_normal(shape) * (1.4 / np.sqrt(shape[-1]))).astype(np.float32)


def _around_one(generator: np.random.Generator) -> NDArray[np.float32]:
    return (1 + _draw(generator, _WIDTH) / 2).astype(np.float32)


def _drawn(
    generator: np.random.Generator, names: dict[str, tuple[str, tuple[int, ...]]]
) -> dict[str, NDArray[np.float32]]:
    """Draw tensors of these shapes; the gains of norms around 1."""
    gains = {own: float("norm.weight" in own) for own in names}
    drawn = {own: _draw(generator, *shape) + gains[own] for own, (_, shape) in names.items()}
    return {own: values.astype(np.float32) for own, values in drawn.items()}


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
    ours = _drawn(generator, names)
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


def _write_bert(folder: Path, generator: np.random.Generator) -> Foreign:
    """Write one without a head for masked words, as sentence encoders are saved."""
    size = len(SPECIALS) + len(WORDS)
    names: dict[str, tuple[str, tuple[int, ...]]] = {
        "source_embedding.weight": ("embeddings.word_embeddings.weight", (size, _WIDTH)),
        "source_embedding.learned.weight": (
            "embeddings.position_embeddings.weight",
            (_LENGTH, _WIDTH),
        ),
        "source_embedding.segments.weight": (
            "embeddings.token_type_embeddings.weight",
            (2, _WIDTH),
        ),
    }
    parts = [("source_embedding.norm", "embeddings.LayerNorm", (_WIDTH,))]
    for i in range(_LAYERS):
        parts += [
            (f"encoder.layers.{i}.{own}", f"encoder.layer.{i}.{other}", shape)
            for own, other, shape in (
                ("self_attn.query", "attention.self.query", (_WIDTH, _WIDTH)),
                ("self_attn.key", "attention.self.key", (_WIDTH, _WIDTH)),
                ("self_attn.value", "attention.self.value", (_WIDTH, _WIDTH)),
                ("self_attn.output", "attention.output.dense", (_WIDTH, _WIDTH)),
                ("self_attn_norm", "attention.output.LayerNorm", (_WIDTH,)),
                ("feed_forward.expand", "intermediate.dense", (_INNER, _WIDTH)),
                ("feed_forward.contract", "output.dense", (_WIDTH, _INNER)),
                ("feed_forward_norm", "output.LayerNorm", (_WIDTH,)),
            )
        ]
    for own, other, shape in parts:
        names[f"{own}.weight"] = f"{other}.weight", shape
        names[f"{own}.bias"] = f"{other}.bias", shape[:1]
    ours = _drawn(generator, names)
    config = {
        "model_type": "bert", "architectures": ["BertModel"], "vocab_size": size,
        "hidden_size": _WIDTH, "num_attention_heads": _HEADS, "num_hidden_layers": _LAYERS,
        "intermediate_size": _INNER, "max_position_embeddings": _LENGTH, "type_vocab_size": 2,
        "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    }  # fmt: skip
    _write(folder, config, {other: ours[own] for own, (other, _) in names.items()})
    own_config = _config(
        n_encoder_layers=_LAYERS, n_decoder_layers=0, norm_placement="post", final_norm=False,
        norm_eps=1e-12, positions="learned", activation="gelu", tying="none",
        embedding_norm=True, segments=2, head="none", encoder_padding_mask=True,
    )  # fmt: skip
    return Foreign(f"{PREFIX}{folder.name}", _files(folder.name, own_config, ours))


def _write_t5(folder: Path, generator: np.random.Generator) -> Foreign:
    size, buckets = len(SPECIALS) + len(WORDS), 8
    names: dict[str, tuple[str, tuple[int, ...]]] = {
        "source_embedding.weight": ("shared.weight", (size, _WIDTH)),
        "generator.weight": ("lm_head.weight", (size, _WIDTH)),
    }
    square = (_WIDTH, _WIDTH)
    for stack, inner in (("encoder", 1), ("decoder", 2)):
        names[f"{stack}.relative.weight"] = (
            f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            (buckets, _HEADS),
        )
        names[f"{stack}.norm.weight"] = f"{stack}.final_layer_norm.weight", (_WIDTH,)
        for i in range(_LAYERS):
            own, other = f"{stack}.layers.{i}", f"{stack}.block.{i}.layer"
            sublayers = [("self_attn", 0, "SelfAttention"), ("cross_attn", 1, "EncDecAttention")]
            for part, place, its in sublayers[:inner]:
                for mine, theirs in zip(("query", "key", "value", "output"), "qkvo", strict=True):
                    names[f"{own}.{part}.{mine}.weight"] = (
                        f"{other}.{place}.{its}.{theirs}.weight",
                        square,
                    )
                names[f"{own}.{part}_norm.weight"] = f"{other}.{place}.layer_norm.weight", (_WIDTH,)
            for mine, theirs, shape in (
                ("feed_forward.gate", "DenseReluDense.wi_0", (_INNER, _WIDTH)),
                ("feed_forward.expand", "DenseReluDense.wi_1", (_INNER, _WIDTH)),
                ("feed_forward.contract", "DenseReluDense.wo", (_WIDTH, _INNER)),
                ("feed_forward_norm", "layer_norm", (_WIDTH,)),
            ):
                names[f"{own}.{mine}.weight"] = f"{other}.{inner}.{theirs}.weight", shape
    ours = _drawn(generator, names)
    for name in (name for name in names if name.endswith("query.weight")):
        ours[name] /= np.float32(np.sqrt(_WIDTH // _HEADS))  # its scores are not scaled
    config = {
        "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": size,
        "d_model": _WIDTH, "d_kv": _WIDTH // _HEADS, "d_ff": _INNER, "num_layers": _LAYERS,
        "num_heads": _HEADS, "relative_attention_num_buckets": buckets,
        "relative_attention_max_distance": 20, "layer_norm_epsilon": 1e-6,
        "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
        "pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 1,
    }  # fmt: skip
    _write(folder, config, {other: ours[own] for own, (other, _) in names.items()})
    ours["target_embedding.weight"] = ours["source_embedding.weight"]
    own_config = _config(
        n_encoder_layers=_LAYERS, positions="relative", relative_buckets=buckets,
        relative_max_distance=20, norm="rms", norm_eps=1e-6, activation="gelu_tanh", gated=True,
        tying="none", score_scale=1.0,
    )  # fmt: skip
    return Foreign(f"{PREFIX}{folder.name}", _files(folder.name, own_config, ours))
