"""What a family of foreign models is to an importer: its config read as ours, its weights renamed.

A family is a module in `families/` beside this one with a `FAMILY`; `importers()` finds it there.
A plug-in may bring another one.
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
"""Tensors of a folder by their own names. Each is read from the disk when it is asked for, and each
that is not asked for counts as left over; before any is read, the same is done with tensors on the
meta device, which have shapes and no numbers."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Models that differ from ours in names only, once their config is read.

    Its functions raise ValueError, in a sentence, on what they cannot read.
    """

    title: str
    """As people call it: "GPT-2"."""
    model_types: frozenset[str]
    """What `model_type` of config.json says."""
    read_config: Callable[[Settings, Collection[str]], TransformerConfig]
    """The config that computes the same, from config.json and the names of the tensors there.
    Fields that are never asked for are refused by the caller."""
    take: Callable[[Weights, TransformerConfig], dict[str, Tensor]]
    """All weights under the names of our `state_dict`: renamed, turned, split. Of tied ones the
    embedding is enough; where the folder has the generator too, it is given and must be equal."""
    embeddings: tuple[str, ...] = ()
    """Names of weights that are one table of embeddings: a folder may store any of them."""
    generators: tuple[str, ...] = ()
    """Names of the generator's matrix, which is that table, too, if the config ties the two."""
    buffers: tuple[str, ...] = ()
    """Patterns (of fnmatch) of names that are not weights: masks and frequencies of old folders."""

    def describe(self, values: Mapping[str, Any], names: Collection[str]) -> TransformerConfig:
        """Return the config that computes the same, from config.json and the names of its tensors.

        Raises NotComputedError, a ValueError, if a field says more than is read.
        """
        settings = Settings(values)
        config = self.read_config(settings, names)
        settings.refuse_unread()
        return replace(config, padding_by_id=False)  # transformers is told by the tokenizer's mask

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
    """Return the family of a `model_type`, which a plug-in may bring; None if it is unknown."""
    own = importers().get(model_type)
    if own is None:
        return plugins.find(plugins.FAMILIES, model_type, _checked)
    if plugin := plugins.source(plugins.FAMILIES, model_type):
        plugins.leave_out(plugin, f"Loupe reads models of this type itself, as {own.title}")
    return own


def known_types() -> Iterable[str]:
    """List the known values of `model_type`, those of plug-ins included."""
    return sorted({*importers(), *plugins.names(plugins.FAMILIES)})


def _checked(plugin: plugins.Plugin, found: object) -> Family:
    """Return a family of a plug-in, whose errors name the package."""
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
    """Return the prefix if any name has it, else "": a bare stack is saved without."""
    return prefix if any(name.startswith(prefix) for name in names) else ""


def renamed(weights: Weights, table: Mapping[str, str]) -> dict[str, Tensor]:
    """Take modules under our names -> under theirs: the weight, and the bias where it has one.

    Raises KeyError of the name of a weight that is not there.
    """
    taken: dict[str, Tensor] = {}
    for ours, theirs in table.items():
        taken[f"{ours}.weight"] = weights[f"{theirs}.weight"]
        if f"{theirs}.bias" in weights:
            taken[f"{ours}.bias"] = weights[f"{theirs}.bias"]
    return taken


def stack_table(n_layers: int, ours: str, theirs: str, layer: Mapping[str, str]) -> dict[str, str]:
    """Repeat the table of a layer for each: `ours` and `theirs` are the prefixes before its number.

    For example `stack_table(2, "decoder.layers", "model.layers", {"self_attn.query": ...})`.
    """
    return {
        f"{ours}.{i}.{own}": f"{theirs}.{i}.{foreign}"
        for i in range(n_layers)
        for own, foreign in layer.items()
    }
