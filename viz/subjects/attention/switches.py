"""Heads that are switched off: which they are, and the change that each is."""

from collections.abc import Iterable

from model.anatomy import Anatomy
from model.interventions.kinds import Intervention
from viz.run.axes import AttentionKind, attention_name


def head_off(kind: AttentionKind, layer: int, head: int) -> Intervention:
    """Switch a head off: what it would give to the output projection is 0."""
    name = attention_name(kind, layer).replace(".weights", ".heads")
    return Intervention("zero", name, head=head)


def heads_off(
    anatomy: Anatomy, made: Iterable[Intervention]
) -> list[tuple[AttentionKind, int, int]]:
    """List the heads that are off, or give their average, by kind, layer and number."""
    changed = {
        (one.name, one.head) for one in made if one.kind in ("zero", "mean") and not one.anchored
    }
    return [
        (site.name, layer, head)
        for site in anatomy.sites
        for layer in range(site.layers)
        for head in range(site.heads)
        if (f"{site.path(layer)}.heads", head) in changed
    ]
