"""Tiny transformers models with sharp weights, one for each way to build a transformer."""

import inspect
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from tests.model.foreign.imports.folders import byte_tokenizer

transformers.logging.set_verbosity_error()

_TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 100,
}
_GROUPED = {**_TINY, "num_key_value_heads": 2}
_WINDOWED = {**_GROUPED, "head_dim": 16, "sliding_window": 4}
_TWO_STACKS = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "vocab_size": 100,
    "pad_token_id": 0,
    "decoder_start_token_id": 1,
    "max_position_embeddings": 64,
}


def _new(model: str, config: str, **settings: Any) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        return getattr(transformers, model)(getattr(transformers, config)(**settings))

    return build


DECODERS = {
    "GPT-2": _new(
        "GPT2LMHeadModel", "GPT2Config", n_embd=32, n_layer=3, n_head=4, vocab_size=100,
        n_positions=64,
    ),
    "Llama": _new("LlamaForCausalLM", "LlamaConfig", **_GROUPED),
    "Mistral": _new("MistralForCausalLM", "MistralConfig", **_GROUPED, sliding_window=4),
    "Qwen2": _new("Qwen2ForCausalLM", "Qwen2Config", **_GROUPED),
    "Qwen3": _new("Qwen3ForCausalLM", "Qwen3Config", **_GROUPED, head_dim=16),
    "Gemma 2": _new("Gemma2ForCausalLM", "Gemma2Config", **_WINDOWED),
    "Gemma 3": _new("Gemma3ForCausalLM", "Gemma3TextConfig", **_WINDOWED),
    "NeoX": _new("GPTNeoXForCausalLM", "GPTNeoXConfig", **_TINY),
    "Phi-3": _new("Phi3ForCausalLM", "Phi3Config", **_GROUPED, pad_token_id=0),
    "GPT-OSS": _new(
        "GptOssForCausalLM", "GptOssConfig", **_WINDOWED, num_local_experts=4,
        num_experts_per_tok=2,
    ),
}  # fmt: skip
ENCODERS = {
    "BERT": _new("BertForMaskedLM", "BertConfig", **_TINY),
    "RoBERTa": _new("RobertaForMaskedLM", "RobertaConfig", **_TINY),
    "DistilBERT": _new(
        "DistilBertForMaskedLM", "DistilBertConfig", dim=32, n_layers=3, n_heads=4, hidden_dim=64,
        vocab_size=100,
    ),
    "ALBERT": _new("AlbertForMaskedLM", "AlbertConfig", **_TINY, embedding_size=16),
    "ViT": _new(
        "ViTForImageClassification", "ViTConfig", hidden_size=32, num_hidden_layers=3,
        num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8,
    ),
}  # fmt: skip
ENCODER_DECODERS = {
    "Marian": _new("MarianMTModel", "MarianConfig", **_TWO_STACKS, scale_embedding=True),
    "BART": _new("BartForConditionalGeneration", "BartConfig", **_TWO_STACKS),
    "T5": _new(
        "T5ForConditionalGeneration", "T5Config", d_model=32, d_kv=8, num_heads=4, num_layers=2,
        num_decoder_layers=3, d_ff=64, vocab_size=100, decoder_start_token_id=0,
    ),
}  # fmt: skip
FAMILIES = DECODERS | ENCODERS | ENCODER_DECODERS

_IDS = torch.randint(3, 100, (2, 12), generator=torch.Generator().manual_seed(1))
_MASK = torch.ones(2, 12, dtype=torch.long).index_put(
    (torch.tensor(1), torch.arange(9, 12)), torch.tensor(0)
)


@cache
def family(name: str) -> nn.Module:
    """Return a shared model that tests must not change, so sharp that a missing mask shows."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = FAMILIES[name]().eval()
        for parameter in model.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.25)
    return model


def write_family(folder: Path, name: str) -> nn.Module:
    """Write a tiny model as users store it; return the model from memory."""
    torch.manual_seed(0)
    model = FAMILIES[name]().eval()
    model.resize_token_embeddings(byte_tokenizer().get_vocab_size())
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(byte_tokenizer().to_str())
    about = {"tokenizer_class": "PreTrainedTokenizerFast"}  # BART's own class adds a token
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return model


def inputs_of(name: str, *, padded: bool = True) -> dict[str, Tensor]:
    """Return a model's inputs: two sentences, the second one padded unless `padded` is false."""
    if name == "ViT":
        pixels = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(1))
        return {"pixel_values": pixels}
    inputs = {"input_ids": _IDS}
    if padded:
        inputs["attention_mask"] = _MASK
    if name in ENCODER_DECODERS:
        inputs["decoder_input_ids"] = _IDS.flip(1)[:, :7]
    return inputs


def eager(name: str, inputs: dict[str, Tensor], **more: Any) -> Any:
    """Return the output of transformers' eager attention, called as the recorder calls it.

    There is no cache: a cache changes the memory layout of the keys, and MKL may have another
    kernel for each layout, which adds in another order.
    """
    model = family(name)
    before = model.config._attn_implementation
    if "use_cache" in inspect.signature(model.forward).parameters:
        more = {"use_cache": False, **more}
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            return model(**inputs, **more)
    finally:
        model.set_attn_implementation(before)
