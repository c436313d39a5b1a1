"""Loupe's weights under the names of torch's own transformer."""

import torch
from torch import Tensor, nn

from model.attention import MultiHeadAttention
from model.config import TransformerConfig


def torch_state(module: nn.Module) -> dict[str, Tensor]:
    """Rename the weights of an encoder, a decoder or one of their layers; leave out the others."""
    state = module.state_dict()
    theirs: dict[str, Tensor] = {}
    for name, weight in state.items():
        if "embedding" in name or name.startswith("generator."):
            continue
        layer = name.partition("feed_forward_norm")[0]
        last_norm = "norm3" if f"{layer}cross_attn_norm.weight" in state else "norm2"
        for ours, torchs in (
            ("self_attn_norm", "norm1"),
            ("cross_attn_norm", "norm2"),
            ("feed_forward_norm", last_norm),
            ("feed_forward.expand", "linear1"),
            ("feed_forward.contract", "linear2"),
            ("cross_attn.", "multihead_attn."),
        ):
            name = name.replace(ours, torchs)
        theirs[name] = weight
    return packed(theirs)


def packed(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack query, key and value in one matrix, as torch keeps them."""
    theirs: dict[str, Tensor] = {}
    for name, weight in state.items():
        prefix, _, kind = name.rpartition(".")
        path, _, part = prefix.rpartition(".")
        dot = "." if path else ""
        if part == "query":
            rows = [state[f"{path}{dot}{p}.{kind}"] for p in ("query", "key", "value")]
            theirs[f"{path}{dot}in_proj_{kind}"] = torch.cat(rows)
        elif part == "output":
            theirs[f"{path}{dot}out_proj.{kind}"] = weight
        elif part not in ("key", "value"):
            theirs[name] = weight
    return theirs


def torch_attention(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    n_rows, d_model = ours.query.weight.shape
    assert n_rows == d_model, "torch's heads always share d_model evenly"
    bias = ours.query.bias is not None
    theirs = nn.MultiheadAttention(d_model, ours.n_heads, bias=bias, batch_first=True)
    theirs.load_state_dict(packed(ours.state_dict()))
    return theirs


def torch_encoder(ours: nn.Module, config: TransformerConfig) -> nn.TransformerEncoder:
    theirs = _encoder(config)
    theirs.load_state_dict(torch_state(ours))
    return theirs


def torch_decoder(ours: nn.Module, config: TransformerConfig) -> nn.TransformerDecoder:
    theirs = _decoder(config)
    theirs.load_state_dict(torch_state(ours))
    return theirs


def torch_transformer(ours: nn.Module, config: TransformerConfig) -> nn.Transformer:
    theirs = nn.Transformer(
        config.d_model,
        config.n_heads,
        custom_encoder=_encoder(config),
        custom_decoder=_decoder(config),
        batch_first=True,
    )
    theirs.load_state_dict(torch_state(ours))
    return theirs


def _encoder(config: TransformerConfig) -> nn.TransformerEncoder:
    return nn.TransformerEncoder(
        nn.TransformerEncoderLayer(**_layer(config)),
        config.n_encoder_layers,
        _final_norm(config),
        enable_nested_tensor=False,
    )


def _decoder(config: TransformerConfig) -> nn.TransformerDecoder:
    return nn.TransformerDecoder(
        nn.TransformerDecoderLayer(**_layer(config)), config.n_decoder_layers, _final_norm(config)
    )


def _layer(config: TransformerConfig) -> dict:
    return {
        "d_model": config.d_model,
        "nhead": config.n_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,  # in training mode, where torch has no shortcuts at padding
        "layer_norm_eps": config.norm_eps,
        "norm_first": config.norm_placement == "pre",
        "batch_first": True,
    }


def _final_norm(config: TransformerConfig) -> nn.LayerNorm | None:
    return nn.LayerNorm(config.d_model, config.norm_eps) if config.final_norm else None
