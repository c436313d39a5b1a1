"""Mistral (Jiang et al. 2023): Llama with layers that read only a window of the text."""

from collections.abc import Collection
from dataclasses import replace

from model.config import TransformerConfig
from model.foreign.imports.families.llama import (
    BUFFERS,
    EMBEDDINGS,
    GENERATORS,
    llama_config,
    take,
)
from model.foreign.imports.family import Family
from model.foreign.imports.settings import Settings

_KV_HEADS, _WINDOW = 8, 4096


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read the config of a Mistral; if its window is null, it has none."""
    settings.must("layer_types")
    n_kv_heads = 0 if settings.is_null("num_key_value_heads") else _KV_HEADS
    settings.ignore("sliding_window")
    is_open = settings.is_null("sliding_window")
    return replace(
        llama_config(settings, kv_heads=n_kv_heads),
        window=0 if is_open else settings.whole("sliding_window", _WINDOW),
    )


FAMILY = Family(
    title="Mistral",
    model_types=frozenset({"mistral"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
    buffers=BUFFERS,
)
