"""Model folders in the Hugging Face format with random weights, and their references.

The same numbers are written under the names of each family, and given to the reference under its
own names, so a swapped or transposed part shows.
"""

import json
from collections.abc import Iterator
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
    "The", "cat", "sat", "on", "the", "mat", "because",
)  # fmt: skip
SOURCE = "moon star river lamp moon star"
PREFIX = "models/"
_WIDTH, _HEADS, _LAYERS, _INNER, _LENGTH = 32, 4, 2, 48, 64
_SIZE, _KEYS, _KEPT, _BUCKETS = len(SPECIALS) + len(WORDS), _WIDTH // _HEADS, 2, 8
_SQUARE, _UP, _DOWN, _LINE = (_WIDTH, _WIDTH), (_INNER, _WIDTH), (_WIDTH, _INNER), (_WIDTH,)
_EMBEDDED, _PLACED, _SEGMENTS = (_SIZE, _WIDTH), (_LENGTH, _WIDTH), (2, _WIDTH)
_SHARED = (_KEPT * _KEYS, _WIDTH)
Part = tuple[str, str, tuple[int, ...]]
"""Our name, the folder's, and the shape of a weight."""
Tensors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Foreign:
    """One folder that was written."""

    name: str
    """Its title in the app's list."""
    files: Files
    """The same model as the reference reads it."""


class ForeignTruth(Truth):
    """A run of such a model, whose tokenizer adds no tokens before or after a text."""

    def __init__(self, files: Files, state: State) -> None:
        super().__init__(files, state)
        self.source_ids = self.source_ids[:-1]
        if not self.translates:
            self.prompt = self.prompt[1:]

    @cached_property
    def target_ids(self) -> list[int]:
        """The text and its continuation, up to the limit."""
        if self.reads_only:
            return []
        end = END if self.translates else -1
        return self.reference.greedy(self.source_ids, self.prompt, self._most(), end=end)

    @cached_property
    def text(self) -> str:
        """The written text, each token in its tokenizer's form."""
        return " ".join(self.target_tokens[len(self.prompt) :])


def write_models(folder: Path, seed: int = 0) -> list[Foreign]:
    generator = np.random.default_rng(seed)
    return [
        _write(folder / f"audit-{name}", *family(), generator)
        for name, family in (("gpt2", _gpt2), ("llama", _llama), ("bert", _bert), ("t5", _t5))
    ]


