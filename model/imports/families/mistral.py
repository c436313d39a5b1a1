"""Mistral (Jiang et al. 2023): Llama whose layers see a window of the text."""

from collections.abc import Collection
from dataclasses import replace

from model.config import TransformerConfig
from model.imports.families.llama import BUFFERS, llama_config, take
from model.imports.family import Family
from model.imports.settings import Settings


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read what Mistral writes in config.json; a window of null is none."""
    settings.must("layer_types")
    settings.ignore("sliding_window")
    window = settings.whole("sliding_window") if settings.has("sliding_window") else 0
    return replace(llama_config(settings, head_size="head_dim", kv_heads=8), window=window)


FAMILY = Family(
    title="Mistral",
    model_types=frozenset({"mistral"}),
    read_config=read_config,
    take=take,
    buffers=BUFFERS,
)
