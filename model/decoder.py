"""The decoder stack (section 3.1 of the paper), and its cache for step-by-step decoding."""

from dataclasses import dataclass
from functools import partial

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from model.attention import NOWHERE, KeyValue, MultiHeadAttention, Where
from model.config import NormPlacement, TransformerConfig
from model.edits import NO_EDITS, Edits
from model.feed_forward import FeedForward
from model.recompute import Look
from model.stack import ResidualLayer, Stack
from model.traces import DecoderLayerTrace, DecoderTrace, present


@dataclass(frozen=True, eq=False)
class DecoderCache:
    """The keys and values of a decoding so far: an immutable value, passed from step to step."""

    self_attn: tuple[KeyValue, ...]
    """The keys and values of the target positions already decoded, for each layer."""
    cross_attn: tuple[KeyValue, ...]
    """The keys and values of the memory, computed once, for each layer; empty without a memory."""

    @classmethod
    def of(cls, trace: DecoderTrace) -> "DecoderCache":
        """Make the cache for the next step from a trace."""
        crosses = (layer.cross_attn for layer in trace.layers)
        return cls(
            self_attn=tuple(KeyValue(a.key, a.value) for a in (x.self_attn for x in trace.layers)),
            cross_attn=tuple(KeyValue(a.key, a.value) for a in crosses if a),
        )

    @property
    def length(self) -> int:
        """The number of target positions held."""
        return self.self_attn[0].key.size(2)

    @property
    def n_bytes(self) -> int:
        """The size of all keys and values held."""
        pairs = (*self.self_attn, *self.cross_attn)
        return sum(t.numel() * t.element_size() for pair in pairs for t in pair)

    def select(self, rows: Int[Tensor, " kept"]) -> "DecoderCache":
        """Keep some rows of the batch, in the order given; a row may come more than once."""

        def pick(pairs: tuple[KeyValue, ...]) -> tuple[KeyValue, ...]:
            return tuple(KeyValue(p.key[rows], p.value[rows]) for p in pairs)

        return DecoderCache(self_attn=pick(self.self_attn), cross_attn=pick(self.cross_attn))


class DecoderLayer(ResidualLayer):
    """Masked self-attention, attention to the memory, then a feed-forward network.

    A decoder without an encoder, as in GPT, has no attention to a memory.
    """

    def __init__(
        self,
        self_attn: MultiHeadAttention,
        self_attn_norm: nn.Module,
        cross_attn: MultiHeadAttention | None,
        cross_attn_norm: nn.Module | None,
        feed_forward: FeedForward | None,
        feed_forward_norm: nn.Module | None,
        *,
        placement: NormPlacement = "post",
        dropout: float = 0.0,
    ) -> None:
        super().__init__(placement, dropout=dropout)
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
        source_mask: Bool[Tensor, "#batch #target source"] | None,
        *,
        past_self: KeyValue | None = None,
        past_cross: KeyValue | None = None,
        where: Where = NOWHERE,
        edits: Edits = NO_EDITS,
    ) -> DecoderLayerTrace:
        """Follow figure 1 (right)."""
        x = edits.apply("input", x)

        read = self.enter(self.self_attn_norm, x)
        self_attn = self.self_attn(
            read, read, target_mask, past=past_self, where=where, edits=edits.part("self_attn")
        )
        after_self_attn = self.leave(self.self_attn_norm, x, self_attn.output)
        if not self.is_parallel:
            after_self_attn = edits.apply("after_self_attn", after_self_attn)

        cross_attn = after_cross_attn = None
        if self.cross_attn is not None and self.cross_attn_norm is not None:
            read = self.enter(self.cross_attn_norm, after_self_attn)
            cross_attn = self.cross_attn(
                read,
                memory,
                present(source_mask),
                past=past_cross,
                edits=edits.part("cross_attn"),
            )
            after_cross_attn = self.leave(self.cross_attn_norm, after_self_attn, cross_attn.output)
            after_cross_attn = edits.apply("after_cross_attn", after_cross_attn)

        after_attention = after_self_attn if after_cross_attn is None else after_cross_attn
        feed_forward, output = self.feed(x, after_attention, edits)

        return DecoderLayerTrace(
            input=x,
            self_attn=self_attn,
            after_self_attn=None if self.is_parallel else after_self_attn,
            cross_attn=cross_attn,
            after_cross_attn=after_cross_attn,
            feed_forward=feed_forward,
            output=edits.apply("output", output, bypass=x),
        )


class Decoder(Stack):
    """`n_decoder_layers` layers, one after the other, each reading the same memory."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config, both_ways=False)
        crosses = config.has_cross_attention
        self.layers = nn.ModuleList(
            DecoderLayer(
                self.make_attention(),
                self.make_norm(),
                self.make_attention() if crosses else None,
                self.make_norm() if crosses else None,
                self.make_feed_forward(),
                self.make_feed_forward_norm(),
                placement=config.norm_placement,
                dropout=config.dropout_rate("sublayer_output"),
            )
            for _ in range(config.n_decoder_layers)
        )

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        target_mask: Bool[Tensor, "#batch #target key"],
        source_mask: Bool[Tensor, "#batch #target source"] | None,
        *,
        cache: DecoderCache | None = None,
        edits: Edits = NO_EDITS,
        recompute: Look | None = None,
    ) -> DecoderTrace:
        """Pass the embedded target through each layer in turn.

        With a cache, `x` has only the positions that follow those in it, and `memory` is None
        because it is not read again. With `recompute`, only the input of each layer is kept.
        """
        past = cache.length if cache else 0
        given = _Given(
            memory=memory,
            target_mask=target_mask,
            source_mask=source_mask,
            cache=cache,
            where=self.where(past + x.size(1), past=past, device=x.device),
            edits=edits,
        )
        layers, x = self.run(partial(self._layer, given=given), x, recompute=recompute)
        return DecoderTrace(layers=layers, output=edits.apply("output", self.finish(x)))

    def _layer(
        self, index: int, x: Float[Tensor, "batch target d_model"], *, given: "_Given"
    ) -> DecoderLayerTrace:
        cache = given.cache
        return self.layers[index](
            x,
            given.memory,
            given.target_mask,
            given.source_mask,
            past_self=cache and cache.self_attn[index],
            past_cross=cache.cross_attn[index] if cache and cache.cross_attn else None,
            where=given.where,
            edits=given.edits.part(f"layers.{index}"),
        )


@dataclass(frozen=True, eq=False)
class _Given:
    """The arguments of every decoder layer."""

    memory: Float[Tensor, "batch source d_model"] | None
    target_mask: Bool[Tensor, "#batch #target key"]
    source_mask: Bool[Tensor, "#batch #target source"] | None
    cache: DecoderCache | None
    where: Where
    edits: Edits
