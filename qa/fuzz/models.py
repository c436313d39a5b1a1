"""The models that get the inputs: the shipped ones, and small ones with other tokenizers."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.checkpoints.checkpoint_files import list_checkpoints
from model.checkpoints.metadata import CheckpointInfo
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer

SHIPPED = Path(__file__).parents[2] / "sample_data" / "checkpoints"
_PAIRS = {
    "the cat does not see the dog .": "le chat ne voit pas le chien .",
    "the <x1> is broken .": "le <x1> est cassé .",
    "it is the girl 's house .": "c' est la maison de la fille .",
}
_SIDES = ("source", "target")
MADE = {
    "bpe": ("bpe", "bpe", False),
    "bpe, shared": ("bpe", "bpe", True),
    "character to bpe": ("character", "bpe", False),
    "characters, shared": ("character", "character", True),
}
"""Kinds of tokenizers that no shipped checkpoint has."""


@cache
def shipped_kinds() -> tuple[str, ...]:
    """Name a shipped checkpoint for each kind of tokenizer and of model, the smallest of each."""
    found: dict[object, Path] = {}
    listed = list_checkpoints(SHIPPED)
    for path in sorted(listed, key=lambda of: of.with_suffix(".safetensors").stat().st_size):
        info = load_info(path.name)
        known = info.tokenizers
        kinds = known.source.kind, known.target.kind, known.shared, bool(known.stand_ins)
        sides = info.config.has_encoder, info.config.has_decoder
        found.setdefault((kinds, sides, info.config.positions), path)
    return tuple(sorted(path.name for path in found.values()))


@cache
def load(name: str) -> Checkpoint:
    return _make(name) if name in MADE else load_checkpoint(SHIPPED / name)


def load_info(name: str) -> CheckpointInfo:
    return load(name).info


def words_of(name: str) -> Sequence[str]:
    known = load_info(name).tokenizers.source.vocabulary
    return sorted(known, key=known.__getitem__)[:60]


def _make(name: str) -> Checkpoint:
    source_kind, target_kind, shared = MADE[name]
    torch.manual_seed(0)
    kinds = {"source_kind": source_kind, "target_kind": target_kind, "shared": shared}
    tokenizers = Tokenizers.train(_PAIRS, _PAIRS.values(), **kinds, bpe_size=60)
    sizes = {"d_model": 16, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1}
    known = {f"{side}_vocab_size": getattr(tokenizers, side).vocab_size for side in _SIDES}
    config = preset("paper", **known, **sizes, tying="none")
    info = CheckpointInfo(
        name=name, title=name, variant="custom", task="own", config=config, tokenizers=tokenizers
    )
    return Checkpoint(info, Transformer(config).eval().requires_grad_(False))
