"""The names of the tensors that a forward pass captures, read from the records of `traces`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType
from typing import Any, get_args, get_origin

from jaxtyping import AbstractArray

from model.config import TransformerConfig
from model.traces import (
    WHEN,
    AttentionTrace,
    DecoderLayerTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    FeedForwardTrace,
    TransformerTrace,
    public_name,
)

OF_LAYERS = (AttentionTrace, FeedForwardTrace, EncoderLayerTrace, DecoderLayerTrace)
"""The records of a layer and of its parts."""


@lru_cache(maxsize=64)
def tensor_names(config: TransformerConfig) -> tuple[str, ...]:
    """List the names that a forward pass of this config captures, in order, without running it."""
    return tuple(_names(TransformerTrace, config, ""))


@lru_cache(maxsize=64)
def names_by_module(config: TransformerConfig) -> Mapping[str, tuple[str, ...]]:
    """Group the names of `tensor_names` by the path of the module that computes them."""
    groups: dict[str, tuple[str, ...]] = {}
    for name in tensor_names(config):
        module = name.rpartition(".")[0]
        groups[module] = (*groups.get(module, ()), name)
    return groups


def _names(record: type, config: TransformerConfig, path: str) -> Iterator[str]:
    for field in fields(record):
        name = f"{path}{public_name(field)}"
        when = field.metadata.get(WHEN)
        if when is not None and not when(config, name):
            continue
        kind = _kind(field.type)
        if get_origin(kind) is Sequence:
            (layer,) = get_args(kind)
            encodes = name.startswith("encoder.")
            count = config.n_encoder_layers if encodes else config.n_decoder_layers
            for number in range(count):
                yield from _names(layer, config, f"{name}.{number}.")
        elif is_dataclass(kind):
            yield from _names(kind, config, f"{name}.")  # pyright: ignore[reportArgumentType]
        elif _is_tensor(kind):
            yield name


def _kind(annotation: Any) -> Any:  # noqa: ANN401 - a type, of any kind
    """Return the type of a field without None."""
    if NoneType not in get_args(annotation):
        return annotation
    (kind,) = (each for each in get_args(annotation) if each is not NoneType)
    return kind


def _is_tensor(kind: Any) -> bool:  # noqa: ANN401 - a type, of any kind
    return isinstance(kind, type) and issubclass(kind, AbstractArray)


def axes_of(*records: type) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the axes of each tensor of some records, by the field's name."""
    found = ((public_name(f), _kind(f.type)) for record in records for f in fields(record))
    return {name: tuple(kind.dim_str.split()) for name, kind in found if _is_tensor(kind)}


AXES = axes_of(EmbeddingTrace, *OF_LAYERS)
"""The names of the axes of each tensor of an embedding or a layer, by the last part of its name."""

HEAD_TENSORS = frozenset(name for name, axes in AXES.items() if axes[1] in ("head", "kv_head"))
"""The last parts of names whose tensors have a head axis, which is the second."""
