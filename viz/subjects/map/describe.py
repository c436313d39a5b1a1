"""Describes the map of a model: the blocks of the paper's figure 1, as the config has them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from model.anatomy import Side
from model.config import TransformerConfig
from model.tensor_names import names_by_module
from texts import say, say_of
from viz.run.axes import AttentionKind
from viz.run.record import Run
from viz.subjects.map import words
from viz.subjects.map.blocks import Block, MaskName, ModelMap, PlaceName, StackName
from viz.subjects.map.recorded_map import as_recorded


def describe(run: Run) -> ModelMap:
    """Describe the map of the model that ran."""
    config = run.info.config
    stacks: dict[StackName, _Builder] = {
        stack.name: _Builder(config, stack.name) for stack in run.anatomy.stacks
    }
    blocks = tuple(block for builder in stacks.values() for block in builder.blocks())
    return ModelMap(
        blocks=as_recorded(blocks, run) if run.anatomy.is_recorded else blocks,
        layers={name: builder.n_layers for name, builder in stacks.items()},
        d_model=config.d_model,
        heads=config.n_heads,
        pre_norm=config.norm_placement == "pre",
        parallel=config.norm_placement == "parallel",
        ties=_ties(config),
    )


def _ties(config: TransformerConfig) -> tuple[tuple[str, str], ...]:
    """Pair the blocks that share their weights."""
    if config.tying == "none":
        return ()
    if not config.has_cross_attention:
        side = "target" if config.has_decoder else "source"
        return () if config.head == "none" else ((f"{side}_embedding", "generator"),)
    both = (("source_embedding", "target_embedding"), ("target_embedding", "generator"))
    return both[1:] if config.tying == "decoder" else both


@dataclass(frozen=True)
class _Builder:
    """Makes the blocks of one stack."""

    config: TransformerConfig
    stack: StackName

    @property
    def side(self) -> Side:
        return "source" if self.stack == "encoder" else "target"

    @property
    def n_layers(self) -> int:
        encodes = self.stack == "encoder"
        return self.config.n_encoder_layers if encodes else self.config.n_decoder_layers

    def blocks(self) -> tuple[Block, ...]:
        """List the stack's blocks from its input up."""
        layers = (block for layer in range(self.n_layers) for block in self._layer(layer))
        found = [*self._inputs(), *layers, *self._end()]
        return tuple(_with_stack_output(found, f"{self.stack}.output"))

    def _block(self, **fields: Any) -> Block:  # noqa: ANN401 - fields of a block
        defaults = {
            "stack": self.stack,
            "layer": None,
            "note": "",
            "holds": (),
            "shape": (self.side, self.config.d_model),
            "short": fields["label"],
        }
        return Block(**(defaults | fields))

    def _inputs(self) -> Iterator[Block]:
        config, name = self.config, f"{self.side}_embedding"
        tokens, positions, output = (f"{name}.{part}" for part in ("tokens", "positions", "output"))
        first = f"{self.stack}.layers.0.input"
        has_positions, is_one_text = config.has_position_vectors, not config.has_cross_attention
        sums = has_positions or config.segments > 0
        own = (tokens,) if has_positions else (tokens, positions)
        yield self._block(
            id=self.side,
            role="tokens",
            label="",
            note="" if self.stack == "encoder" or is_one_text else say("map.shifted"),
            tensor=tokens,
            shape=(self.side,),
            sentence=words.tokens_of(config, self.side),
            pictured=False,
        )
        yield self._block(
            id=name,
            role="embedding",
            label=say("map.embedding") if is_one_text else say_of("map.embedding_of", self.side),
            short=say("map.embedding"),
            note=f"× √{config.d_model}" if config.scale_embeddings else "",
            tensor=tokens,
            holds=own if sums or config.embedding_norm else (*own, output, first),
            sentence=words.embedding(config, self.side),
        )
        if sums:
            yield from self._added(name, (output, first))
        if config.embedding_norm:
            yield self._block(
                id=f"{name}.norm",
                role="embedding_norm",
                label=say("map.norm"),
                note=words.norm_name(config),
                tensor=output,
                holds=(output, first),
                sentence=words.norm(config),
            )

    def _added(self, name: str, sums: tuple[str, str]) -> Iterator[Block]:
        """Make the block of the vectors added to the embedding, and the block of their sum.

        The first layer reads the sum. If a norm follows, the sum itself is not captured, and its
        block opens the norm's output.
        """
        config = self.config
        if config.has_position_vectors:
            yield self._block(
                id=f"{name}.positions",
                role="positions",
                label=say("map.positions"),
                note=words.position_name(config.positions),
                tensor=f"{name}.positions",
                holds=(f"{name}.positions",),
                sentence=words.positions(config),
            )
        if config.segments:
            yield self._block(
                id=f"{name}.segments",
                role="segments",
                label=say("map.segments"),
                tensor=f"{name}.segments",
                holds=(f"{name}.segments",),
                sentence=say("map.segments_say"),
            )
        yield self._block(
            id=f"{name}.sum",
            role="sum",
            label=say("map.sum"),
            tensor=sums[0],
            holds=() if config.embedding_norm else sums,
            sentence=say("map.sum_says"),
        )

    def _layer(self, layer: int) -> Iterator[Block]:
        path = f"{self.stack}.layers.{layer}"
        kinds: dict[str, AttentionKind] = {"self_attn": "encoder self-attention"}
        if self.stack == "decoder":
            kinds = {"self_attn": "decoder self-attention"}
            if self.config.has_cross_attention:
                kinds["cross_attn"] = "cross-attention"
        last = layer + 1 == self.n_layers
        results = (f"{path}.output", *(() if last else (f"{self.stack}.layers.{layer + 1}.input",)))
        if self.config.norm_placement == "parallel":
            yield from self._side_by_side(layer, kinds["self_attn"], results)
            return
        x = f"{path}.input"
        for part, kind in kinds.items():
            after = f"{path}.after_{part}"
            ends = self.config.d_ff == 0 and part == list(kinds)[-1]
            given = (after, *results) if ends else (after,)
            yield from self._with_norm(self._attention(layer, part, kind), x, given)
            x = after
        if self.config.d_ff:
            yield from self._with_norm(self._feed_forward(layer), x, results)

    def _side_by_side(
        self, layer: int, kind: AttentionKind, results: tuple[str, ...]
    ) -> Iterator[Block]:
        """Yield each sublayer with its norm, and the one addition of both."""
        path = f"{self.stack}.layers.{layer}"
        sublayers = [self._attention(layer, "self_attn", kind)]
        if self.config.d_ff:
            sublayers.append(self._feed_forward(layer))
        for sublayer in sublayers:
            yield self._norm_before(sublayer, f"{path}.input")
            yield sublayer
        yield self._block(
            layer=layer,
            id=f"{path}.add",
            role="add",
            label=say("map.add"),
            tensor=results[0],
            holds=results,
            sentence=say("map.add_says"),
        )

    def _norm_before(self, sublayer: Block, x: str) -> Block:
        return self._block(
            layer=sublayer.layer,
            id=f"{sublayer.id}_norm",
            role="norm",
            label=say("map.norm"),
            note=words.norm_name(self.config),
            tensor=x,
            sentence=words.norm(self.config),
            pictured=False,
        )

    def _with_norm(self, sublayer: Block, x: str, results: tuple[str, ...]) -> Iterator[Block]:
        """Put the norm in this variant's place, and add the addition that ends the residual."""
        norm, pre = words.norm_name(self.config), self.config.norm_placement == "pre"
        if pre:
            yield self._norm_before(sublayer, x)
        yield sublayer
        yield self._block(
            layer=sublayer.layer,
            id=f"{sublayer.id}_add" if pre else f"{sublayer.id}_norm",
            role="add" if pre else "add_norm",
            label=say("map.add") if pre else say("map.add_norm"),
            short=say("map.add") if pre else say("map.add_norm_short"),
            note="" if pre else norm,
            tensor=results[0],
            holds=results,
            sentence=say("map.add_says") if pre else words.add_norm(self.config),
        )

    def _attention(self, layer: int, part: str, kind: AttentionKind) -> Block:
        name, config = f"{self.stack}.layers.{layer}.{part}", self.config
        masks = _masks(config, kind)
        crosses = kind == "cross-attention"
        keys = "source" if crosses else self.side
        label = say("map.cross_attention" if crosses else "map.self_attention")
        return self._block(
            id=name,
            layer=layer,
            role="attention",
            label=say("map.masked_attention") if "causal" in masks else label,
            short=say("map.cross_attention_short") if crosses else label,
            note=words.heads(config),
            tensor=f"{name}.weights",
            holds=names_by_module(self.config)[name],
            shape=(config.n_heads, self.side, keys),
            sentence=words.attention(config, kind, masks),
            pictured=False,
            kind=kind,
            masks=masks,
            place=_place(config, kind),
        )

    def _feed_forward(self, layer: int) -> Block:
        name = f"{self.stack}.layers.{layer}.feed_forward"
        return self._block(
            id=name,
            layer=layer,
            role="feed_forward",
            label=say("map.feed_forward"),
            tensor=f"{name}.hidden",
            holds=names_by_module(self.config)[name],
            shape=(self.side, self.config.d_ff),
            sentence=words.feed_forward(self.config),
        )

    def _end(self) -> Iterator[Block]:
        if self.config.final_norm:
            yield self._block(
                id=f"{self.stack}.norm",
                role="final_norm",
                label=say("map.final_norm"),
                short=say("map.norm"),
                note=words.norm_name(self.config),
                tensor=f"{self.stack}.output",
                sentence=words.norm(self.config),
            )
        is_last = self.stack == "decoder" or not self.config.has_decoder
        if is_last and self.config.head == "transform":
            yield self._block(
                id="transform",
                role="transform",
                label=say("map.transform"),
                tensor=f"{self.stack}.output",
                sentence=words.transform(self.config),
                pictured=False,
            )
        if is_last and self.config.head != "none":
            yield from self._predictions()

    def _predictions(self) -> Iterator[Block]:
        config = self.config
        logits = (self.side, config.predicted_vocab_size)
        hands_on_logits = config.output == "logits"
        yield self._block(
            id="generator",
            role="linear",
            label=say("map.linear"),
            tensor="logits",
            holds=("logits", "output") if hands_on_logits else ("logits",),
            shape=logits,
            sentence=words.linear(config),
        )
        yield self._block(
            id="output",
            role="output",
            label=say("map.log_softmax") if config.output == "log_softmax" else say("map.softmax"),
            note=say("map.when_decoding") if hands_on_logits and config.has_decoder else "",
            tensor="probabilities" if hands_on_logits else "output",
            holds=("probabilities",) if hands_on_logits else ("output",),
            shape=logits,
            sentence=words.output(config),
            pictured=False,
            outside=hands_on_logits,
        )
        yield self._block(
            id="candidates",
            role="candidates",
            label=say("map.probabilities"),
            short=say("map.probabilities_short"),
            tensor="probabilities",
            holds=() if hands_on_logits else ("probabilities",),
            shape=logits,
            sentence=say("map.candidates"),
            pictured=False,
        )


def _masks(config: TransformerConfig, kind: AttentionKind) -> tuple[MaskName, ...]:
    """Name the masks that act on one kind of attention."""
    causal = kind == "decoder self-attention" and config.causal_mask
    encodes = kind == "encoder self-attention"
    padding = config.encoder_padding_mask if encodes else config.decoder_padding_mask
    window = causal and config.window > 0
    found: dict[MaskName, bool] = {"causal": causal, "window": window, "padding": padding}
    return tuple(name for name, is_on in found.items() if is_on)


def _place(config: TransformerConfig, kind: AttentionKind) -> PlaceName | None:
    if config.positions not in ("rotary", "alibi", "relative") or kind == "cross-attention":
        return None
    return config.positions


def _with_stack_output(blocks: list[Block], name: str) -> Iterator[Block]:
    """Yield the last block of the stack, which gives its output: the final norm, or a layer."""
    ending = ("final_norm", "add_norm", "add")
    last = max(i for i, block in enumerate(blocks) if block.role in ending)
    for i, block in enumerate(blocks):
        yield replace(block, holds=(*block.holds, name)) if i == last else block
