"""Reads the anatomy of a model off one pass."""

from collections.abc import Mapping

import torch
from torch import Tensor

from model.anatomy import SITE_NAMES, Anatomy, Placement, Site, SiteName, Stack, attention_in
from model.config import Positions, Side
from model.traces import DecoderLayerTrace, EncoderLayerTrace, TransformerTrace, present
from model.transformer import Transformer

_PROBED = 6
"""The number of tokens in the pass from which an anatomy is read."""
_ROUNDING = 1e-3
"""The largest difference allowed between sums, as a share of their largest number."""


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
