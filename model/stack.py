"""The common code of encoder and decoder: residual layers, and their parts built from a config."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.attention import NOWHERE, MultiHeadAttention, Where
from model.config import NormPlacement, TransformerConfig
from model.dropout import Dropout
from model.edits import Edits
from model.feed_forward import FeedForward
from model.interruption import may_be_interrupted
from model.norms import make_norm
from model.positions import Stretch, alibi_bias, relative_bucket, rotary_angles
from model.recompute import Look, RecomputedLayers
from model.traces import DecoderLayerTrace, EncoderLayerTrace, FeedForwardTrace

L = TypeVar("L", EncoderLayerTrace, DecoderLayerTrace)


class ResidualLayer(nn.Module):
    """A layer whose sublayers are each added to their input, with a norm after that or before."""

    feed_forward: FeedForward | None
    feed_forward_norm: nn.Module | None

    def __init__(self, placement: NormPlacement, *, dropout: float) -> None:
        super().__init__()
        self.pre_norm = placement != "post"
        self.is_parallel = placement == "parallel"
        self.dropout = Dropout(dropout)

    def enter(
        self, norm: nn.Module, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the input of the sublayer: the norm of x if the norm comes first, otherwise x."""
        return norm(x) if self.pre_norm else x

    def leave(
        self,
        norm: nn.Module,
        x: Float[Tensor, "batch position d_model"],
        output: Float[Tensor, "batch position d_model"],
    ) -> Float[Tensor, "batch position d_model"]:
        """Add the sublayer's output to its input; normalise if the norm comes last."""
        x = x + self.dropout(output)
        return x if self.pre_norm else norm(x)

    def feed(
        self,
        entered: Float[Tensor, "batch position d_model"],
        x: Float[Tensor, "batch position d_model"],
        edits: Edits,
    ) -> tuple[FeedForwardTrace | None, Float[Tensor, "batch position d_model"]]:
        """Add the feed-forward network's output for x, or for the input of a parallel layer."""
        if self.feed_forward is None or self.feed_forward_norm is None:
            return None, x
        read = self.enter(self.feed_forward_norm, entered if self.is_parallel else x)
        feed_forward = self.feed_forward(read, edits=edits.part("feed_forward"))
        return feed_forward, self.leave(self.feed_forward_norm, x, feed_forward.output)


class Stack(nn.Module):
    """A stack of layers, with a final norm in the variants that have one."""

    layers: nn.ModuleList

    def __init__(self, config: TransformerConfig, *, both_ways: bool) -> None:
        super().__init__()
        self.config = config
        self.both_ways = both_ways
        self.norm = self.make_norm() if config.final_norm else None
        self.relative = None
        if config.positions == "relative":
            self.relative = nn.Embedding(config.relative_buckets, config.n_heads)

    def make_attention(self) -> MultiHeadAttention:
        """Build one attention of a layer."""
        return MultiHeadAttention(
            self.config.d_model,
            self.config.n_heads,
            self.config.d_k,
            self.config.d_v,
            n_kv_heads=self.config.key_value_heads,
            scale=self.config.scale,
            bias=self.config.attention_bias,
            output_bias=self.config.attention_output_bias,
            mask_fill=self.config.mask_fill,
            dropout=self.config.dropout_rate("attention_weights"),
        )

    def make_feed_forward(self) -> FeedForward | None:
        """Build the feed-forward network of a layer, if layers have one."""
        if not self.config.d_ff:
            return None
        return FeedForward(
            self.config.d_model,
            self.config.d_ff,
            activation=self.config.activation,
            gated=self.config.gated,
            bias=self.config.feed_forward_bias,
            dropout=self.config.dropout_rate("feed_forward_hidden"),
        )

    def make_feed_forward_norm(self) -> nn.Module | None:
        """Build the norm of the feed-forward network."""
        return self.make_norm() if self.config.d_ff else None

    def where(self, length: int, *, past: int = 0, device: torch.device) -> Where:
        """Describe positions `past` to `length` - 1 to the self-attention of all layers."""
        config = self.config
        if config.positions == "rotary":
            angles = rotary_angles(
                past,
                length,
                config.d_k,
                share=config.rotary_share,
                base=config.rotary_base,
                stretch=Stretch(
                    config.rotary_factor,
                    config.rotary_context,
                    config.rotary_low,
                    config.rotary_high,
                ),
            )
            return Where(angles=angles.to(device))
        if config.positions == "alibi":
            return Where(bias=alibi_bias(config.n_heads, past, length).to(device))
        if self.relative is None:
            return NOWHERE
        bucket = relative_bucket(
            past,
            length,
            both_ways=self.both_ways,
            buckets=config.relative_buckets,
            max_distance=config.relative_max_distance,
        )
        return Where(bias=self.relative(bucket.to(device)).permute(2, 0, 1).unsqueeze(0))

    def run(
        self,
        compute: Callable[[int, Float[Tensor, "batch position d_model"]], L],
        x: Float[Tensor, "batch position d_model"],
        *,
        recompute: Look | None,
    ) -> tuple[Sequence[L], Float[Tensor, "batch position d_model"]]:
        """Pass x through each layer in turn; keep the trace of each layer, or only its input."""
        inputs: list[Float[Tensor, "batch position d_model"]] = []
        layers: list[L] = []
        take = layers.append if recompute is None else recompute
        for index in range(len(self.layers)):
            may_be_interrupted()
            layer = compute(index, x)
            inputs.append(x)
            x = layer.output
            take(layer)
        kept = tuple(layers) if recompute is None else RecomputedLayers(tuple(inputs), compute)
        return kept, x

    def make_norm(self) -> nn.Module:
        """Build the norm of one sublayer."""
        return make_norm(self.config.norm, self.config.d_model, self.config.norm_eps)

    def finish(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Apply the final norm, if there is one."""
        return x if self.norm is None else self.norm(x)
