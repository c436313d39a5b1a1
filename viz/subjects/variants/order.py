"""No positions: what of the order of the tokens is left (section 3.5)."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from model.checkpoint import Checkpoint
from model.edits import Edit, Edits, ablate
from model.traces import TransformerTrace
from viz.subjects.variants.material import Material, source_ids, target_ids
from viz.subjects.variants.report import Demonstration, Table, short

_ROUNDING = 1e-3
"""What float32 may add up to on logits about 10 when a sum is taken in another order."""


@dataclass(frozen=True)
class Shuffled:
    """Largest change when the order of tokens changes, all else being as it was."""

    name: str
    memory: float
    """Of the encoder's output, put back into the old order, when the source is turned round."""
    logits: float
    """Of the logits, by the same."""
    later_rows: float
    """Of the logits of later rows, when the first two target tokens after `<s>` change places."""


@dataclass(frozen=True)
class Order(Demonstration):
    """One checkpoint with its positions, without, and without the causal mask too."""

    own: Shuffled
    without: Shuffled
    open: Shuffled

    @property
    def verdict(self) -> str:
        """Say what knows of the order, and what does not."""
        if self.without.memory < _ROUNDING:
            source = (
                "Without positions the encoder sees a bag of words: turned round, its output is "
                f"the same in another order (difference {short(self.without.memory)}, rounding), "
                f"and so are the logits ({short(self.without.logits)}). With positions the output "
                f"differs by {short(self.own.memory)}."
            )
        else:
            source = (
                "Without positions the encoder still tells the order: its output differs by "
                f"{short(self.without.memory)}."
            )
        if self.without.later_rows > _ROUNDING > self.open.later_rows:
            target = (
                "The decoder keeps an order without them: two target tokens that change places "
                f"change the later rows by {short(self.without.later_rows)}, because the causal "
                "mask lets each token see only those before it; with the mask open too, by "
                f"{short(self.open.later_rows)}."
            )
        elif self.without.later_rows < _ROUNDING:
            target = (
                "Nor does the decoder know of an order without them: two target tokens that "
                f"change places change the later rows by {short(self.without.later_rows)}."
            )
        else:
            target = (
                "The decoder keeps an order, with the causal mask or without: the later rows "
                f"change by {short(self.without.later_rows)} and {short(self.open.later_rows)}."
            )
        return f"{source} {target}"

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give the largest changes."""
        return (
            Table(
                "Largest change",
                ("", "source turned round: memory", "logits", "two target tokens changed places"),
                tuple((s.name, s.memory, s.logits, s.later_rows) for s in self._all),
            ),
        )

    @property
    def _all(self) -> tuple[Shuffled, ...]:
        return self.own, self.without, self.open


def shuffle(material: Material, variant: str = "paper") -> Order:
    """Change the order of a source, and of a target, with positions and without."""
    checkpoint = material.checkpoints[variant]
    source = source_ids(checkpoint, material.text)
    target = target_ids(checkpoint, max((t for _, t in material.pairs), key=len))[:, :-1]
    no_positions: dict[str, Edit] = {
        "source_embedding.positions": ablate,
        "target_embedding.positions": ablate,
    }
    open_masks: dict[str, Edit] = {
        f"decoder.layers.{layer}.self_attn.mask": torch.ones_like
        for layer in range(checkpoint.model.config.n_decoder_layers)
    }
    tried = {
        "as it is": {},
        "positions set to zero": no_positions,
        "and the causal mask open": no_positions | open_masks,
    }
    found = [_shuffled(name, checkpoint, source, target, Edits(e)) for name, e in tried.items()]
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
        memory=(turned.encoder.output.flip(1) - before.encoder.output).abs().max().item(),
        logits=(turned.logits - before.logits).abs().max().item(),
        later_rows=(after.logits[:, 3:] - before.logits[:, 3:]).abs().max().item(),
    )
