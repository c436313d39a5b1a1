"""Copies a user's module built around torch's transformer into Loupe's own model.

    model = pour_torch(module, source, target)
    model(source, target).decoder.layers[1].cross_attn.weights

Loupe reads the layers from torch's classes, and finds the parts around them from the values of one
recorded pass. It refuses the copy unless its results are the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import torch
from jaxtyping import Int
from torch import Tensor, nn

from model.config import Activation, TransformerConfig
from model.feed_forward import activate
from model.foreign.imports.load import fill
from model.foreign.imports.module_ends import (
    LARGEST_DIFFERENCE,
    FoundEmbedding,
    FoundGenerator,
    apart_by,
    find_embedding,
    find_generator,
)
from model.foreign.imports.plan import check_taken, model_without_numbers
from model.foreign.recording import attached
from model.foreign.recording.attention import is_causal
from model.foreign.recording.plan import EMBEDDINGS, Side
from model.foreign.recording.recorder import tensors_in
from model.traces import TransformerTrace, present
from model.transformer import Transformer

_PARTS: Mapping[type[nn.Module], Mapping[str, str]] = {
    nn.TransformerEncoderLayer: {
        "self_attn": "self_attn",
        "linear1": "feed_forward.expand",
        "linear2": "feed_forward.contract",
        "norm1": "self_attn_norm",
        "norm2": "feed_forward_norm",
    },
    nn.TransformerDecoderLayer: {
        "self_attn": "self_attn",
        "multihead_attn": "cross_attn",
        "linear1": "feed_forward.expand",
        "linear2": "feed_forward.contract",
        "norm1": "self_attn_norm",
        "norm2": "cross_attn_norm",
        "norm3": "feed_forward_norm",
    },
}
"""The parts of a layer: torch's names -> our names."""


@torch.no_grad()
def pour_torch(
    module: nn.Module,
    source: Int[Tensor, "batch source"],
    target: Int[Tensor, "batch target"] | None = None,
    *,
    pad_id: int = 0,
) -> Transformer:
    """Copy a module with torch's encoder, or encoder and decoder, between ids and logits.

    An encoder that hides later positions becomes a decoder without cross-attention. The module is
    run on the ids, one row per sentence, and is not changed. Raises ValueError if the module cannot
    be copied, or if the copy's results differ.
    """
    stacks = _stacks_of(module)
    fields = _layer_fields(stacks)
    if (target is None) != (len(stacks) == 1):
        raise ValueError("a module with a decoder needs a target, and no other module takes one")
    texts = (source,) if target is None else (source, target)
    with attached(module, *texts) as ready:
        plan = ready.need_plan()
        with _noting_padding(module) as padded:
            found = ready.run(*texts)
    trace = found.trace
    assert isinstance(trace, TransformerTrace)
    embeddings: dict[Side, FoundEmbedding] = {
        stack.side: find_embedding(module, plan, trace, stack.side) for stack in plan.stacks
    }
    generator = find_generator(module, trace, next(tensors_in(found.output), None))
    config = TransformerConfig(
        **fields,
        **_stack_fields(trace, padded, stacks),
        **_embedding_fields(embeddings, generator),
        pad_id=pad_id,
    )
    model = model_without_numbers(config)
    weights = dict(_weights(stacks, embeddings, generator, config))
    check_taken(weights, model)
    fill(model, {name: tensor.detach().clone() for name, tensor in weights.items()})
    model.to(source.device)
    _check_alike(model, texts, trace)
    return model


def _stacks_of(module: nn.Module) -> list[Any]:
    """Find torch's encoder and decoder. Raises ValueError unless there is one, or one of each."""
    encoders, decoders = (
        [part for part in module.modules() if isinstance(part, kind)]
        for kind in (nn.TransformerEncoder, nn.TransformerDecoder)
    )
    if not encoders and not decoders:
        raise ValueError(
            "this module has no nn.Transformer, nn.TransformerEncoder or nn.TransformerDecoder; "
            "Loupe can record other kinds of attention, but cannot copy them"
        )
    if not encoders:
        raise ValueError(
            "this module has an nn.TransformerDecoder and no nn.TransformerEncoder: what its "
            "cross-attention reads is computed elsewhere, so it cannot be run from text alone. "
            "Give the module that holds both"
        )
    if len(encoders) > 1 or len(decoders) > 1:
        raise ValueError(
            "Loupe can follow one encoder and one decoder, but this module has "
            f"{len(encoders)} and {len(decoders)}"
        )
    return [*encoders, *decoders]


