"""The decoder stack (section 3.1 of the paper), and the cache that lets it go on step by step."""

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from model.attention import KeyValue, MultiHeadAttention
from model.config import TransformerConfig
from model.edits import NO_EDITS, Edits
from model.feed_forward import FeedForward
from model.stack import ResidualLayer, Stack
from model.traces import DecoderLayerTrace, DecoderTrace


@dataclass(frozen=True, eq=False)
class DecoderCache:
    """Keys and values of one decoding so far: a value, handed from step to step."""

    self_attn: tuple[KeyValue, ...]
    """For each layer, those of the target positions already decoded."""
    cross_attn: tuple[KeyValue, ...]
    """For each layer, those of the memory, computed once."""

    @classmethod
    def of(cls, trace: DecoderTrace) -> "DecoderCache":
        """Keep what the next step would compute again."""
        return cls(
            self_attn=tuple(KeyValue(a.key, a.value) for a in (x.self_attn for x in trace.layers)),
            cross_attn=tuple(
                KeyValue(a.key, a.value) for a in (x.cross_attn for x in trace.layers)
            ),
        )

    @property
    def length(self) -> int:
        """Number of target positions held."""
        return self.self_attn[0].key.size(2)

    @property
    def n_bytes(self) -> int:
        """Size of all keys and values held."""
        pairs = (*self.self_attn, *self.cross_attn)
        return sum(t.numel() * t.element_size() for pair in pairs for t in pair)

    def select(self, rows: Int[Tensor, " kept"]) -> "DecoderCache":
        """Keep some rows of the batch, in the order given; a row may come more than once."""

        def pick(pairs: tuple[KeyValue, ...]) -> tuple[KeyValue, ...]:
            return tuple(KeyValue(p.key[rows], p.value[rows]) for p in pairs)

        return DecoderCache(self_attn=pick(self.self_attn), cross_attn=pick(self.cross_attn))


class DecoderLayer(ResidualLayer):
    """Masked self-attention, attention to the memory, then a feed-forward network."""

    def __init__(
        self,
        self_attn: MultiHeadAttention,
        self_attn_norm: nn.Module,
        cross_attn: MultiHeadAttention,
        cross_attn_norm: nn.Module,
        feed_forward: FeedForward,
        feed_forward_norm: nn.Module,
        *,
        pre_norm: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(pre_norm=pre_norm, dropout=dropout)
        self.self_attn = self_attn
        self.self_attn_norm = self_attn_norm
        self.cross_attn = cross_attn
        self.cross_attn_norm = cross_attn_norm
        self.feed_forward = feed_forward
        self.feed_forward_norm = feed_forward_norm

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        target_mask: Bool[Tensor, "#batch #target key"],
        source_mask: Bool[Tensor, "#batch #target source"],
        *,
        past_self: KeyValue | None = None,
        past_cross: KeyValue | None = None,
        edits: Edits = NO_EDITS,
    ) -> DecoderLayerTrace:
        """Follow figure 1 (right)."""
        x = edits.apply("input", x)

        read = self.enter(self.self_attn_norm, x)
        self_attn = self.self_attn(
            read, read, target_mask, past=past_self, edits=edits.part("self_attn")
        )
        after_self_attn = self.leave(self.self_attn_norm, x, self_attn.output)
        after_self_attn = edits.apply("after_self_attn", after_self_attn)

        read = self.enter(self.cross_attn_norm, after_self_attn)
        cross_attn = self.cross_attn(
            read, memory, source_mask, past=past_cross, edits=edits.part("cross_attn")
        )
        after_cross_attn = self.leave(self.cross_attn_norm, after_self_attn, cross_attn.output)
        after_cross_attn = edits.apply("after_cross_attn", after_cross_attn)

        read = self.enter(self.feed_forward_norm, after_cross_attn)
        feed_forward = self.feed_forward(read, edits=edits.part("feed_forward"))
        output = self.leave(self.feed_forward_norm, after_cross_attn, feed_forward.output)

        return DecoderLayerTrace(
            input=x,
            self_attn=self_attn,
            after_self_attn=after_self_attn,
            cross_attn=cross_attn,
            after_cross_attn=after_cross_attn,
            feed_forward=feed_forward,
            output=edits.apply("output", output, bypass=x),
        )


class Decoder(Stack):
    """`n_decoder_layers` layers, one after the other, each reading the same memory."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.layers = nn.ModuleList(
            DecoderLayer(
                self.make_attention(),
                self.make_norm(),
                self.make_attention(),
                self.make_norm(),
                self.make_feed_forward(),
                self.make_norm(),
                pre_norm=config.norm_placement == "pre",
                dropout=config.dropout_rate("sublayer_output"),
            )
            for _ in range(config.n_decoder_layers)
        )

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        target_mask: Bool[Tensor, "#batch #target key"],
        source_mask: Bool[Tensor, "#batch #target source"],
        *,
        cache: DecoderCache | None = None,
        edits: Edits = NO_EDITS,
    ) -> DecoderTrace:
        """Pass the embedded target through each layer in turn.

        With a cache, `x` is only the positions that follow those in it, and the memory is not read
        again: pass None.
        """
        layers: list[DecoderLayerTrace] = []
        for i, layer in enumerate(self.layers):
            layers.append(
                layer(
                    x,
                    memory,
                    target_mask,
                    source_mask,
                    past_self=cache and cache.self_attn[i],
                    past_cross=cache and cache.cross_attn[i],
                    edits=edits.part(f"layers.{i}"),
                )
            )
            x = layers[-1].output
        return DecoderTrace(layers=tuple(layers), output=edits.apply("output", self.finish(x)))