def _write(
    folder: Path,
    parts: list[Part],
    config: dict[str, Any],
    own: dict[str, Any],
    generator: np.random.Generator,
) -> Foreign:
    """Draw the weights, and write them with the config and the tokenizer of the family."""
    ours = {name: _draw(generator, name, shape) for name, _, shape in parts}
    if "score_scale" in own:  # scores are not divided
        ours |= {n: t / np.sqrt(np.float32(_KEYS)) for n, t in ours.items() if "query" in n}
    theirs = {other: ours[name] for name, other, _ in parts}
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    as_saved = _as_gpt2(theirs) if config["model_type"] == "gpt2" else theirs
    write_safetensors(folder / "model.safetensors", as_saved)
    vocabulary = {word: i for i, word in enumerate((*SPECIALS, *WORDS))}
    unused = ("truncation", "padding", "normalizer", "post_processor", "decoder")
    tokenizer = dict.fromkeys(unused) | {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    as_it_is = {"tokenizer_class": "PreTrainedTokenizerFast"}  # GPT-2's own class has other rules
    (folder / "tokenizer_config.json").write_text(json.dumps(as_it_is), "utf-8")
    if own["positions"] == "relative":
        ours["target_embedding.weight"] = ours["source_embedding.weight"]
    known = {word: i + len(SPECIALS) for i, word in enumerate(WORDS)}
    side = {"kind": "space", "lower_case": False, "vocabulary": known}
    both = {"shared": True, "source": side, "target": side}
    about = {"config": _PLAIN | own, "tokenizers": both, "task": ""}
    tensors = {name: values.astype(np.float64) for name, values in ours.items()}
    return Foreign(f"{PREFIX}{folder.name}", Files(folder.name, about, tensors))


def _draw(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Draw a random tensor; the gains of norms are around 1."""
    drawn = generator.standard_normal(shape) * (1.4 / np.sqrt(shape[-1]))
    return (drawn + float("norm.weight" in name)).astype(np.float32)


def _layers(own: str, other: str, parts: tuple[Part, ...], *, biases: bool) -> Iterator[Part]:
    """Name the same parts in each layer."""
    for i in range(_LAYERS):
        for mine, theirs, shape in parts:
            yield from _part(f"{own}.{i}.{mine}", f"{other}.{i}.{theirs}", shape, biases=biases)


def _part(own: str, other: str, shape: tuple[int, ...], *, biases: bool) -> Iterator[Part]:
    yield f"{own}.weight", f"{other}.weight", shape
    if biases:
        yield f"{own}.bias", f"{other}.bias", shape[:1]


_PLAIN: dict[str, Any] = {
    "pad_id": 0, "d_model": _WIDTH, "d_ff": _INNER, "n_heads": _HEADS, "d_k": _KEYS, "d_v": _KEYS,
    "n_encoder_layers": 0, "n_decoder_layers": _LAYERS, "norm_placement": "pre",
    "final_norm": True, "norm": "layer", "norm_eps": 1e-5, "max_length": _LENGTH,
    "scale_embeddings": False, "mask_fill": "-inf", "causal_mask": True,
    "encoder_padding_mask": False, "decoder_padding_mask": False, "output": "logits",
    "padding_by_id": False,
}  # fmt: skip
"""Settings of the reference for a model whose family says nothing else."""


def _gpt2() -> tuple[list[Part], dict[str, Any], dict[str, Any]]:
    parts = [
        ("target_embedding.weight", "wte.weight", _EMBEDDED),
        ("target_embedding.learned.weight", "wpe.weight", _PLACED),
        *_layers("decoder.layers", "h", (
            ("self_attn.query", "attn.q", _SQUARE),
            ("self_attn.key", "attn.k", _SQUARE),
            ("self_attn.value", "attn.v", _SQUARE),
            ("self_attn.output", "attn.c_proj", _SQUARE),
            ("feed_forward.expand", "mlp.c_fc", _UP),
            ("feed_forward.contract", "mlp.c_proj", _DOWN),
            ("self_attn_norm", "ln_1", _LINE),
            ("feed_forward_norm", "ln_2", _LINE),
        ), biases=True),
        *_part("decoder.norm", "ln_f", _LINE, biases=True),
    ]  # fmt: skip
    config = {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": _SIZE,
        "n_embd": _WIDTH, "n_head": _HEADS, "n_layer": _LAYERS, "n_inner": _INNER,
        "n_positions": _LENGTH, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
    }  # fmt: skip
    return parts, config, {"positions": "learned", "activation": "gelu_tanh", "tying": "all"}


def _as_gpt2(tensors: Tensors) -> Tensors:
    """Transpose the matrices of the layers, and join query, key and value."""
    found = {n: t.T if n.startswith("h.") and t.ndim == 2 else t for n, t in tensors.items()}
    for layer in range(_LAYERS):
        for end in ("weight", "bias"):
            three = [found.pop(f"h.{layer}.attn.{part}.{end}") for part in "qkv"]
            found[f"h.{layer}.attn.c_attn.{end}"] = np.concatenate(three, axis=-1)
    return found


def _llama() -> tuple[list[Part], dict[str, Any], dict[str, Any]]:
    parts = [
        ("target_embedding.weight", "model.embed_tokens.weight", _EMBEDDED),
        ("generator.weight", "lm_head.weight", _EMBEDDED),
        *_layers("decoder.layers", "model.layers", (
            ("self_attn.query", "self_attn.q_proj", _SQUARE),
            ("self_attn.key", "self_attn.k_proj", _SHARED),
            ("self_attn.value", "self_attn.v_proj", _SHARED),
            ("self_attn.output", "self_attn.o_proj", _SQUARE),
            ("feed_forward.gate", "mlp.gate_proj", _UP),
            ("feed_forward.expand", "mlp.up_proj", _UP),
            ("feed_forward.contract", "mlp.down_proj", _DOWN),
            ("self_attn_norm", "input_layernorm", _LINE),
            ("feed_forward_norm", "post_attention_layernorm", _LINE),
        ), biases=False),
        ("decoder.norm.weight", "model.norm.weight", _LINE),
    ]  # fmt: skip
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": _SIZE,
        "hidden_size": _WIDTH, "num_attention_heads": _HEADS, "num_key_value_heads": _KEPT,
        "num_hidden_layers": _LAYERS, "intermediate_size": _INNER, "rms_norm_eps": 1e-6,
        "max_position_embeddings": _LENGTH, "rope_theta": 10000.0, "hidden_act": "silu",
        "tie_word_embeddings": False,
    }  # fmt: skip
    own = {
        "positions": "rotary", "rotary_base": 10000.0, "rotary_share": 1.0, "norm": "rms",
        "norm_eps": 1e-6, "activation": "silu", "gated": True, "tying": "none",
        "n_kv_heads": _KEPT,
    }  # fmt: skip
    return parts, config, own


def _bert() -> tuple[list[Part], dict[str, Any], dict[str, Any]]:
    """Describe a folder without a head for masked words, as sentence encoders are saved."""
    parts = [
        ("source_embedding.weight", "embeddings.word_embeddings.weight", _EMBEDDED),
        ("source_embedding.learned.weight", "embeddings.position_embeddings.weight", _PLACED),
        ("source_embedding.segments.weight", "embeddings.token_type_embeddings.weight", _SEGMENTS),
        *_part("source_embedding.norm", "embeddings.LayerNorm", _LINE, biases=True),
        *_layers("encoder.layers", "encoder.layer", (
            ("self_attn.query", "attention.self.query", _SQUARE),
            ("self_attn.key", "attention.self.key", _SQUARE),
            ("self_attn.value", "attention.self.value", _SQUARE),
            ("self_attn.output", "attention.output.dense", _SQUARE),
            ("self_attn_norm", "attention.output.LayerNorm", _LINE),
            ("feed_forward.expand", "intermediate.dense", _UP),
            ("feed_forward.contract", "output.dense", _DOWN),
            ("feed_forward_norm", "output.LayerNorm", _LINE),
        ), biases=True),
    ]  # fmt: skip
    config = {
        "model_type": "bert", "architectures": ["BertModel"], "vocab_size": _SIZE,
        "hidden_size": _WIDTH, "num_attention_heads": _HEADS, "num_hidden_layers": _LAYERS,
        "intermediate_size": _INNER, "max_position_embeddings": _LENGTH, "type_vocab_size": 2,
        "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    }  # fmt: skip
    own = {
        "n_encoder_layers": _LAYERS, "n_decoder_layers": 0, "norm_placement": "post",
        "final_norm": False, "norm_eps": 1e-12, "positions": "learned", "activation": "gelu",
        "tying": "none", "embedding_norm": True, "segments": 2, "head": "none",
        "encoder_padding_mask": True,
    }  # fmt: skip
    return parts, config, own


def _t5() -> tuple[list[Part], dict[str, Any], dict[str, Any]]:
    parts: list[Part] = [
        ("source_embedding.weight", "shared.weight", _EMBEDDED),
        ("generator.weight", "lm_head.weight", _EMBEDDED),
    ]
    sublayers = [
        ("self_attn", "layer.0", "SelfAttention"),
        ("cross_attn", "layer.1", "EncDecAttention"),
    ]
    for stack, count in (("encoder", 1), ("decoder", 2)):
        first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        parts.append((f"{stack}.relative.weight", first, (_BUCKETS, _HEADS)))
        parts.append((f"{stack}.norm.weight", f"{stack}.final_layer_norm.weight", _LINE))
        inside: list[Part] = []
        for mine, place, theirs in sublayers[:count]:
            inside += [
                (f"{mine}.{name}", f"{place}.{theirs}.{letter}", _SQUARE)
                for name, letter in zip(("query", "key", "value", "output"), "qkvo", strict=True)
            ]
            inside.append((f"{mine}_norm", f"{place}.layer_norm", _LINE))
        inside += [
            ("feed_forward.gate", f"layer.{count}.DenseReluDense.wi_0", _UP),
            ("feed_forward.expand", f"layer.{count}.DenseReluDense.wi_1", _UP),
            ("feed_forward.contract", f"layer.{count}.DenseReluDense.wo", _DOWN),
            ("feed_forward_norm", f"layer.{count}.layer_norm", _LINE),
        ]
        parts += _layers(f"{stack}.layers", f"{stack}.block", tuple(inside), biases=False)
    config = {
        "model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": _SIZE,
        "d_model": _WIDTH, "d_kv": _KEYS, "d_ff": _INNER, "num_layers": _LAYERS,
        "num_heads": _HEADS, "relative_attention_num_buckets": _BUCKETS,
        "relative_attention_max_distance": 20, "layer_norm_epsilon": 1e-6,
        "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
        "pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 1,
    }  # fmt: skip
    own = {
        "n_encoder_layers": _LAYERS, "positions": "relative", "relative_buckets": _BUCKETS,
        "relative_max_distance": 20, "norm": "rms", "norm_eps": 1e-6, "activation": "gelu_tanh",
        "gated": True, "tying": "none", "score_scale": 1.0,
    }  # fmt: skip
    return parts, config, own
