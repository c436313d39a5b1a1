"""Cuts and patched cells as they are sent to the browser."""

from collections.abc import Sequence

from model.ablation import Part
from viz.subjects.mattered import words
from viz.subjects.mattered.damage import Losses
from viz.subjects.mattered.naming import kind_of, layer_of, part_name, stack_of, sublayer_name
from viz.subjects.mattered.rewording import Stretch
from viz.subjects.mattered.wire import WireCut, WireCuts


def pack_losses(losses: Losses, of: str, keep: str = "") -> WireCuts:
    """Pack what one run, of this key, loses without each part."""
    cuts = [
        _pack(loss.part, loss.damage, words.damage_words(loss.damage), loss.changed, loss.stretches)
        for loss in losses.of
    ]
    telling = words.telling(losses)
    chosen = losses.of.index(telling or losses.by_damage()[0])
    return {"of": of, "cuts": cuts, "chosen": chosen, "unit": words.NATS, "keep": keep}


def _pack(
    part: Part, damage: float, said: str, changed: bool, stretches: Sequence[Stretch] = ()
) -> WireCut:
    return {
        "stack": stack_of(part),
        "layer": layer_of(part),
        "sublayer": sublayer_name(part),
        "kind": kind_of(part),
        "head": part.head,
        "name": part_name(part),
        "damage": damage,
        "said": said,
        "changed": changed,
        "stretches": [(stretch.fate, stretch.text) for stretch in stretches],
    }
