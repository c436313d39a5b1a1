"""Which attentions of a module are the same one in another layer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch

from model.module_attention import CaughtAttention


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


def sites_of(attentions: Mapping[str, CaughtAttention]) -> tuple[ModuleSite, ...]:
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
        causal=all(_is_causal(attention) for attention in group),
        bias=any(attention.bias is not None for attention in group),
    )


def _is_causal(attention: CaughtAttention) -> bool:
    n_queries, n_keys = attention.query.size(2), attention.key.size(2)
    if n_queries != n_keys or n_queries == 1:
        return False
    later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=attention.mask.device).triu(1)
    return not bool((attention.mask & later).any())
