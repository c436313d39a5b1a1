"""The models that inputs are given to: the shipped ones, and small ones of other tokenizers."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch

from model.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointInfo,
    list_checkpoints,
    load_checkpoint,
)
from model.config import TransformerConfig
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.text.vocabulary import TokenizerKind
from model.transformer import Transformer

SHIPPED = Path(__file__).parents[2] / "sample_data" / "checkpoints"
_PAIRS = {
    "the cat does not see the dog .": "le chat ne voit pas le chien .",
    "the <x1> is broken .": "le <x1> est cassé .",
    "it is the girl 's house .": "c' est la maison de la fille .",
}
_MADE: dict[str, tuple[TokenizerKind, TokenizerKind, bool]] = {
    "bpe": ("bpe", "bpe", False),
    "bpe, shared": ("bpe", "bpe", True),
    "character to bpe": ("character", "bpe", False),
    "characters, shared": ("character", "character", True),
}
"""Kinds of tokenizers that no shipped checkpoint has."""


@cache
def shipped_kinds() -> tuple[str, ...]:
    """Name a shipped checkpoint of each kind of tokenizers and of model, the smallest of each."""
    found: dict[object, Path] = {}
    for path in sorted(list_checkpoints(SHIPPED), key=_size):
        info = load_info(path.name)
        known = info.tokenizers
        kinds = known.source.kind, known.target.kind, known.shared, bool(known.stand_ins)
        sides = info.config.has_encoder, info.config.has_decoder
        found.setdefault((kinds, sides, info.config.positions), path)
    return tuple(sorted(path.name for path in found.values()))


def made_kinds() -> tuple[str, ...]:
    return tuple(_MADE)


@cache
def load(name: str) -> Checkpoint:
    return _make(name) if name in _MADE else load_checkpoint(SHIPPED / name)


def load_info(name: str) -> CheckpointInfo:
    return load(name).info


def words_of(name: str, most: int = 60) -> Sequence[str]:
    known = load_info(name).tokenizers.source.vocabulary
    return sorted(known, key=known.__getitem__)[:most]


def _size(path: Path) -> int:
    return path.with_suffix(".safetensors").stat().st_size


def _make(name: str) -> Checkpoint:
    source_kind, target_kind, shared = _MADE[name]
    torch.manual_seed(0)
    tokenizers = Tokenizers.train(
        _PAIRS,
        _PAIRS.values(),
        source_kind=source_kind,
        target_kind=target_kind,
        shared=shared,
        bpe_size=60,
    )
    config = preset(
        "paper",
        source_vocab_size=tokenizers.source.vocab_size,
        target_vocab_size=tokenizers.target.vocab_size,
        d_model=16,
        d_ff=16,
        n_heads=2,
        n_encoder_layers=1,
        n_decoder_layers=1,
        tying="none",
    )
    return Checkpoint(
        _info(name, config, tokenizers), Transformer(config).eval().requires_grad_(False)
    )


def _info(name: str, config: TransformerConfig, tokenizers: Tokenizers) -> CheckpointInfo:
    return CheckpointInfo(
        name=name, title=name, variant="custom", task="own", config=config, tokenizers=tokenizers
    )
