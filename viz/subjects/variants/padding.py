"""Padding that the encoder reads, and a row that may read nothing (section 3.2.3)."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional

from model.checkpoint import Checkpoint
from model.tokenizer import PAD_ID
from viz.subjects.masks.empty import EmptySource, fully_masked_row
from viz.subjects.variants.material import Material, source_ids, target_ids

PADS = (0, 1, 2, 4, 8, 16)
_ROUNDING = 1e-4
_SENTENCES = 10


@dataclass(frozen=True, eq=False)
class Padded:
    """What one variant says of a source when `<pad>` is put after it: nothing may change."""

    name: str
    encoder_masks: bool
    """Whether its encoder hides padding."""
    differences: Float[np.ndarray, " pads"]
    """Largest change of a log-probability, at `PADS`."""
    changed: int
    """Target positions whose best token changes with the most padding."""
    positions: int

    @property
    def same(self) -> bool:
        """Whether the padding changed nothing but rounding."""
        return bool(self.differences.max() < _ROUNDING)


@dataclass(frozen=True)
class Padding:
    """All variants on the same padded sources."""

    variants: tuple[Padded, ...]


@dataclass(frozen=True)
class EmptyRow:
    """A row whose keys are all hidden, under each fill: from the mask laboratory."""

    results: tuple[EmptySource, ...]


def compare_padding(material: Material) -> Padding:
    """Put padding after some sources, and see whose output changes."""
    found = (_padded(name, c, material) for name, c in material.checkpoints.items())
    return Padding(tuple(found))


def compare_fills(material: Material, variant: str = "paper") -> EmptyRow:
    """Hide every key from a row with minus infinity, and with a large negative number.

    Raises ValueError on a text that cannot be run.
    """
    checkpoint = material.checkpoints[variant]
    tried = fully_masked_row(checkpoint, material.text)
    return EmptyRow(tuple(r for r in tried if not r.own and r.switches.fill < 0))


@torch.inference_mode()
def _padded(name: str, checkpoint: Checkpoint, material: Material) -> Padded:
    differences = np.zeros(len(PADS))
    changed = positions = 0
    for source_text, target_text in material.pairs[:_SENTENCES]:
        source = source_ids(checkpoint, source_text)
        target = target_ids(checkpoint, target_text)[:, :-1]
        alone = checkpoint.model(source, target).logits.log_softmax(dim=-1)
        best = alone.argmax(dim=-1)
        for i, pads in enumerate(PADS):
            longer = functional.pad(source, (0, pads), value=PAD_ID)
            padded = checkpoint.model(longer, target).logits.log_softmax(dim=-1)
            differences[i] = max(differences[i], (padded - alone).abs().max().item())
            if pads == PADS[-1]:
                changed += int((padded.argmax(dim=-1) != best).sum())
                positions += best.numel()
    return Padded(
        name=name,
        encoder_masks=checkpoint.model.config.encoder_padding_mask,
        differences=differences,
        changed=changed,
        positions=positions,
    )
