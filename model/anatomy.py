"""The anatomy of a model: its stacks, its attentions and their masks, read off one pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from model.config import NormPlacement, Positions, Side
from model.traces import (
    AttentionTrace,
    DecoderLayerTrace,
    EncoderLayerTrace,
    TransformerTrace,
    present,
)
from model.transformer import Transformer

SiteName = Literal["encoder self-attention", "decoder self-attention", "cross-attention"]
SITE_NAMES: tuple[SiteName, ...] = get_args(SiteName)
StackName = Literal["encoder", "decoder"]
Placement = NormPlacement | Literal["both"]
"""With both, there is a norm before each sublayer and another after it, inside the residual
connection."""

_PROBED = 6
"""The number of tokens in the pass from which an anatomy is read."""
_ROUNDING = 1e-3
"""The largest difference allowed between sums, as a share of their largest number."""


@dataclass(frozen=True)
class Site:
    """One kind of attention of a model, the same in each layer of its stack."""

    name: SiteName
    stack: StackName
    part: Literal["self_attn", "cross_attn"]
    layers: int
    heads: int
    kv_heads: int
    """The number of key and value heads; fewer than `heads` if queries share them."""
    d_k: int
    d_v: int
    queries: Side
    """The text whose tokens are the rows."""
    keys: Side
    """The text whose tokens are the columns."""
    causal: bool
    """Whether no row reads a later column."""
    window: int | None
    """The largest number of columns that a row reads; None if there is no such limit."""
    bias: bool
    """Whether a bias that depends on the distance is added to the scores."""
    sinks: bool
    """Whether rows may sum to less than 1, because part of the softmax reads nothing."""
    rows: Literal["reads", "writes"]
    """Whether a row is named after the token that reads or the token written from it."""
    softcap: float | None = None
    """The cap that tanh sets on scaled products; None without a cap."""

    def path(self, layer: int) -> str:
        """Name the module of a layer, as the trace does: decoder.layers.1.cross_attn."""
        return f"{self.stack}.layers.{layer}.{self.part}"


@dataclass(frozen=True)
class Stack:
    """An encoder or a decoder."""

    name: StackName
    side: Side
    """The side whose text it reads."""
    layers: int


@dataclass(frozen=True)
class Anatomy:
    """The parts of a model, which decide what users can ask of it."""

    stacks: tuple[Stack, ...]
    sites: tuple[Site, ...]
    placement: Placement
    positions: Positions
    vocabularies: tuple[tuple[Side, int], ...]
    """Size of each side's vocabulary."""
    predicts: Side | None
    """The side to whose vocabulary the logits belong; None if the model has no logits."""
    feed_forward: bool
    """Whether layers have a feed-forward network."""
    is_recorded: bool = False
    """Whether third-party code computes it. Then only its record exists, and no part can run by
    itself."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """The texts that are read."""
        return tuple(stack.side for stack in self.stacks)

    @property
    def names(self) -> tuple[SiteName, ...]:
        """The names of the attentions there are."""
        return tuple(site.name for site in self.sites)

    @property
    def writes(self) -> bool:
        """Whether the model writes a text, a token at a time."""
        return self.predicts == "target"

    @property
    def row_name(self) -> Literal["reads", "writes"]:
        """Whether the decoder's rows are named after the tokens that they read or write."""
        return "writes" if self.translates else "reads"

    @property
    def translates(self) -> bool:
        """Whether it reads one text and writes another."""
        return len(self.stacks) == 2

    def site(self, name: SiteName) -> Site:
        """Find an attention. Raises LookupError if the model lacks it."""
        for site in self.sites:
            if site.name == name:
                return site
        raise LookupError(f"this model has no {name}; it has {', '.join(self.names)}")


def anatomy_of(model: Transformer) -> Anatomy:
    """Run a model on a few ids to determine its anatomy."""
    config = model.config
    sizes: dict[Side, int] = {
        "source": config.source_vocab_size,
        "target": config.target_vocab_size,
    }
    return anatomy_in(
        _probe(model),
        placement=config.norm_placement,
        positions=config.positions,
        window=config.window or None,
        vocabularies=sizes,
    )


def anatomy_in(
    trace: TransformerTrace,
    *,
    placement: Placement,
    positions: Positions,
    window: int | None,
    vocabularies: Mapping[Side, int],
) -> Anatomy:
    """Determine the anatomy from one pass, and add the facts that a pass does not show."""
    sites = tuple(
        site for name in SITE_NAMES if (site := _site(trace, name, window=window)) is not None
    )
    stacks = []
    if trace.encoder:
        stacks.append(Stack("encoder", "source", len(trace.encoder.layers)))
    if trace.decoder:
        stacks.append(Stack("decoder", "target", len(trace.decoder.layers)))
    return Anatomy(
        stacks=tuple(stacks),
        sites=sites,
        placement=placement,
        positions=positions,
        vocabularies=tuple((side, size) for side, size in vocabularies.items() if size),
        predicts=_predicted_side(trace),
        feed_forward=_first_layer(trace).feed_forward is not None,
    )


@torch.inference_mode()
def _probe(model: Transformer) -> TransformerTrace:
    """Run ids other than padding, enough of them to tell a causal mask from an open one."""
    config = model.config

    def ids(size: int) -> Tensor | None:
        if not size:
            return None
        others = [i for i in range(min(size, _PROBED + 1)) if i != config.pad_id] or [0]
        repeated = (others * _PROBED)[: min(_PROBED, config.max_length)]
        return torch.tensor([repeated], device=model.device)

    was_training = model.training
    try:
        return model.eval()(ids(config.source_vocab_size), ids(config.target_vocab_size))
    finally:
        model.train(was_training)


def _first_layer(trace: TransformerTrace) -> EncoderLayerTrace | DecoderLayerTrace:
    return present(trace.encoder or trace.decoder).layers[0]


def _predicted_side(trace: TransformerTrace) -> Side | None:
    if trace.logits is None:
        return None
    return "target" if trace.decoder else "source"


def attention_in(trace: TransformerTrace, name: SiteName, layer: int) -> AttentionTrace:
    """Find one multi-head attention in a trace. Raises LookupError if there is none."""
    if name == "encoder self-attention":
        return present(trace.encoder).layers[layer].self_attn
    found = present(trace.decoder).layers[layer]
    return present(found.cross_attn) if name == "cross-attention" else found.self_attn


def _site(trace: TransformerTrace, name: SiteName, *, window: int | None) -> Site | None:
    try:
        attention = attention_in(trace, name, 0)
    except LookupError:
        return None
    in_encoder, crosses = name == "encoder self-attention", name == "cross-attention"
    stack = trace.encoder if in_encoder else trace.decoder
    translates = trace.encoder is not None and trace.decoder is not None
    mask = attention.mask[0].expand(attention.weights.shape[-2:])
    sums = attention.weights.sum(dim=-1)
    return Site(
        name=name,
        stack="encoder" if in_encoder else "decoder",
        part="cross_attn" if crosses else "self_attn",
        layers=len(stack.layers) if stack else 0,
        heads=attention.query.size(1),
        kv_heads=attention.key.size(1),
        d_k=attention.query.size(-1),
        d_v=attention.value.size(-1),
        queries="source" if in_encoder else "target",
        keys="target" if name == "decoder self-attention" else "source",
        causal=not crosses and len(mask) > 1 and not mask.triu(1).any(),
        window=window if name == "decoder self-attention" else None,
        bias=attention.bias is not None,
        sinks=bool((sums < 1 - _ROUNDING).any()),
        rows="writes" if translates and not in_encoder else "reads",
        softcap=attention.softcap,
    )
