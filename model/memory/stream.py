"""A trace that keeps only the residual stream, and computes everything else again on access."""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import TransformerConfig
from model.edits import NO_EDITS, Edits
from model.recompute import Look, on_cpu
from model.traces import TransformerTrace, present

if TYPE_CHECKING:
    from model.transformer import Transformer

MOST_KEPT = 64_000_000
"""The size of a whole trace, in bytes, from which only its residual stream is kept."""


class RecomputedTrace(TransformerTrace):
    """A trace that also computes logits again, as those over 50,000 words are its largest part."""

    def __init__(self, trace: TransformerTrace, model: "Transformer", edits: Edits) -> None:
        for name in ("source_embedding", "encoder", "target_embedding", "decoder"):
            object.__setattr__(self, name, getattr(trace, name))
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_edits", edits)

    @property
    def logits(self) -> Float[Tensor, "batch position vocab"] | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The logits over the predicted vocabulary."""
        return self._generated()[0]

    @property
    def output(self) -> Float[Tensor, "batch position vocab"] | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The output of the variant."""
        return self._generated()[1]

    @torch.inference_mode()
    def logit_row(self, index: int) -> Float[Tensor, " vocab"]:
        """Compute the logits of one position only."""
        logits, _ = self._generated(slice(index, index + 1))
        return present(logits)[0, 0]

    @torch.inference_mode()
    def _generated(self, rows: slice = slice(None)) -> tuple[Tensor, Tensor] | tuple[None, None]:
        model: Transformer = self._model  # pyright: ignore[reportAttributeAccessIssue]
        if model.generator is None:
            return None, None
        hidden = present(self.decoder or self.encoder).output[:, rows]
        made = model.generate(hidden.to(model.generator.weight), edits=self._edits)  # pyright: ignore[reportAttributeAccessIssue]
        return on_cpu(made)


@torch.inference_mode()
def trace_stream(
    model: "Transformer",
    source: Int[Tensor, "batch source"] | None,
    target: Int[Tensor, "batch target"] | None,
    *,
    edits: Edits = NO_EDITS,
    look: Look = lambda _layer: None,
) -> RecomputedTrace:
    """Run a model and keep the input of each layer, on the model's device.

    Every tensor is available by name. On access it is computed again in the model's precision, and
    returned in float32 on the CPU. `look` is called with each layer when it is first computed.
    """
    streamed = model(source, target, edits=edits, recompute=look)
    return RecomputedTrace(on_cpu(streamed), model, edits)


def is_streamed(model: "Transformer", source: int, target: int) -> bool:
    """Return whether a trace of so many tokens is too large to keep, or is computed in fewer bits.

    Tensors computed in fewer bits are shown in float32, which would take twice their size.
    """
    return model.precision is not None or trace_bytes(model.config, source, target) > MOST_KEPT


def trace_bytes(config: TransformerConfig, source: int, target: int) -> int:
    """Estimate the size of a whole trace of so many tokens, in float32 bytes."""
    heads = config.n_heads * (config.d_k + config.d_v) + config.key_value_heads * (
        config.d_k + config.d_v
    )
    attention = heads + config.d_model
    layer = 3 * config.d_model + attention + config.d_ff
    cells = config.n_encoder_layers * source**2 + config.n_decoder_layers * target**2
    rows = config.n_encoder_layers * source + config.n_decoder_layers * target
    numbers = rows * layer + config.n_heads * cells
    if config.has_cross_attention:
        numbers += config.n_decoder_layers * target * (attention + config.n_heads * source)
    predicted = target if config.has_decoder else source
    vocabulary = config.predicted_vocab_size if config.head != "none" else 0
    return 4 * (numbers + predicted * vocabulary)
