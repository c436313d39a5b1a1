"""Compares encoders, and decoders that read them, with transformers' own computation.

It works like `oracle`, which compares decoders alone. Rows of padding are compared here too,
because they read the same tokens as other rows.
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from model.foreign.imports.load import open_folder
from model.tensor_names import tensor_names
from model.traces import named_tensors
from model.transformer import Transformer
from tests.closeness import rooms, worst
from tests.model.foreign.imports.oracle import (
    LENGTH,
    PADDINGS,
    VOCABULARY,
    build,
    huggingface,
    save,
    sharp,
    texts,
)

SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 24,
}
"""Sizes in the field names of BERT and RoBERTa."""
SMALL_PAIR = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 24,
    "forced_eos_token_id": None,
}
"""Sizes in the field names of BART and Marian."""
TARGET = texts().flip(0)[:, :7]


def sharpened(kind: str, seed: int = 0, **settings) -> nn.Module:
    """Build a transformers model with sharp weights, given its class names."""
    return redrawn(build(kind, settings), seed)


def redrawn(model: nn.Module, seed: int) -> nn.Module:
    """Redraw a model's weights and buffers, except sinusoidal tables."""
    fixed = [m.weight for m in model.modules() if "Sinusoidal" in type(m).__name__]
    kept = [weight.clone() for weight in fixed]
    sharp(model, seed)
    bias = dict(model.named_buffers()).get("final_logits_bias")
    with torch.no_grad():
        for weight, formula in zip(fixed, kept, strict=True):
            weight.copy_(formula)
        if bias is not None:
            bias.normal_(std=0.25, generator=torch.Generator().manual_seed(seed))
    return model


def opened(model: nn.Module, folder: Path) -> Transformer:
    """Save a transformers model, and open the folder."""
    return open_folder(save(model, folder)).model


def check_every_tensor(model: nn.Module, folder: Path) -> None:
    """Save, open and compare a model with each padding, each time with new weights."""
    asked: dict[str, Tensor] = {"input_ids": texts()}
    if model.config.is_encoder_decoder:
        asked["decoder_input_ids"] = TARGET
    with huggingface.attached(redrawn(model, 0), **asked) as ready:
        for seed, padding in enumerate(PADDINGS.values()):
            ours = opened(redrawn(model, seed), folder / str(seed))
            real = torch.tensor(padding or [[1] * LENGTH] * 2)
            with torch.inference_mode():
                theirs = ready.record(**asked, attention_mask=real)
                mask = real.bool()[:, None]
                made = ours(texts(), asked.get("decoder_input_ids"), source_mask=mask)
            found = dict(named_tensors(made))
            assert found.keys() == set(tensor_names(ours.config))
            _check(found, dict(named_tensors(theirs)), seed)


def written(model: nn.Module, source: Tensor, length: int, **settings) -> list[int]:
    """Let transformers write greedily; return the ids after the start token."""
    how = {"num_beams": 1, "do_sample": False, "max_new_tokens": length, "use_cache": False}
    return model.generate(source, **how | settings)[0, 1:].tolist()


def _check(ours: dict[str, Tensor], theirs: dict[str, Tensor], seed: int) -> None:
    assert ours.keys() == theirs.keys()
    for name, allowed in rooms(theirs):
        share = worst(ours[name].numpy(), theirs[name].numpy(), allowed)
        assert share <= 1, (seed, name, share)
    for name in [name for name, tensor in theirs.items() if not tensor.is_floating_point()]:
        assert torch.equal(*torch.broadcast_tensors(ours[name], theirs[name])), name
