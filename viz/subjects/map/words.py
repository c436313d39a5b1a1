"""What each block of the map does, in one sentence, computed from the config."""

import math
from collections.abc import Sequence

from model.config import TransformerConfig
from viz.run.record import AttentionKind

POSITION_NAMES = {
    "sinusoidal": "sinusoidal",
    "double_sine": "double sine",
    "single_frequency": "single frequency",
    "learned": "learned",
    "none": "none",
}
NORM_NAMES = {"layer": "LayerNorm", "unbiased_std": "unbiased std"}

CANDIDATES = "The tokens that are most probable at the selected step, by the softmax of the logits."

_POSITIONS = {
    "sinusoidal": "Sines and cosines of the position, wavelengths from 2π to {longest:.0f} · 2π.",
    "double_sine": "A sine of the position in every dimension, and no cosine beside it.",
    "single_frequency": "Sine and cosine of the position itself, one wavelength in all dimensions.",
}


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tokens(side: str) -> str:
    """Say what goes in."""
    if side == "source":
        return "The tokens that the encoder reads."
    return "The tokens already there, <s> first: each row predicts the token that comes next."


def embedding(config: TransformerConfig, side: str) -> str:
    """Say what the embedding looks up, how it is scaled, and whose weights it has."""
    vocabulary = config.source_vocab_size if side == "source" else config.target_vocab_size
    parts = [f"A learned vector of {config.d_model} numbers for each of {vocabulary} tokens"]
    if config.scale_embeddings:
        root = f"{math.sqrt(config.d_model):.4g}"
        exact = "=" if math.isqrt(config.d_model) ** 2 == config.d_model else "≈"
        parts.append(f", times √{config.d_model} {exact} {root}")
    shared = {
        "none": {},
        "decoder": {"target": "the linear layer"},
        "all": {
            "source": "the target embedding and the linear layer",
            "target": "the source embedding and the linear layer",
        },
    }[config.tying].get(side)
    return "".join(parts) + (f". Its weights are also those of {shared}." if shared else ".")


def positions(config: TransformerConfig) -> str:
    """Say how positions are told apart."""
    if config.positions == "learned":
        return f"A learned vector for each of {config.max_length} positions."
    longest = 10000 ** ((config.d_model - 2) / config.d_model)
    return _POSITIONS[config.positions].format(longest=longest)


def embedding_sum(stack: str) -> str:
    """Say what the first layer reads."""
    return f"Embedding plus positions: what the first layer of the {stack} reads."


def attention(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    """Say who reads whom, and what the masks hide."""
    parts = {
        "encoder self-attention": "Each source token reads the source tokens",
        "decoder self-attention": "Each target token reads the target tokens",
        "cross-attention": "Each target token reads the encoder's memory of the source",
    }
    if kind == "decoder self-attention":
        later = ", itself and those before it" if "causal" in masks else ", later ones too"
    else:
        later = ""
    hidden = " Padding is hidden." if "padding" in masks else " Nothing hides padding."
    weights = f"weights are softmax(QKᵀ / √{config.d_k})"
    return f"{parts[kind]}{later}: {weights} in {count(config.n_heads, 'head')}.{hidden}"


def feed_forward(config: TransformerConfig) -> str:
    """Say what the network does with each position."""
    width = f"{config.d_model} numbers become {config.d_ff}, negative ones 0 (ReLU)"
    return f"Each position by itself: {width}, then {config.d_model} again."


def norm_before(config: TransformerConfig) -> str:
    """Say what a norm before its sublayer does. The trace has what it reads."""
    return f"What the sublayer reads, normalised: {_norm(config)}. It opens what the norm reads."


def add() -> str:
    """Say how a residual connection ends."""
    return "Adds what the sublayer gave to what came in before the norm."


def add_norm(config: TransformerConfig) -> str:
    """Say how a residual connection ends, with a norm after it."""
    return f"Adds what the sublayer gave to what it read, then normalises: {_norm(config)}."


def final_norm(config: TransformerConfig, stack: str) -> str:
    """Say what the norm after the last layer is for."""
    reader = "every layer of the decoder reads" if stack == "encoder" else "the linear layer reads"
    return f"One more norm after the last layer gives what {reader}: {_norm(config)}."


def linear(config: TransformerConfig) -> str:
    """Say what the last layer gives, and whose weights it has."""
    tied = {
        "none": "",
        "decoder": " Its weights are those of the target embedding.",
        "all": " Its weights are those of both embeddings.",
    }
    scores = f"A logit for each of the {config.target_vocab_size} target tokens"
    return f"{scores}, at every position.{tied[config.tying]}"


def output(config: TransformerConfig) -> str:
    """Say what the variant hands on."""
    return {
        "logits": "The model hands on the logits; the softmax is taken when a token is chosen.",
        "log_softmax": "The model hands on the logarithms of the softmax of the logits.",
        "softmax": "The model hands on the softmax of the logits: probabilities.",
    }[config.output]


def _norm(config: TransformerConfig) -> str:
    if config.norm == "layer":
        return "LayerNorm, each position to mean 0 and variance 1, then scaled and shifted"
    return f"(x − mean) / (std + {config.norm_eps:g}), std with n − 1, then scaled and shifted"
