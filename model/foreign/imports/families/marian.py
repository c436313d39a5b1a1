"""Marian (Junczys-Dowmunt et al. 2018), as OPUS-MT translators are saved: the paper's own model.

It differs from the paper in its activation (SiLU in most) and in the order of its positions.
"""

from collections.abc import Collection

import torch
from torch import Tensor

from model.config import TransformerConfig, Tying
from model.foreign.imports.families.bart import (
    EMBEDDINGS,
    GENERATORS,
    SIDES,
    seq2seq_fields,
    take_stacks,
    tying_of,
)
from model.foreign.imports.family import Family, Weights, prefix_of
from model.foreign.imports.settings import Settings
from model.positions import sinusoidal_halves


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config of a Marian, with two vocabularies if its sides share no embeddings."""
    settings.ignore("max_position_embeddings")  # its positions are computed
    settings.must("normalize_embedding", False)
    settings.must("static_position_embeddings", True)
    source_vocab_size = settings.whole("vocab_size")
    return TransformerConfig(
        **seq2seq_fields(settings, names),
        source_vocab_size=source_vocab_size,
        target_vocab_size=settings.whole("decoder_vocab_size", source_vocab_size),
        pad_id=settings.whole("pad_token_id", 58100, least=0),
        positions="sinusoidal_halves",
        tying=_tying(settings, names),
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a Marian's weights. Positions stored in old folders must equal the formula's."""
    prefix = prefix_of(weights, "model.")
    for side in SIDES.values():
        table = weights.get(f"{prefix}{side}.embed_positions.weight")
        if table is not None and not table.is_meta:
            _check_positions(side, table.float())
    return take_stacks(weights, config)


def _tying(settings: Settings, names: Collection[str]) -> Tying:
    tying = tying_of(settings, names)
    shares = settings.flag("share_encoder_decoder_embeddings", True)
    return "decoder" if tying == "all" and not shares else tying


def _check_positions(side: str, table: Tensor) -> None:
    if not torch.allclose(table, sinusoidal_halves(*table.shape), rtol=0, atol=1e-3):
        raise ValueError(
            f"the {side}'s positions must be sines and then cosines, as Marian computes them, "
            "but this folder stores other values"
        )


FAMILY = Family(
    title="Marian",
    model_types=frozenset({"marian"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
)
