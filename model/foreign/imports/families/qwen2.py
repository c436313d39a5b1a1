"""Qwen2 (Yang et al. 2024): Llama with biases on queries, keys and values."""

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
from model.foreign.imports.settings import NotComputedError, Settings

_FULL, _SLIDING = "full_attention", "sliding_attention"
_FIRST_WITH_WINDOW = 28
_WINDOW = 4096


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read the config of a Qwen2."""
    config = llama_config(settings)
    return replace(
        config,
        attention_bias=True,
        attention_output_bias=False,
        window=_window(settings, config.n_decoder_layers),
    )


def _window(settings: Settings, n_layers: int) -> int:
    """Return the window of all layers, 0 for none. Raises ValueError if they differ."""
    is_used = settings.flag("use_sliding_window", False) and not settings.is_null("sliding_window")
    first = settings.whole("max_window_layers", _FIRST_WITH_WINDOW, least=0)
    window = settings.whole("sliding_window", _WINDOW) if is_used else 0
    kinds = settings.words("layer_types") or tuple(
        _SLIDING if window and i >= first else _FULL for i in range(n_layers)
    )
    settings.ignore("sliding_window")
    if set(kinds) == {_FULL}:
        return 0
    if set(kinds) == {_SLIDING} and window:
        return window
    raise NotComputedError(
        "some of its layers read a window of the text and others all of it (layer_types or "
        "max_window_layers of config.json): only models whose layers are alike can be opened"
    )


FAMILY = Family(
    title="Qwen2",
    model_types=frozenset({"qwen2"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
    buffers=BUFFERS,
)
