"""Padding that the encoder reads, and a row that may read nothing (section 3.2.3)."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional

from model.checkpoint import Checkpoint
from model.tokenizer import PAD_ID
from viz.subjects.masks.empty import EmptySource, fully_masked_row
from viz.subjects.masks.lab import fill_name
from viz.subjects.variants.material import Material, source_ids, target_ids
from viz.subjects.variants.report import Demonstration, Lines, Table, short

_PADS = (0, 1, 2, 4, 8, 16)
_ROUNDING = 1e-4
_SENTENCES = 10


@dataclass(frozen=True, eq=False)
class Padded:
    """What one variant says of a source when `<pad>` is put after it: nothing may change."""

    name: str
    encoder_masks: bool
    """Whether its encoder hides padding."""
    differences: Float[np.ndarray, " pads"]
    """Largest change of a log-probability, at `_PADS`."""
    changed: int
    """Target positions whose best token changes with the most padding."""
    positions: int

    @property
    def same(self) -> bool:
        """Whether the padding changed nothing but rounding."""
        return bool(self.differences.max() < _ROUNDING)


@dataclass(frozen=True)
class Padding(Demonstration):
    """All variants on the same padded sources."""

    variants: tuple[Padded, ...]

    @property
    def verdict(self) -> str:
        """Say whose output depends on the padding."""
        changed = [v for v in self.variants if not v.same]
        same = [v.name for v in self.variants if v.same]
        parts = [
            f"{v.name} gives other probabilities when {_PADS[-1]} <pad> follow: a log-probability "
            f"changes by up to {short(v.differences[-1])}, and "
            f"{v.changed or 'none'} of {v.positions} best tokens changed."
            for v in changed
        ]
        if same:
            parts.append(f"{', '.join(same)}: as without padding, up to rounding.")
        return " ".join(parts)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give the changes with the most padding."""
        return (
            Table(
                f"{_PADS[-1]} <pad> after each source",
                ("", "encoder hides padding", "largest change", "best tokens changed"),
                tuple(
                    (
                        v.name,
                        "yes" if v.encoder_masks else "no",
                        float(v.differences[-1]),
                        f"{v.changed} of {v.positions}",
                    )
                    for v in self.variants
                ),
            ),
        )

    @property
    def lines(self) -> tuple[Lines, ...]:
        """Draw the change by the number of pads."""
        return (
            Lines(
                title="Largest change of a log-probability",
                x_title="<pad> after the source",
                y_title="nats",
                x=np.array(_PADS, dtype=float),
                lines={v.name: v.differences for v in self.variants},
            ),
        )


@dataclass(frozen=True)
class EmptyRow(Demonstration):
    """A row whose keys are all hidden, under each fill: from the mask laboratory."""

    results: tuple[EmptySource, ...]

    @property
    def verdict(self) -> str:
        """Say what became of it under each fill."""
        return " ".join(
            f"With {fill_name(r.switches.fill).replace('-', '−').replace('inf', '∞')}: {r.verdict}"
            for r in self.results
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give what the weights and the logits became."""
        return (
            Table(
                "A source of nothing but <pad>, all masks on",
                ("filled with", "encoder weights", "cross-attention weights", "its logits"),
                tuple(
                    (
                        fill_name(r.switches.fill).replace("-", "−").replace("inf", "∞"),
                        *(rows.outcome for rows in r.rows),
                        f"{r.undefined_positions} of {r.positions} NaN",
                    )
                    for r in self.results
                ),
            ),
        )


def compare_padding(material: Material) -> Padding:
    """Put padding after some sources, and see whose output changes."""
    found = (_padded(name, c, material) for name, c in material.checkpoints.items())
    return Padding(tuple(found))


def compare_fills(material: Material, variant: str = "paper") -> EmptyRow:
    """Hide every key from a row with minus infinity, and with a large negative number.

    Raises ValueError on a text that cannot be run.
    """
    checkpoint = material.checkpoints[variant]
    device = checkpoint.model.generator.weight.device.type
    tried = fully_masked_row(checkpoint, material.text, device=device)
    return EmptyRow(tuple(r for r in tried if not r.own and r.switches.fill < 0))


@torch.inference_mode()
def _padded(name: str, checkpoint: Checkpoint, material: Material) -> Padded:
    differences = np.zeros(len(_PADS))
    changed = positions = 0
    for source_text, target_text in material.pairs[:_SENTENCES]:
        source = source_ids(checkpoint, source_text)
        target = target_ids(checkpoint, target_text)[:, :-1]
        alone = checkpoint.model(source, target).logits.log_softmax(dim=-1)
        best = alone.argmax(dim=-1)
        for i, pads in enumerate(_PADS):
            longer = functional.pad(source, (0, pads), value=PAD_ID)
            padded = checkpoint.model(longer, target).logits.log_softmax(dim=-1)
            differences[i] = max(differences[i], (padded - alone).abs().max().item())
            if pads == _PADS[-1]:
                changed += int((padded.argmax(dim=-1) != best).sum())
                positions += best.numel()
    return Padded(
        name=name,
        encoder_masks=checkpoint.model.config.encoder_padding_mask,
        differences=differences,
        changed=changed,
        positions=positions,
    )
