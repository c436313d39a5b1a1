"""The encoder stack (section 3.1 of the paper)."""

from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn

from model.attention import NOWHERE, MultiHeadAttention, Where
from model.config import NormPlacement, TransformerConfig
from model.edits import NO_EDITS, Edits
from model.feed_forward import FeedForward
from model.recompute import Look
from model.stack import ResidualLayer, Stack
from model.traces import EncoderLayerTrace, EncoderTrace


class EncoderLayer(ResidualLayer):
    """Self-attention, then a feed-forward network."""

    def __init__(
        self,
        self_attn: MultiHeadAttention,
        self_attn_norm: nn.Module,
        feed_forward: FeedForward | None,
        feed_forward_norm: nn.Module | None,
        *,
        placement: NormPlacement = "post",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(placement, dropout=dropout)
        self.self_attn = self_attn
        self.self_attn_norm = self_attn_norm
        self.feed_forward = feed_forward
        self.feed_forward_norm = feed_forward_norm

    def forward(
        self,
        x: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "#batch #source source"],
        *,
        where: Where = NOWHERE,
        edits: Edits = NO_EDITS,
    ) -> EncoderLayerTrace:
        """Follow figure 1 (left)."""
        x = edits.apply("input", x)

        read = self.enter(self.self_attn_norm, x)
        self_attn = self.self_attn(read, read, mask, where=where, edits=edits.part("self_attn"))
        after_self_attn = self.leave(self.self_attn_norm, x, self_attn.output)
        if not self.is_parallel:
            after_self_attn = edits.apply("after_self_attn", after_self_attn)

        feed_forward, output = self.feed(x, after_self_attn, edits)

        return EncoderLayerTrace(
            input=x,
            self_attn=self_attn,
            after_self_attn=None if self.is_parallel else after_self_attn,
            feed_forward=feed_forward,
            output=edits.apply("output", output, bypass=x),
        )


class Encoder(Stack):
    """`n_encoder_layers` layers, one after the other."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, both_ways=True)
        self.layers = nn.ModuleList(
            EncoderLayer(
                self.make_attention(),
                self.make_norm(),
                self.make_feed_forward(),
                self.make_feed_forward_norm(),
                placement=config.norm_placement,
                dropout=config.dropout_rate("sublayer_output"),
            )
            for _ in range(config.n_encoder_layers)
        )

    def forward(
        self,
        x: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "#batch #source source"],
        *,
        edits: Edits = NO_EDITS,
        recompute: Look | None = None,
    ) -> EncoderTrace:
        """Pass the embedded source through each layer in turn.

        With `recompute`, only the input of each layer is kept.
        """
        where = self.where(x.size(1), device=x.device)
        compute = partial(self._layer, mask=mask, where=where, edits=edits)
        layers, x = self.run(compute, x, recompute=recompute)
        return EncoderTrace(layers=layers, output=edits.apply("output", self.finish(x)))

    def _layer(
        self,
        index: int,
        x: Float[Tensor, "batch source d_model"],
        *,
        mask: Bool[Tensor, "#batch #source source"],
        where: Where,
        edits: Edits,
    ) -> EncoderLayerTrace:
        return self.layers[index](x, mask, where=where, edits=edits.part(f"layers.{index}"))
