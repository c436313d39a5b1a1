"""A padded batch of sentences, run for real with each mask on or off (section 3.2.3)."""

import copy
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model import edits
from model.attention import MultiHeadAttention, masked_scores
from model.checkpoints.checkpoint import Checkpoint
from model.config import TransformerConfig
from model.masks import causal_mask, open_mask
from model.traces import AttentionTrace, TransformerTrace
from model.transformer import Transformer
from viz.run.record import AttentionKind, attention_in, attention_name, layer_count
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.leaks import Leak, Leaks, marked_cells, measure

FILLS = (-math.inf, -1e9, 0.0)
"""Values of a masked score worth comparing: the paper's, a common one, and a wrong one."""

Switch = Literal["encoder_padding", "causal", "target_padding", "cross_padding"]
HIDES: Mapping[Switch, tuple[AttentionKind, Literal["padding", "future"]]] = {
    "encoder_padding": ("encoder self-attention", "padding"),
    "causal": ("decoder self-attention", "future"),
    "target_padding": ("decoder self-attention", "padding"),
    "cross_padding": ("cross-attention", "padding"),
}
"""Where each switch acts, and which keys it hides there."""


def has_future(kind: AttentionKind) -> bool:
    """Return whether a kind of attention has later tokens, so that a causal mask can hide them."""
    return (kind, "future") in HIDES.values()


def fill_key(fill: float) -> str:
    """Write a filled value as links and code have it: -inf, -1e9."""
    return f"{fill:g}".replace("e+0", "e").replace("e+", "e")


def fill_name(fill: float) -> str:
    """Write a filled value for people: −∞, −1e9."""
    return fill_key(fill).replace("inf", "∞").replace("-", "−")


@dataclass(frozen=True, kw_only=True)
class Switches:
    """Which masks are on, and what they put in place of a score. The defaults are the paper's.

    Those of attentions that a model lacks do nothing.
    """

    encoder_padding: bool = True
    causal: bool = True
    target_padding: bool = True
    cross_padding: bool = True
    fill: float = -math.inf

    @classmethod
    def of(cls, config: TransformerConfig) -> "Switches":
        """Set them as a variant itself does."""
        return cls(
            encoder_padding=config.encoder_padding_mask,
            causal=config.causal_mask,
            target_padding=config.decoder_padding_mask,
            cross_padding=config.decoder_padding_mask,
            fill=config.mask_fill,
        )

    def hides(self, kind: AttentionKind, sort: Literal["padding", "future"]) -> bool:
        """Return whether a switch that hides such keys there is on."""
        return any(getattr(self, name) for name, place in HIDES.items() if place == (kind, sort))

    def named(self) -> dict[Switch, bool]:
        """Return each switch by its name."""
        return {name: getattr(self, name) for name in HIDES}


@dataclass(frozen=True, eq=False)
class Masks:
    """Masks of one kind of attention, the same in all its layers. True may attend."""

    padding: Bool[Tensor, "batch query key"]
    """All True where its switch is off."""
    causal: Bool[Tensor, "batch query key"]
    """With the window, where a row reads no farther back. Else all True where its switch is off,
    and in the kinds that have no future."""
    combined: Bool[Tensor, "batch query key"]
    """The one that the run captured in its first layer."""


