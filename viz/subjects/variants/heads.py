"""Heads whose number does not divide d_model: what one write-up builds, and what the paper says."""

from dataclasses import dataclass

from model.attention import MultiHeadAttention
from model.config import TransformerConfig
from model.numberless import numberless
from model.presets import preset
from model.transformer import count_parameters
from viz.subjects.variants.material import Material


@dataclass(frozen=True)
class Heads:
    """One multi-head attention that was built with so many heads."""

    d_model: int
    n_heads: int
    d_k: int
    joined: int
    """Width of all heads side by side, which the output projection reads."""
    parameters: int


@dataclass(frozen=True)
class Uneven:
    """A number of heads that does not divide d_model, beside one that does."""

    uneven: Heads
    even: Heads
    refusal: str | None
    """What the paper's preset says to the uneven number; None where it is built."""


def compare_heads(
    material: Material | None = None,  # noqa: ARG001 - like every other demonstration
    *,
    d_model: int = 512,
    uneven: int = 6,
    even: int = 8,
) -> Uneven:
    """Build one attention of each, without numbers, and ask the paper's preset for the first."""
    refusal = None
    try:
        _config("paper", d_model, uneven)
    except ValueError as error:
        refusal = str(error)
    return Uneven(_build(d_model, uneven), _build(d_model, even), refusal)


def _build(d_model: int, n_heads: int) -> Heads:
    config = _config("headlist", d_model, n_heads)
    with numberless():
        attention = MultiHeadAttention(d_model, n_heads, config.d_k, config.d_v)
    return Heads(
        d_model=d_model,
        n_heads=n_heads,
        d_k=config.d_k,
        joined=attention.output.in_features,
        parameters=count_parameters(attention),
    )


def _config(variant: str, d_model: int, n_heads: int) -> TransformerConfig:
    return preset(
        variant, source_vocab_size=8, target_vocab_size=8, d_model=d_model, n_heads=n_heads
    )
