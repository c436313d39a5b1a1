"""The attentions of a module by its own paths, and which are the same one in another layer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from model.recording.attention import CaughtAttention, is_causal


@dataclass(frozen=True)
class ModuleSite:
    """Attentions whose names differ in numbers alone, and whose shapes are equal."""

    name: str
    """Their common name, with a star where the numbers stand: `layers.*.self_attn`."""
    attentions: tuple[str, ...]
    """Their names, the first layer's first."""
    heads: int
    kv_heads: int
    """Heads of keys and values; fewer than `heads` where queries share them."""
    d_k: int
    d_v: int
    n_queries: int
    n_keys: int
    reads_itself: bool | None
    """Whether keys are made of what queries are made of; None where torch is not told."""
    causal: bool
    """Whether no row read a later column."""
    bias: bool
    """Whether something besides the mask was added to the scores."""

    @property
    def layers(self) -> int:
        """Count the layers."""
        return len(self.attentions)


@dataclass(frozen=True, eq=False)
class ModuleTrace:
    """One pass of a module."""

    attentions: Mapping[str, CaughtAttention]
    """By name, in the order in which they ran. A name is the path of the module that attended; from
    the second time on in one pass it ends in `(2)`, `(3)` ..."""
    output: Any
    """What the module gave."""
    difference: float | None
    """Largest distance of its numbers from what the module gives unrecorded, by torch's fused
    attention; None where edits keep them apart."""

    def __getitem__(self, name: str) -> CaughtAttention:
        return self.attentions[name]

    @property
    def sites(self) -> tuple[ModuleSite, ...]:
        """Give the attentions by kind, each kind with its layers."""
        return _sites_of(self.attentions)


def _sites_of(attentions: Mapping[str, CaughtAttention]) -> tuple[ModuleSite, ...]:
    """Group the attentions of a trace, in the order in which they first ran."""
    groups: dict[tuple, list[str]] = {}
    for name, attention in attentions.items():
        common = re.sub(r"\d+", "*", name)
        key = common, attention.query.shape, attention.key.shape, attention.value.shape
        groups.setdefault((*key, attention.reads_itself), []).append(name)
    return tuple(
        _site(common, names, [attentions[name] for name in names])
        for (common, *_), names in groups.items()
    )


def _site(common: str, names: Iterable[str], group: list[CaughtAttention]) -> ModuleSite:
    first = group[0]
    return ModuleSite(
        name=common,
        attentions=tuple(names),
        heads=first.query.size(1),
        kv_heads=first.key.size(1),
        d_k=first.query.size(-1),
        d_v=first.value.size(-1),
        n_queries=first.query.size(2),
        n_keys=first.key.size(2),
        reads_itself=first.reads_itself,
        causal=all(is_causal(each.mask, each.query.size(2)) for each in group),
        bias=any(attention.bias is not None for attention in group),
    )
