"""Families of third-party models: how to read their configs, and how to rename their weights.

Each family is a module in `families/` with a `FAMILY`, which `importers()` finds. Plug-ins may add
families.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from model import plugins
from model.config import TransformerConfig
from model.foreign.imports import families
from model.foreign.imports.settings import Settings

Weights = Mapping[str, Tensor]
"""Tensors of a folder by their names in it. Each is read from the disk on access, and each that is
never accessed counts as left over. Before any is read, the same is done with tensors on the meta
device, which have shapes but no data."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Models that compute as Loupe's do, under other names, once their config is read.

    Its functions raise ValueError, in a sentence, on anything that they cannot read.
    """

    title: str
    """The name that people use: "GPT-2"."""
    model_types: frozenset[str]
    """The values of `model_type` in config.json."""
    read_config: Callable[[Settings, Collection[str]], TransformerConfig]
    """Returns the config that computes the same, from config.json and the names of the folder's
    tensors. The caller refuses fields that are never read."""
    take: Callable[[Weights, TransformerConfig], dict[str, Tensor]]
    """Returns all weights under the names of Loupe's `state_dict`. The embedding is enough for tied
    weights; if the folder also has the generator, it must be equal."""
    embeddings: tuple[str, ...] = ()
    """The names of weights that are one table of embeddings; a folder may store any of them."""
    generators: tuple[str, ...] = ()
    """The names of the generator's matrix, which is the same table if the config ties them."""
    buffers: tuple[str, ...] = ()
    """Patterns (of fnmatch) of names that are not weights, such as masks and frequencies."""

    def describe(self, values: Mapping[str, Any], names: Collection[str]) -> TransformerConfig:
        """Return the config that computes the same, from config.json and the names of its tensors.

        Raises NotComputedError, a ValueError, if config.json has a field that nothing reads.
        """
        settings = Settings(values)
        config = self.read_config(settings, names)
        settings.refuse_unread()
        return replace(config, padding_by_id=False)  # transformers gets the tokenizer's mask

    def same(self, config: TransformerConfig) -> tuple[str, ...]:
        """Return the names under which the table of embeddings may be stored."""
        return self.embeddings + (self.generators if config.tying == "all" else ())


@functools.cache
def importers() -> Mapping[str, Family]:
    """Return the families by `model_type`."""
    found: dict[str, Family] = {}
    for module in pkgutil.iter_modules(families.__path__, f"{families.__name__}."):
        family: Family = importlib.import_module(module.name).FAMILY
        found |= dict.fromkeys(family.model_types, family)
    return found


def find_family(model_type: str) -> Family | None:
    """Return the family of a `model_type`, perhaps from a plug-in; None if it is unknown."""
    own = importers().get(model_type)
    if own is None:
        return plugins.find(plugins.FAMILIES, model_type, _checked)
    if plugin := plugins.source(plugins.FAMILIES, model_type):
        plugins.leave_out(plugin, f"Loupe reads models of this type itself, as {own.title}")
    return own


def known_types() -> Iterable[str]:
    """List the known values of `model_type`, including those of plug-ins."""
    return sorted({*importers(), *plugins.names(plugins.FAMILIES)})


def _checked(plugin: plugins.Plugin, found: object) -> Family:
    """Return a plug-in's family; its errors name the package."""
    if not isinstance(found, Family):
        raise plugins.PluginError(f"it must be a Family, got {found!r}")
    if plugin.name not in found.model_types:
        raise plugins.PluginError(f"its model_types do not contain {plugin.name!r}")

    def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
        with plugins.blaming(plugin, ValueError):
            config = found.read_config(settings, names)
            if not isinstance(config, TransformerConfig):
                raise TypeError(f"read_config must return a TransformerConfig, got {config!r}")
            return config

    def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
        with plugins.blaming(plugin, ValueError, KeyError, RuntimeError, IndexError):
            taken = found.take(weights, config)
            if not all(isinstance(each, Tensor) for each in taken.values()):
                raise TypeError("take must return a dict of tensors")
            return taken

    return replace(found, read_config=read_config, take=take)


def prefix_of(names: Collection[str], prefix: str) -> str:
    """Return the prefix if any name has it, else "", as in the folder of a bare stack."""
    return prefix if any(name.startswith(prefix) for name in names) else ""


def renamed(weights: Weights, table: Mapping[str, str]) -> dict[str, Tensor]:
    """Take the weight, and the bias if there is one, of modules (our names -> their names).

    Raises KeyError with the name of a missing weight.
    """
    taken: dict[str, Tensor] = {}
    for ours, theirs in table.items():
        taken[f"{ours}.weight"] = weights[f"{theirs}.weight"]
        if f"{theirs}.bias" in weights:
            taken[f"{ours}.bias"] = weights[f"{theirs}.bias"]
    return taken


def stack_table(n_layers: int, ours: str, theirs: str, layer: Mapping[str, str]) -> dict[str, str]:
    """Repeat a layer's table for all layers; `ours` and `theirs` are prefixes of its number.

    For example `stack_table(2, "decoder.layers", "model.layers", {"self_attn.query": ...})`.
    """
    return {
        f"{ours}.{i}.{own}": f"{theirs}.{i}.{foreign}"
        for i in range(n_layers)
        for own, foreign in layer.items()
    }