@dataclass(frozen=True, eq=False)
class LabRun:
    """One forward pass of a padded batch under given switches."""

    switches: Switches
    batch: LabBatch
    model: Transformer
    """That ran: the checkpoint's weights, with the filled value of the switches."""
    trace: TransformerTrace
    masks: Mapping[AttentionKind, Masks]
    leaks: Mapping[AttentionKind, Leaks]

    @property
    def kinds(self) -> tuple[AttentionKind, ...]:
        """The kinds of attention that the model has."""
        return tuple(self.masks)

    def switched_here(self) -> dict[Switch, bool]:
        """Return each switch that acts on an attention of the model, by its name."""
        return {n: on for n, on in self.switches.named().items() if HIDES[n][0] in self.masks}

    def attention(self, kind: AttentionKind, layer: int) -> AttentionTrace:
        """Find one multi-head attention in the trace."""
        return attention_in(self.trace, kind, layer)

    def masks_of(
        self, kind: AttentionKind, sentence: int
    ) -> dict[str, Bool[np.ndarray, "query key"]]:
        """Return the masks that can hide something from a kind: no causal one without a future."""
        masks = self.masks[kind]
        found = {"padding": masks.padding}
        if has_future(kind):
            found |= {"causal": masks.causal, "combined": masks.combined}
        return {name: mask[sentence].cpu().numpy() for name, mask in found.items()}

    def scores(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> Float[np.ndarray, "query key"]:
        """Return the scores before the mask."""
        return self.attention(kind, layer).scores[sentence, head].cpu().numpy()

    def masked_scores(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> Float[np.ndarray, "query key"]:
        """Return the scores with the filled value where the mask forbids."""
        attention = self.attention(kind, layer)
        filled = masked_scores(attention.scores, attention.mask, self.switches.fill)
        return filled[sentence, head].cpu().numpy()

    def weights(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> Float[np.ndarray, "query key"]:
        """Return the softmax of the masked scores."""
        return self.attention(kind, layer).weights[sentence, head].cpu().numpy()

    def leaking_cells(
        self, kind: AttentionKind, layer: int, head: int, sentence: int
    ) -> list[tuple[int, int]]:
        """List the cells of real rows that the paper's masks would hide, and that have weight."""
        padding, causal = _mask_parts(kind, self.batch, Switches())
        return marked_cells(
            self.weights(kind, layer, head, sentence),
            forbidden=~(padding & causal)[sentence].cpu().numpy(),
            real_rows=self.batch.real_rows(kind)[sentence].cpu().numpy(),
        )

    def through(self, name: Switch, sentence: int | None = None) -> Leak:
        """Return the weight on the keys that a switch hides, whether it is on or off.

        Of the whole batch, or of one sentence alone.
        """
        kind, sort = HIDES[name]
        leak = self.leaks[kind].future if sort == "future" else self.leaks[kind].padding
        return leak if sentence is None else leak.only(sentence)

    def hidden(self, kind: AttentionKind, sentence: int | None = None) -> Leak:
        """Return the weight on the keys that the mask in force hides from one kind of attention."""
        leak = self.leaks[kind].hidden
        return leak if sentence is None else leak.only(sentence)


def strongest_leak(
    run: LabRun, name: Switch | None = None, sentence: int | None = None
) -> tuple[AttentionKind, tuple[int, int, int]] | None:
    """Find the layer, head and sentence that leak most through a switch; None where none does.

    Without a switch: through the filled value, on the keys that the masks in force hide. With a
    sentence, only it is looked at.
    """
    if name is not None:
        kind, leak = HIDES[name][0], run.through(name, sentence)
    else:
        kind = max(run.kinds, key=lambda kind: run.hidden(kind, sentence).share.max())
        leak = run.hidden(kind, sentence)
    return (kind, leak.worst) if leak.share.max() > 0 else None


_MOVED = 1e-6
"""Part of a row's weight from which more than rounding has moved."""


def largest_change(
    before: LabRun,
    now: LabRun,
    kinds: Iterable[AttentionKind] | None = None,
    sentence: int | None = None,
) -> tuple[AttentionKind, tuple[int, int, int]] | None:
    """Find the layer, head and sentence of the row whose weights moved most; None where none did.

    Of some kinds of attention, or of all. Only rows of tokens count, and with a sentence only its
    own. A row that has become NaN has moved altogether.
    """
    most, found = _MOVED, None
    for kind in now.kinds if kinds is None else kinds:
        real = now.batch.real_rows(kind)
        pairs = [
            (now.attention(kind, layer).weights, before.attention(kind, layer).weights)
            for layer in range(layer_count(now.model.config, kind))
        ]
        moved = torch.stack([(one - other).abs().sum(dim=-1) / 2 for one, other in pairs])
        moved = (moved.nan_to_num(nan=1.0) * real[:, None]).cpu().numpy()
        if sentence is not None:
            moved *= (np.arange(moved.shape[1]) == sentence)[:, None, None]
        if moved.max() > most:
            most = moved.max()
            layer, in_batch, head, _ = np.unravel_index(moved.argmax(), moved.shape)
            found = kind, (int(layer), int(head), int(in_batch))
    return found


def switched(before: Switches, now: Switches) -> tuple[Switch, ...]:
    """List the switches that are not as they were."""
    was = before.named()
    return tuple(name for name, is_on in now.named().items() if is_on != was[name])


def telling_head(
    before: LabRun, now: LabRun, sentence: int | None = None
) -> tuple[AttentionKind, tuple[int, int, int]] | None:
    """Find the layer, head and sentence where what was switched shows most; None where nowhere.

    What leaks through a mask that was switched off comes first, then the row that moved most where
    a switched mask acts, then any row that moved. With a sentence, only it is looked at.
    """
    names: list[Switch] = [
        n for n in switched(before.switches, now.switches) if HIDES[n][0] in now.masks
    ]
    off: list[Switch] = [name for name in names if not now.switches.named()[name]]
    leaks: list[tuple[float, Switch]] = [
        (now.through(name, sentence).share.max(), name) for name in off
    ]
    if leaks and max(leaks)[0] > 0:
        return strongest_leak(now, max(leaks)[1], sentence)
    filled = before.switches.fill != now.switches.fill
    if filled and (found := strongest_leak(now, sentence=sentence)):
        return found
    kinds: set[AttentionKind] = {HIDES[name][0] for name in names}
    where_it_acts = largest_change(before, now, kinds, sentence)
    return where_it_acts or largest_change(before, now, sentence=sentence)


def with_fill(checkpoint: Checkpoint, fill: float) -> Transformer:
    """Return a model with another filled value over the same weights; the checkpoint's stays as is.

    A copy that shares every tensor takes less than half the time of building one and handing it the
    weights. Raises ValueError on a fill that is no number or inf.
    """
    model = checkpoint.model
    config = replace(model.config, mask_fill=fill)
    if config == model.config:
        return model
    shared: dict[int, object] = {id(t): t for t in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, {**shared, id(model.config): config})
    for module in twin.modules():
        if isinstance(module, MultiHeadAttention):
            module.mask_fill = fill
    return twin


def run_lab(checkpoint: Checkpoint, batch: LabBatch, switches: Switches) -> LabRun:
    """Run the batch under these switches, and measure what leaks."""
    model = with_fill(checkpoint, switches.fill)
    trace = masked_forward(model, batch, switches, checkpoint.anatomy.names)
    masks: dict[AttentionKind, Masks] = {}
    leaks: dict[AttentionKind, Leaks] = {}
    with torch.inference_mode():
        for kind in checkpoint.anatomy.names:
            layers = layer_count(model.config, kind)
            attentions = [attention_in(trace, kind, layer) for layer in range(layers)]
            padding, causal = _mask_parts(kind, batch, switches, model.config.window)
            masks[kind] = Masks(padding=padding, causal=causal, combined=attentions[0].mask)
            not_padding, not_future = _mask_parts(kind, batch, Switches())
            leaks[kind] = measure(
                torch.stack([attention.weights.transpose(0, 1) for attention in attentions]),
                attentions[0].mask,
                future=~not_future & not_padding,
                padding=~not_padding,
                real_rows=batch.real_rows(kind),
            )
    return LabRun(
        switches=switches, batch=batch, model=model, trace=trace, masks=masks, leaks=leaks
    )


@torch.inference_mode()
def masked_forward(
    model: Transformer, batch: LabBatch, switches: Switches, kinds: Iterable[AttentionKind]
) -> TransformerTrace:
    """Run a model once, the masks of every layer of its kinds being those of the switches."""
    by_name: dict[str, edits.Edit] = {}
    for kind in kinds:
        padding, causal = _mask_parts(kind, batch, switches, model.config.window)
        mask = padding & causal
        for layer in range(layer_count(model.config, kind)):
            weights = attention_name(kind, layer)
            by_name[weights.removesuffix("weights") + "mask"] = edits.replace(mask)
    return model(batch.source, batch.target, edits=edits.Edits(by_name))


def _mask_parts(
    kind: AttentionKind, batch: LabBatch, switches: Switches, window: int = 0
) -> tuple[Bool[Tensor, "batch query key"], Bool[Tensor, "batch query key"]]:
    """Return the padding mask and the causal mask of one kind, each open where it is off.

    A window bounds what the decoder's self-attention reads, also where it may read ahead.
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