def _layer_fields(stacks: Sequence[Any]) -> dict[str, Any]:
    """Return the settings that all layers share. Raises ValueError if any differ or are unknown."""
    layers = [layer for stack in stacks for layer in stack.layers]
    for layer in layers:
        if not isinstance(layer, tuple(_PARTS)):
            raise ValueError(  # noqa: TRY004 - callers expect ValueError
                "layers must be torch's nn.TransformerEncoderLayer or nn.TransformerDecoderLayer, "
                f"got {type(layer).__name__}"
            )
    ends = [stack.norm for stack in stacks if stack.norm is not None]
    norms = [getattr(x, name) for x in layers for name in _parts_of(x) if "norm" in name] + ends
    if kinds := {type(norm).__name__ for norm in norms} - {"LayerNorm"}:
        raise ValueError(f"norms must be nn.LayerNorm, got {', '.join(sorted(kinds))}")
    values: dict[str, set[Any]] = {
        "d_model": {layer.self_attn.embed_dim for layer in layers},
        "n_heads": {layer.self_attn.num_heads for layer in layers},
        "d_ff": {layer.linear1.out_features for layer in layers},
        "activation": {activation_of(layer.activation) for layer in layers},
        "norm_placement": {"pre" if layer.norm_first else "post" for layer in layers},
        "norm_eps": {norm.eps for norm in norms},
        "attention_bias": {layer.self_attn.in_proj_bias is not None for layer in layers},
        "final_norm": {stack.norm is not None for stack in stacks},
    }
    for name, found in values.items():
        if len(found) > 1:
            raise ValueError(
                f"all layers must have the same {name.replace('_', ' ')}, "
                f"got {' and '.join(sorted(map(str, found)))}"
            )
    fields = {name: found.pop() for name, found in values.items()}
    size = fields["d_model"] // fields["n_heads"]
    return {**fields, "d_k": size, "d_v": size, "feed_forward_bias": fields["attention_bias"]}


def activation_of(function: Callable[[Tensor], Tensor]) -> Activation:
    """Identify an activation by its values. Raises ValueError if Loupe does not have it."""
    x = torch.linspace(-6, 6, 241)
    with torch.no_grad():
        given = function(x.clone())
        for name in get_args(Activation):
            if torch.allclose(given, activate(name, x.clone()), rtol=0, atol=1e-6):
                return name
    raise ValueError(
        f"the activation must be one of {', '.join(get_args(Activation))}, "
        f"got {getattr(function, '__name__', type(function).__name__)}"
    )


@contextmanager
def _noting_padding(module: nn.Module) -> Iterator[set[nn.Module]]:
    """Note which attentions receive a padding mask, even an empty one."""
    padded: set[nn.Module] = set()

    def note(part: nn.Module, _: tuple, kwargs: Mapping[str, Any]) -> None:
        if kwargs.get("key_padding_mask") is not None:
            padded.add(part)

    handles = [
        part.register_forward_pre_hook(note, with_kwargs=True)
        for part in module.modules()
        if isinstance(part, nn.MultiheadAttention)
    ]
    try:
        yield padded
    finally:
        for handle in handles:
            handle.remove()


def _stack_fields(
    trace: TransformerTrace, padded: set[nn.Module], stacks: Sequence[Any]
) -> dict[str, Any]:
    """Describe the stacks and their masks, as the pass shows them."""
    decoder = trace.decoder
    last = stacks[-1].layers[0]
    reads = last.multihead_attn if trace.encoder and decoder else last.self_attn
    masks = [] if decoder is None else [decoder.layers[0].self_attn.mask.unsqueeze(1)]
    return {
        "n_encoder_layers": len(trace.encoder.layers) if trace.encoder else 0,
        "n_decoder_layers": len(decoder.layers) if decoder else 0,
        "causal_mask": all(is_causal(mask, mask.size(2)) for mask in masks),
        "encoder_padding_mask": stacks[0].layers[0].self_attn in padded,
        "decoder_padding_mask": reads in padded,
        "target_padding_mask": last.self_attn in padded,
    }


