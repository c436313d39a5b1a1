"""Small Hugging Face folders written without its library: random weights, trained tokenizers."""

import functools
import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from torch import Tensor

TEXT = "The quick brown fox jumps over the lazy dog. The dog sleeps, and the fox runs away. " * 3
GPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "activation_function": "gelu_new",
    "n_embd": 16,
    "n_head": 2,
    "n_layer": 2,
    "n_positions": 32,
    "vocab_size": 340,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu",
    "hidden_size": 16,
    "intermediate_size": 24,
    "max_position_embeddings": 64,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "vocab_size": 320,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def write_gpt2(folder: Path, **changes) -> Path:
    """Write a complete GPT-2; `changes` sets fields of config.json."""
    return write_folder(folder, GPT2 | changes, gpt2_weights(), byte_tokenizer())


def write_llama(folder: Path, **changes) -> Path:
    return write_folder(folder, LLAMA | changes, llama_weights(), piece_tokenizer())


def write_folder(
    folder: Path, config: dict, weights: dict[str, Tensor], tokenizer: Tokenizer
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    special = {"bos_token": "<s>", "eos_token": {"content": "</s>"}, "unk_token": "<unk>"}
    if tokenizer.token_to_id("<s>") is None:
        special = dict.fromkeys(("bos_token", "eos_token"), "<|endoftext|>")
    (folder / "tokenizer_config.json").write_text(json.dumps(special))
    return folder


def gpt2_weights(seed: int = 0) -> dict[str, Tensor]:
    made = torch.Generator().manual_seed(seed)
    shapes = {"wte.weight": (340, 16), "wpe.weight": (32, 16), "ln_f.weight": (16,)}
    shapes["ln_f.bias"] = (16,)
    for i in range(2):
        for name, size in (("attn.c_attn", (16, 48)), ("attn.c_proj", (16, 16))):
            shapes |= {f"h.{i}.{name}.weight": size, f"h.{i}.{name}.bias": size[1:]}
        for name, size in (("mlp.c_fc", (16, 64)), ("mlp.c_proj", (64, 16))):
            shapes |= {f"h.{i}.{name}.weight": size, f"h.{i}.{name}.bias": size[1:]}
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"h.{i}.{norm}.weight": (16,), f"h.{i}.{norm}.bias": (16,)}
    return _random({f"transformer.{name}": shape for name, shape in shapes.items()}, made)


def llama_weights(seed: int = 0) -> dict[str, Tensor]:
    made = torch.Generator().manual_seed(seed)
    shapes = {"model.embed_tokens.weight": (320, 16), "lm_head.weight": (320, 16)}
    shapes["model.norm.weight"] = (16,)
    for i in range(2):
        layer = f"model.layers.{i}."
        for part, rows in (("q", 16), ("k", 8), ("v", 8), ("o", 16)):
            shapes[f"{layer}self_attn.{part}_proj.weight"] = (rows, 16)
        for part, size in (("gate", (24, 16)), ("up", (24, 16)), ("down", (16, 24))):
            shapes[f"{layer}mlp.{part}_proj.weight"] = size
        for norm in ("input", "post_attention"):
            shapes[f"{layer}{norm}_layernorm.weight"] = (16,)
    return _random(shapes, made)


@functools.cache
def byte_tokenizer() -> Tokenizer:
    """Return a byte-level tokenizer like GPT-2's, which adds no tokens to a text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([TEXT], trainer)
    return made


@functools.cache
def piece_tokenizer() -> Tokenizer:
    """Return a tokenizer like Llama's: pieces that start with a space sign, bytes for the rest."""
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    special = ["<unk>", "<s>", "</s>"]
    trainer = trainers.BpeTrainer(vocab_size=60, special_tokens=special, show_progress=False)
    made.train_from_iterator([TEXT], trainer)
    values = json.loads(made.to_str())
    ids = values["model"]["vocab"]
    for byte in range(256):
        ids[f"<0x{byte:02X}>"] = len(ids)
    made = Tokenizer.from_str(json.dumps(values))
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return made


def edit_config(folder: Path, **changes) -> None:
    """Set fields of config.json."""
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def edit_tokenizer(folder: Path, change) -> None:
    """Let a function change the values of tokenizer.json."""
    file = folder / "tokenizer.json"
    values = json.loads(file.read_text())
    change(values)
    file.write_text(json.dumps(values))


def _random(shapes: dict[str, tuple[int, ...]], made: torch.Generator) -> dict[str, Tensor]:
    return {name: torch.randn(shape, generator=made) * 0.25 for name, shape in shapes.items()}
