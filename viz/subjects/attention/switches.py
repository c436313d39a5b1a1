"""Heads that are switched off: which they are, and the change that each is."""

from collections.abc import Iterable
from typing import Literal

from model.anatomy import Anatomy
from model.interventions.kinds import Intervention
from viz.run.record import AttentionKind, attention_name

How = Literal["zero", "mean"]
"""What a head gives in the place of its own output: nothing, or its average."""


def head_off(kind: AttentionKind, layer: int, head: int, how: How = "zero") -> Intervention:
    """Switch a head off: what it would give to the output projection is 0, or its average."""
    name = attention_name(kind, layer).replace(".weights", ".heads")
    return Intervention(how, name, head=head)


def switched(
    made: Iterable[Intervention], place: tuple[AttentionKind, int, int], how: How = "zero"
) -> tuple[tuple[Intervention, ...], tuple[Intervention, ...]]:
    """Describe what goes and what comes as a head is switched: off in one way, or on again."""
    both = {head_off(*place), head_off(*place, "mean")}
    old = tuple(one for one in made if one in both)
    new = head_off(*place, how)
    return old, () if new in old else (new,)


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