def _embedding_fields(
    embeddings: Mapping[Side, FoundEmbedding], generator: FoundGenerator | None
) -> dict[str, Any]:
    if len({(each.scaled, each.positions) for each in embeddings.values()}) > 1:
        raise ValueError(
            "source and target must have the same kind of positions, and either both embeddings "
            "must be scaled or neither"
        )
    *_, last = embeddings.values()
    sizes = {side: len(each.weight) for side, each in embeddings.items()}
    tables = [len(each.table) for each in embeddings.values() if each.table is not None]
    is_one = all(each.weight is last.weight for each in embeddings.values())
    tied = generator is not None and generator.weight is last.weight
    return {
        "source_vocab_size": sizes.get("encoder", 0),
        "target_vocab_size": sizes.get("decoder", 0),
        "scale_embeddings": last.scaled,
        "positions": last.positions,
        **({"max_length": min(tables)} if tables else {}),
        "tying": ("all" if is_one else "decoder") if tied else "none",
        "head": "linear" if generator else "none",
        "generator_bias": generator is not None and generator.bias is not None,
        "output": generator.output if generator else "logits",
    }


def _weights(
    stacks: Sequence[Any],
    embeddings: Mapping[Side, FoundEmbedding],
    generator: FoundGenerator | None,
    config: TransformerConfig,
) -> Iterator[tuple[str, Tensor]]:
    """Yield all weights under our names."""
    for (side, embedding), stack in zip(embeddings.items(), stacks, strict=True):
        yield f"{EMBEDDINGS[side]}.weight", embedding.weight
        if embedding.table is not None:
            yield f"{EMBEDDINGS[side]}.learned.weight", embedding.table[: config.max_length]
        for i, layer in enumerate(stack.layers):
            for theirs, ours in _parts_of(layer).items():
                yield from _part_weights(f"{side}.layers.{i}.{ours}", getattr(layer, theirs))
        if stack.norm is not None:
            yield from _part_weights(f"{side}.norm", stack.norm)
    if generator is not None:
        yield "generator.weight", generator.weight
        if generator.bias is not None:
            yield "generator.bias", generator.bias


def _parts_of(layer: nn.Module) -> Mapping[str, str]:
    return next(parts for kind, parts in _PARTS.items() if isinstance(layer, kind))


def _part_weights(name: str, part: Any) -> Iterator[tuple[str, Tensor]]:  # noqa: ANN401
    """Yield the weights of a linear map, a norm or an attention.

    torch keeps the three projections of an attention in one matrix: query above key above value. A
    norm without a bias gets a bias of 0.
    """
    if isinstance(part, nn.MultiheadAttention):
        packed = {"weight": part.in_proj_weight, "bias": part.in_proj_bias}
        for kind, rows in packed.items():
            if rows is not None:
                for own, third in zip(("query", "key", "value"), rows.chunk(3), strict=True):
                    yield f"{name}.{own}.{kind}", third
        yield from _part_weights(f"{name}.output", part.out_proj)
        return
    yield f"{name}.weight", part.weight
    if part.bias is not None:
        yield f"{name}.bias", part.bias
    elif isinstance(part, nn.LayerNorm):
        yield f"{name}.bias", torch.zeros_like(part.weight)


def _check_alike(model: Transformer, texts: Sequence[Tensor], trace: TransformerTrace) -> None:
    """Raise ValueError unless the copy's hidden states equal the module's."""
    first, second = (*texts, None)[:2]
    made = model(first, second) if model.config.has_encoder else model(None, first)
    pairs = ((trace.encoder, made.encoder), (trace.decoder, made.decoder))
    share = max(apart_by(present(b).output, a.output) for a, b in pairs if a is not None)
    if not share <= LARGEST_DIFFERENCE:
        raise ValueError(
            f"the copy must compute the same as the module, but differs by {share:.2g} of the "
            "largest number: its code does something between its parts that Loupe did not see"
        )
