"""The map of a run: the blocks of the paper's figure 1, as the config has them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from model.config import TransformerConfig
from viz.run.record import AttentionKind, Run
from viz.subjects.map import words
from viz.subjects.map.blocks import Block, MaskName, ModelMap, StackName


def describe(run: Run) -> ModelMap:
    """Draw up the map of the model that ran, with the shapes of this run."""
    config = run.info.config
    sizes = {"encoder": len(run.source.ids), "decoder": len(run.target_tokens) - 1}
    encoder = _Builder(config, "encoder", sizes["encoder"], sizes["encoder"])
    decoder = _Builder(config, "decoder", sizes["decoder"], sizes["encoder"])
    ties = {
        "none": (),
        "decoder": (("target_embedding", "generator"),),
        "all": (("source_embedding", "target_embedding"), ("target_embedding", "generator")),
    }
    return ModelMap(
        blocks=(*encoder.blocks(), *decoder.blocks()),
        layers={"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers},
        widths={"encoder": encoder.width, "decoder": decoder.width},
        heads=config.n_heads,
        pre_norm=config.norm_placement == "pre",
        ties=ties[config.tying],
    )


def shape_text(*sizes: int) -> str:
    """Write a shape."""
    return " × ".join(map(str, sizes))


@dataclass(frozen=True)
class _Builder:
    """Makes the blocks of one stack; `length` and `memory` count its tokens and the encoder's."""

    config: TransformerConfig
    stack: StackName
    length: int
    memory: int

    @property
    def side(self) -> str:
        return "source" if self.stack == "encoder" else "target"

    @property
    def width(self) -> str:
        return shape_text(self.length, self.config.d_model)

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
            "shape": self.width,
            "short": fields["label"],
        }
        return Block(**(defaults | fields))

    def _inputs(self) -> Iterator[Block]:
        config, name = self.config, f"{self.side}_embedding"
        tokens, positions, output = (f"{name}.{part}" for part in ("tokens", "positions", "output"))
        first = f"{self.stack}.layers.0.input"
        has_positions = config.positions != "none"
        yield self._block(
            id=self.side,
            role="tokens",
            label=words.tokens_label(self.side, self.length),
            note="" if self.stack == "encoder" else words.SHIFTED,
            tensor=tokens,
            shape=shape_text(self.length),
            sentence=words.tokens(self.side),
            pictured=False,
        )
        yield self._block(
            id=name,
            role="embedding",
            label=words.embedding_label(self.side),
            short=words.EMBEDDING,
            note=f"× √{config.d_model}" if config.scale_embeddings else "",
            tensor=tokens,
            holds=(tokens,) if has_positions else (tokens, positions, output, first),
            sentence=words.embedding(config, self.side),
        )
        if has_positions:
            yield from self._positions(name, (output, first))

    def _positions(self, name: str, sums: tuple[str, str]) -> Iterator[Block]:
        """Make what is added to the embedding, and the sum, which the first layer reads."""
        yield self._block(
            id=f"{name}.positions",
            role="positions",
            label=words.POSITIONS,
            note=words.position_name(self.config.positions),
            tensor=f"{name}.positions",
            holds=(f"{name}.positions",),
            sentence=words.positions(self.config),
        )
        yield self._block(
            id=f"{name}.sum",
            role="sum",
            label=words.SUM,
            tensor=sums[0],
            holds=sums,
            sentence=words.embedding_sum(self.stack),
        )

    def _layer(self, layer: int) -> Iterator[Block]:
        path = f"{self.stack}.layers.{layer}"
        kinds: dict[str, AttentionKind] = {"self_attn": "encoder self-attention"}
        if self.stack == "decoder":
            kinds = {"self_attn": "decoder self-attention", "cross_attn": "cross-attention"}
        x = f"{path}.input"
        for part, kind in kinds.items():
            after = f"{path}.after_{part}"
            yield from self._with_norm(self._attention(layer, part, kind), x, (after,))
            x = after
        last = layer + 1 == self.n_layers
        results = (f"{path}.output", *(() if last else (f"{self.stack}.layers.{layer + 1}.input",)))
        yield from self._with_norm(self._feed_forward(layer), x, results)

    def _with_norm(self, sublayer: Block, x: str, results: tuple[str, ...]) -> Iterator[Block]:
        """Put the norm where this variant has it, and the addition that ends the residual."""
        norm, pre = words.NORM_NAMES[self.config.norm], self.config.norm_placement == "pre"
        if pre:
            yield self._block(
                layer=sublayer.layer,
                id=f"{sublayer.id}_norm",
                role="norm",
                label=words.NORM,
                note=norm,
                tensor=x,
                sentence=words.norm_before(self.config),
                pictured=False,
            )
        yield sublayer
        yield self._block(
            layer=sublayer.layer,
            id=f"{sublayer.id}_add" if pre else f"{sublayer.id}_norm",
            role="add" if pre else "add_norm",
            label=words.ADD if pre else words.ADD_NORM,
            short=words.ADD if pre else words.ADD_NORM_SHORT,
            note="" if pre else norm,
            tensor=results[0],
            holds=results,
            sentence=words.add() if pre else words.add_norm(self.config),
        )

    def _attention(self, layer: int, part: str, kind: AttentionKind) -> Block:
        name, config = f"{self.stack}.layers.{layer}.{part}", self.config
        masks = _masks(config, kind)
        crosses = kind == "cross-attention"
        keys = self.memory if crosses else self.length
        label = words.CROSS_ATTENTION if crosses else words.SELF_ATTENTION
        parts = ("query", "key", "value", "scores", "mask", "weights", "heads", "output")
        return self._block(
            id=name,
            layer=layer,
            role="attention",
            label=words.MASKED_ATTENTION if "causal" in masks else label,
            short=label,
            note=words.count(config.n_heads, "head"),
            tensor=f"{name}.weights",
            holds=tuple(f"{name}.{each}" for each in parts),
            shape=shape_text(config.n_heads, self.length, keys),
            sentence=words.attention(config, kind, masks),
            pictured=False,
            kind=kind,
            masks=masks,
        )

    def _feed_forward(self, layer: int) -> Block:
        name = f"{self.stack}.layers.{layer}.feed_forward"
        return self._block(
            id=name,
            layer=layer,
            role="feed_forward",
            label=words.FEED_FORWARD,
            tensor=f"{name}.hidden",
            holds=(f"{name}.hidden", f"{name}.output"),
            shape=shape_text(self.length, self.config.d_ff),
            sentence=words.feed_forward(self.config),
        )

    def _end(self) -> Iterator[Block]:
        if self.config.final_norm:
            yield self._block(
                id=f"{self.stack}.norm",
                role="final_norm",
                label=words.FINAL_NORM,
                short=words.NORM,
                note=words.NORM_NAMES[self.config.norm],
                tensor=f"{self.stack}.output",
                sentence=words.final_norm(self.config, self.stack),
            )
        if self.stack == "decoder":
            yield from self._predictions()

    def _predictions(self) -> Iterator[Block]:
        config = self.config
        logits = shape_text(self.length, config.target_vocab_size)
        hands_on_logits = config.output == "logits"
        yield self._block(
            id="generator",
            role="linear",
            label=words.LINEAR,
            tensor="logits",
            holds=("logits", "output") if hands_on_logits else ("logits",),
            shape=logits,
            sentence=words.linear(config),
        )
        yield self._block(
            id="output",
            role="output",
            label=words.LOG_SOFTMAX if config.output == "log_softmax" else words.SOFTMAX,
            note=words.WHEN_DECODING if hands_on_logits else "",
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
            label=words.PROBABILITIES,
            short=words.PROBABILITIES_SHORT,
            tensor="probabilities",
            holds=() if hands_on_logits else ("probabilities",),
            shape=logits,
            sentence=words.CANDIDATES,
            pictured=False,
        )


def _masks(config: TransformerConfig, kind: AttentionKind) -> tuple[MaskName, ...]:
    """Name the masks that act on one kind of attention."""
    causal = kind == "decoder self-attention" and config.causal_mask
    encodes = kind == "encoder self-attention"
    padding = config.encoder_padding_mask if encodes else config.decoder_padding_mask
    return (*(("causal",) if causal else ()), *(("padding",) if padding else ()))


def _with_stack_output(blocks: list[Block], name: str) -> Iterator[Block]:
    """Say that the last block of the stack itself gives its output: the final norm, or a layer."""
    ending = ("final_norm", "add_norm", "add")
    last = max(i for i, block in enumerate(blocks) if block.role in ending)
    for i, block in enumerate(blocks):
        yield replace(block, holds=(*block.holds, name)) if i == last else block
