"""Heads that are switched off: which they are, and the change that each is."""

from collections.abc import Iterable

from model.config import TransformerConfig
from model.intervention import Intervention
from viz.run.record import KINDS, AttentionKind, attention_name, layer_count


def head_off(kind: AttentionKind, layer: int, head: int) -> Intervention:
    """Switch a head off: what it would give to the output projection is 0."""
    name = attention_name(kind, layer).replace(".weights", ".heads")
    return Intervention("zero", name, head=head)


def heads_off(
    config: TransformerConfig, made: Iterable[Intervention]
) -> list[tuple[AttentionKind, int, int]]:
    """List the heads that are off, or give their average, by kind, layer and number."""
    changed = {
        (one.name, one.head) for one in made if one.kind in ("zero", "mean") and not one.anchored
    }
    return [
        (kind, layer, head)
        for kind in KINDS
        for layer in range(layer_count(config, kind))
        for head in range(config.n_heads)
        if (attention_name(kind, layer).replace(".weights", ".heads"), head) in changed
    ]
