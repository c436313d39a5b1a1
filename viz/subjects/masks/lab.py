"""A padded batch of sentences, run with each mask on or off (section 3.2.3)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model import edits
from model.anatomy import attention_in
from model.config import TransformerConfig
from model.masks import causal_mask, open_mask
from model.recompute import on_cpu
from model.traces import TransformerTrace
from viz.run.axes import AttentionKind, attention_name, layer_count
from viz.subjects.masks.batch import LabBatch

if TYPE_CHECKING:  # only types
    from model.checkpoints.checkpoint import Checkpoint
    from model.transformer import Transformer

Switch = Literal["encoder_padding", "causal", "target_padding", "cross_padding"]
Sort = Literal["padding", "future"]
HIDES: Mapping[Switch, tuple[AttentionKind, Sort]] = {
    "encoder_padding": ("encoder self-attention", "padding"),
    "causal": ("decoder self-attention", "future"),
    "target_padding": ("decoder self-attention", "padding"),
    "cross_padding": ("cross-attention", "padding"),
}
"""The attention on which each switch acts, and the keys that it hides there."""
_MARKED = 0.005
"""The weight from which a cell that should be hidden is marked."""


def has_future(kind: AttentionKind) -> bool:
    """Return whether a kind of attention has later tokens that a causal mask can hide."""
    return (kind, "future") in HIDES.values()


@dataclass(frozen=True, kw_only=True)
class Switches:
    """The masks that are on. The defaults are the paper's.

    Masks of attentions that a model lacks do nothing.
    """

    encoder_padding: bool = True
    causal: bool = True
    target_padding: bool = True
    cross_padding: bool = True

    @classmethod
    def of(cls, config: TransformerConfig) -> "Switches":
        """Set the masks as a variant does."""
        return cls(
            encoder_padding=config.encoder_padding_mask,
            causal=config.causal_mask,
            target_padding=config.decoder_padding_mask,
            cross_padding=config.decoder_padding_mask,
        )

    def hides(self, kind: AttentionKind, sort: Sort) -> bool:
        """Return whether a switch that hides such keys there is on."""
        return any(getattr(self, name) for name, place in HIDES.items() if place == (kind, sort))

    def named(self) -> dict[Switch, bool]:
        """Return each switch by its name."""
        return {name: getattr(self, name) for name in HIDES}


@dataclass(frozen=True, eq=False)
class Masks:
    """The masks of one kind of attention, equal in all its layers. True may attend."""

    padding: Bool[Tensor, "batch query key"]
    """All True if its switch is off."""
    causal: Bool[Tensor, "batch query key"]
    """With the window, if rows read no farther back. Else all True if its switch is off, and in
    kinds without later tokens."""
    combined: Bool[Tensor, "batch query key"]
    """The mask with which every layer ran."""


@dataclass(frozen=True, eq=False)
class LabRun:
    """One forward pass of a padded batch under given switches."""

    switches: Switches
    batch: LabBatch
    model: "Transformer"
    trace: TransformerTrace
    masks: Mapping[AttentionKind, Masks]
    forbidden: Mapping[AttentionKind, Bool[Tensor, "batch query key"]]
    """True if the paper's masks would hide a key, whatever the switches are."""

    @property
    def kinds(self) -> tuple[AttentionKind, ...]:
        """Return the kinds of attention that the model has."""
        return tuple(self.masks)

    def switched_here(self) -> dict[Switch, bool]:
        """Return each switch that acts on an attention of the model, by its name."""
        return {n: on for n, on in self.switches.named().items() if HIDES[n][0] in self.masks}

    def stacked(self, kind: AttentionKind) -> Float[Tensor, "layer head batch query key"]:
        """Return the weights of all heads of a kind."""
        layers = range(layer_count(self.model.config, kind))
        return torch.stack(
            [attention_in(self.trace, kind, layer).weights.transpose(0, 1) for layer in layers]
        )

    def weights(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> Float[np.ndarray, "query key"]:
        """Return the weights of one head in one sentence."""
        return on_cpu(attention_in(self.trace, kind, layer).weights[sentence, head]).numpy()

    def leaking_cells(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> list[tuple[int, int]]:
        """List the cells of real rows that the paper's masks would hide, and that have weight."""
        return _marked_cells(
            self.weights(kind, layer, head, sentence),
            forbidden=self.forbidden[kind][sentence].cpu().numpy(),
            real_rows=self.batch.real_rows(kind)[sentence].cpu().numpy(),
        )


def switched(before: Switches, now: Switches) -> tuple[Switch, ...]:
    """List the switches that differ."""
    was = before.named()
    return tuple(name for name, is_on in now.named().items() if is_on != was[name])


class TellingCell(NamedTuple):
    """The cell on which a switched mask shows: a row, and a key that it hides or reveals."""

    kind: AttentionKind
    layer: int
    head: int
    sentence: int
    row: int
    key: int


_MOVED = 1e-6
"""The change of a weight that is more than rounding."""
_LONG = 4
"""The number of letters from which a word counts as a content word."""


def telling_cell(
    before: LabRun, now: LabRun, sentence: int | None = None, names: Collection[Switch] = ()
) -> TellingCell | None:
    """Find the cell on which a switched mask shows most; None if it shows nowhere.

    Content words come before all other rows, and content words or padding before all other keys, so
    that a head is not judged by a comma.

    Args:
        before: A run.
        now: The same batch with masks switched.
        sentence: The only sentence of the batch to look at, if given.
        names: The switches to look at; by default, all that differ.
    """
    found: list[tuple[float, TellingCell]] = []
    for name in names or switched(before.switches, now.switches):
        kind, sort = HIDES[name]
        if kind not in now.masks:
            continue
        cells = now.forbidden[kind] & now.batch.real_rows(kind).unsqueeze(2)
        is_padding = ~now.batch.real_keys(kind).unsqueeze(1)
        cells = cells & (is_padding if sort == "padding" else ~is_padding)
        if sentence is not None:
            cells = cells & _only(sentence, len(cells), cells.device)
        moved = (now.stacked(kind) - before.stacked(kind)).abs().nan_to_num(nan=1.0) * cells
        telling = moved * _telling(now.batch, kind)
        most = telling if telling.max() > _MOVED else moved
        if most.max() > _MOVED:
            layer, head, at, row, key = np.unravel_index(int(most.argmax()), most.shape)
            cell = TellingCell(kind, int(layer), int(head), int(at), int(row), int(key))
            found.append((float(most.max()), cell))
    return max(found)[1] if found else None


def _only(sentence: int, count: int, device: torch.device) -> Bool[Tensor, "batch 1 1"]:
    return (torch.arange(count, device=device) == sentence)[:, None, None]


def _telling(batch: LabBatch, kind: AttentionKind) -> Bool[Tensor, "batch query key"]:
    """Mark the cells in which content words read content words or padding."""
    labels = [batch.labels(kind, sentence) for sentence in range(len(batch.lengths))]
    rows, keys = (
        torch.tensor([[_is_long(token) for token in each[side]] for each in labels])
        for side in (0, 1)
    )
    padding = ~batch.real_keys(kind)
    return rows.to(padding.device)[:, :, None] & (keys.to(padding.device) | padding)[:, None]


def _is_long(token: str) -> bool:
    return len(token) >= _LONG and any(map(str.isalpha, token)) and not token.startswith("<")


def run_lab(checkpoint: "Checkpoint", batch: LabBatch, switches: Switches) -> LabRun:
    """Run the batch under these switches."""
    model, kinds = checkpoint.model, checkpoint.anatomy.names
    masks: dict[AttentionKind, Masks] = {}
    edited: dict[str, edits.Edit] = {}
    for kind in kinds:
        padding, causal = _mask_parts(kind, batch, switches, model.config.window)
        masks[kind] = Masks(padding=padding, causal=causal, combined=padding & causal)
        for layer in range(layer_count(model.config, kind)):
            name = attention_name(kind, layer).removesuffix("weights") + "mask"
            edited[name] = edits.replace(masks[kind].combined)
    with torch.inference_mode():
        trace = model(batch.source, batch.target, edits=edits.Edits(edited))
    return LabRun(
        switches=switches,
        batch=batch,
        model=model,
        trace=trace,
        masks=masks,
        forbidden={kind: ~(p & c) for kind in kinds for p, c in [_mask_parts(kind, batch)]},
    )


_PAPERS = Switches()


def _mask_parts(
    kind: AttentionKind, batch: LabBatch, switches: Switches = _PAPERS, window: int = 0
) -> tuple[Bool[Tensor, "batch query key"], Bool[Tensor, "batch query key"]]:
    """Return the padding mask and the causal mask of one kind, each open if it is off.

    A window bounds what the decoder's self-attention reads, even if it may read ahead.
    """
    keys = batch.keys(kind)
    size = (*batch.queries(kind).shape, keys.size(1))
    padding = causal = open_mask(keys.size(1), device=keys.device)
    if switches.hides(kind, "padding"):
        padding = batch.real_keys(kind).unsqueeze(1)
    if switches.hides(kind, "future"):
        causal = causal_mask(keys.size(1), window=window, device=keys.device)
    elif window and has_future(kind):
        within, back = (
            causal_mask(keys.size(1), window=w, device=keys.device) for w in (window, 0)
        )
        causal = within | ~back
    return padding.expand(size), causal.expand(size)


def _marked_cells(
    weights: Float[np.ndarray, "query key"],
    *,
    forbidden: Bool[np.ndarray, "query key"],
    real_rows: Bool[np.ndarray, " query"],
) -> list[tuple[int, int]]:
    """List the forbidden cells of real rows that have a weight worth marking."""
    cells = forbidden & real_rows[:, None] & (weights > _MARKED)
    return [(int(query), int(key)) for query, key in np.argwhere(cells)]
