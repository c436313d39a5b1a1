"""No positions: what of the order of the tokens is left (section 3.5)."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from model.checkpoint import Checkpoint
from model.edits import Edits
from model.intervention import Intervention, edits_of
from model.traces import TransformerTrace, present
from viz.subjects.variants.material import Material, source_ids, target_ids


@dataclass(frozen=True)
class Shuffled:
    """Largest change when the order of tokens changes, all else being as it was."""

    name: str
    """As a field of `Order`."""
    memory: float
    """Of the encoder's output, put back into the old order, when the source is turned round."""
    logits: float
    """Of the logits, by the same."""
    later_rows: float
    """Of the logits of later rows, when the first two target tokens after `<s>` change places."""


@dataclass(frozen=True)
class Order:
    """One checkpoint with its positions, without, and without the causal mask too."""

    own: Shuffled
    without: Shuffled
    open: Shuffled


def shuffle(material: Material, variant: str = "paper") -> Order:
    """Change the order of a source, and of a target, with positions and without."""
    checkpoint = material.checkpoints[variant]
    source = source_ids(checkpoint, material.text)
    target = target_ids(checkpoint, max((t for _, t in material.pairs), key=len))[:, :-1]
    sides = ("source", "target")
    no_positions = tuple(Intervention("zero", f"{side}_embedding.positions") for side in sides)
    open_mask = Intervention("set", "decoder.layers.*.self_attn.mask")
    tried = {
        "own": (),
        "without": no_positions,
        "open": (*no_positions, open_mask),
    }
    found = [
        _shuffled(name, checkpoint, source, target, edits_of(made, checkpoint.model))
        for name, made in tried.items()
    ]
    return Order(*found)


@torch.inference_mode()
def _shuffled(
    name: str,
    checkpoint: Checkpoint,
    source: Int[Tensor, "1 source"],
    target: Int[Tensor, "1 target"],
    edits: Edits,
) -> Shuffled:
    def run(source: Tensor, target: Tensor) -> TransformerTrace:
        return checkpoint.model(source, target, edits=edits)

    before = run(source, target)
    turned = run(source.flip(1), target)
    swapped = target.clone()
    swapped[:, 1:3] = target[:, 1:3].flip(1)
    after = run(source, swapped)
    return Shuffled(
        name=name,
        memory=_largest(present(turned.encoder).output.flip(1), present(before.encoder).output),
        logits=_largest(present(turned.logits), present(before.logits)),
        later_rows=_largest(present(after.logits)[:, 3:], present(before.logits)[:, 3:]),
    )


def _largest(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()
