"""Encodes weights for the browser: two bytes each, in smaller matrices for a long run."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, UInt16
from torch import Tensor

from model.anatomy import Site, SiteName
from model.recompute import on_cpu
from model.traces import AttentionTrace, DecoderLayerTrace, EncoderLayerTrace, TransformerTrace

CODE_ONE = 50_000
"""A weight of 1. Codes up to it are weights, in steps fine enough to add up over long texts."""
CODE_COVERED = 65_533
"""A cell that a question hides: its weight is not sent."""
CODE_NAN = 65_534
CODE_MASKED = 65_535
"""A masked cell whose weight is exactly 0."""
MOST_CODES = 650_000
"""Most weights of all heads together; a run with more is sent with its larger matrices reduced."""

_SHADES = 200
"""Levels of a weight in a reduced matrix: enough for its colours, and few for the network."""


class Codes:
    """The encoded weights of every head of a run, taken layer by layer."""

    def __init__(self, sites: Sequence[Site], *, source: int, target: int) -> None:
        """Expect the layers of a run over this many source tokens and target rows."""
        lengths = {"source": source, "target": target}
        heads = sum(site.layers * site.heads for site in sites)
        cells = sum(
            site.layers * site.heads * lengths[site.queries] * lengths[site.keys] for site in sites
        )
        self._sites = sites
        self._side = None if cells <= MOST_CODES else math.isqrt(MOST_CODES // heads)
        self.stacks: dict[SiteName, list[UInt16[np.ndarray, "head row column"]]] = {}
        """The matrices of each layer, by kind."""
        self.sizes: dict[SiteName, tuple[int, int]] = {}
        """Rows and columns before the reduction."""

    def take(self, layer: EncoderLayerTrace | DecoderLayerTrace) -> None:
        """Encode the attentions of the next layer of its stack."""
        stack = "encoder" if isinstance(layer, EncoderLayerTrace) else "decoder"
        for site in self._sites:
            if site.stack == stack:
                attention: AttentionTrace = getattr(layer, site.part)
                rows, columns = attention.weights.shape[-2:]
                self.sizes[site.name] = rows, columns
                self.stacks.setdefault(site.name, []).append(_encode(attention, self._side))

    def take_all(self, trace: TransformerTrace) -> None:
        """Encode the attentions of all layers."""
        for stack in (trace.encoder, trace.decoder):
            for layer in stack.layers if stack else ():
                self.take(layer)


def encode_weights(
    weights: Float[np.ndarray, "*stack query key"], mask: Bool[np.ndarray, "query key"]
) -> UInt16[np.ndarray, "*stack query key"]:
    """Encode each weight in two bytes, with codes for a masked weight and for NaN."""
    codes = np.rint(np.nan_to_num(weights) * CODE_ONE).clip(0, CODE_ONE).astype(np.uint16)
    codes[np.broadcast_to(~mask, weights.shape) & (weights == 0)] = CODE_MASKED
    codes[np.isnan(weights)] = CODE_NAN
    return codes


def reduce_matrices(matrices: Tensor, side: int) -> Tensor:
    """Reduce matrices to at most `side` rows and columns; each cell is the maximum of its part."""
    for axis in (-2, -1):
        size = matrices.size(axis)
        if size > side:
            ends = [(i + 1) * size // side for i in range(side)]
            counts = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
            parts = matrices.split(counts, dim=axis)
            matrices = torch.stack([part.amax(dim=axis) for part in parts], dim=axis)
    return matrices


def _encode(attention: AttentionTrace, side: int | None) -> UInt16[np.ndarray, "head row column"]:
    weights = attention.weights[0]
    mask = attention.mask[0].expand(weights.shape[-2:])
    if side is None or max(weights.shape[-2:]) <= side:
        return encode_weights(on_cpu(weights).numpy(), mask.cpu().numpy())
    small = on_cpu(reduce_matrices(weights, side)).numpy()
    return encode_weights(
        np.rint(small * _SHADES) / _SHADES, reduce_matrices(mask, side).cpu().numpy()
    )
