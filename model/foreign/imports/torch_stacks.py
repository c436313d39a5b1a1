"""The stacks of torch's own transformer: what they compute, as our config, and our names for it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import torch
from torch import Tensor, nn

from model.config import Activation
from model.feed_forward import activate

Stack = nn.TransformerEncoder | nn.TransformerDecoder
Layer = nn.TransformerEncoderLayer | nn.TransformerDecoderLayer

_NORMS = {
    nn.TransformerEncoderLayer: {"norm1": "self_attn_norm", "norm2": "feed_forward_norm"},
    nn.TransformerDecoderLayer: {
        "norm1": "self_attn_norm",
        "norm2": "cross_attn_norm",
        "norm3": "feed_forward_norm",
    },
}
_WORDS = {
    "d_model": "width",
    "n_heads": "number of heads",
    "d_ff": "hidden size of the feed-forward network",
    "activation": "activation",
    "norm_placement": "placement of the norms",
    "norm_eps": "epsilon of the norms",
    "attention_bias": "use of biases",
    "final_norm": "use of a norm after the last layer",
    "batch_first": "order of the axes (batch_first)",
}


@dataclass(frozen=True, eq=False)
class Stacks:
    """What a module has of torch's transformer: an encoder, a decoder, or both."""

    encoder: nn.TransformerEncoder | None
    decoder: nn.TransformerDecoder | None

    @property
    def all(self) -> tuple[Stack, ...]:
        """Those that are there, the encoder first."""
        return tuple(stack for stack in (self.encoder, self.decoder) if stack is not None)

    @property
    def batch_first(self) -> bool:
        """Whether the first axis of their inputs counts sequences, and not positions."""
        return layers_of(self.all[0])[0].self_attn.batch_first


def find_stacks(module: nn.Module) -> Stacks:
    """Find torch's encoder and decoder in a module. Raises ValueError unless it can be followed."""
    encoder = _only(module, nn.TransformerEncoder)
    decoder = _only(module, nn.TransformerDecoder)
    if encoder is None and decoder is None:
        raise ValueError(
            "there is no nn.Transformer, nn.TransformerEncoder or nn.TransformerDecoder in this "
            "module; attention of another kind can be recorded, but not imported"
        )
    if encoder is None:
        raise ValueError(
            "this module has an nn.TransformerDecoder and no nn.TransformerEncoder: what its "
            "cross-attention reads is computed elsewhere, so it cannot be run from text alone. "
            "Import the module that holds both"
        )
    return Stacks(encoder, decoder)


def layers_of(stack: Stack) -> list[Layer]:
    """Return the layers. Raises ValueError where one is not torch's own."""
    layers = list(stack.layers)
    if strange := [type(layer).__name__ for layer in layers if not isinstance(layer, Layer)]:
        raise ValueError(
            f"layers must be torch's nn.TransformerEncoderLayer or nn.TransformerDecoderLayer, "
            f"got {strange[0]}"
        )
    return cast(list[Layer], layers)


def shared_fields(stacks: Stacks) -> dict[str, Any]:
    """Return the fields of a config that all layers of all stacks agree on.

    Raises ValueError where two differ, which one config cannot say, and on what has no field.
    """
    found = [
        (f"{side}.layers.{i}", _fields(stack, layer))
        for side, stack in (("encoder", stacks.encoder), ("decoder", stacks.decoder))
        if stack is not None
        for i, layer in enumerate(layers_of(stack))
    ]
    if not found:
        raise ValueError("a transformer needs at least one layer, got none")
    first_name, fields = found[0]
    for name, others in found[1:]:
        for field, value in fields.items():
            if others[field] != value:
                raise ValueError(
                    f"all layers must have the same {_WORDS[field]}: "
                    f"it is {value} in {first_name} and {others[field]} in {name}"
                )
    del fields["batch_first"]
    return {
        **fields,
        "d_k": fields["d_model"] // fields["n_heads"],
        "d_v": fields["d_model"] // fields["n_heads"],
        "feed_forward_bias": fields["attention_bias"],
        "norm": "layer",
        "n_encoder_layers": len(stacks.encoder.layers) if stacks.encoder else 0,
        "n_decoder_layers": len(stacks.decoder.layers) if stacks.decoder else 0,
    }


def stack_weights(stack: Stack) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of one stack under our names, without that of the stack.

    torch keeps the three projections of an attention in one matrix, query above key above value. A
    norm without a bias is one whose bias is 0.
    """
    for i, layer in enumerate(layers_of(stack)):
        name = f"layers.{i}"
        yield from _attention_weights(f"{name}.self_attn", layer.self_attn)
        if isinstance(layer, nn.TransformerDecoderLayer):
            yield from _attention_weights(f"{name}.cross_attn", layer.multihead_attn)
        for theirs, ours in (("linear1", "expand"), ("linear2", "contract")):
            yield from _linear_weights(f"{name}.feed_forward.{ours}", getattr(layer, theirs))
        for theirs, ours in _norms_of(layer).items():
            yield from _norm_weights(f"{name}.{ours}", getattr(layer, theirs))
    if isinstance(stack.norm, nn.LayerNorm):
        yield from _norm_weights("norm", stack.norm)


def _only(module: nn.Module, kind: type[Any]) -> Any:  # noqa: ANN401 - an instance of `kind`
    found = [(name, part) for name, part in module.named_modules() if isinstance(part, kind)]
    if len(found) > 1:
        raise ValueError(
            f"one nn.{kind.__name__} can be followed, this module has {len(found)}: "
            f"{', '.join(name or 'itself' for name, _ in found[:4])}"
        )
    return found[0][1] if found else None


def _fields(stack: Stack, layer: Layer) -> dict[str, Any]:
    attention = layer.self_attn
    if attention.bias_k is not None or attention.add_zero_attn:
        raise ValueError("attention with bias_k or add_zero_attn has keys that no token has")
    norms: list[Any] = [getattr(layer, name) for name in _norms_of(layer)]
    if stack.norm is not None:
        norms.append(stack.norm)
    if kinds := {type(norm).__name__ for norm in norms if not isinstance(norm, nn.LayerNorm)}:
        raise ValueError(f"norms must be nn.LayerNorm, got {', '.join(sorted(kinds))}")
    if len(epsilons := {norm.eps for norm in norms}) > 1:
        raise ValueError(f"all norms must have the same epsilon, got {sorted(epsilons)}")
    return {
        "d_model": attention.embed_dim,
        "n_heads": attention.num_heads,
        "d_ff": layer.linear1.out_features,
        "activation": activation_of(layer.activation),
        "norm_placement": "pre" if layer.norm_first else "post",
        "norm_eps": float(norms[0].eps),
        "attention_bias": attention.in_proj_bias is not None,
        "final_norm": stack.norm is not None,
        "batch_first": attention.batch_first,
    }


def activation_of(function: Callable[[Tensor], Tensor]) -> Activation:
    """Name an activation by what it computes. Raises ValueError on one that has no name here."""
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


def _norms_of(layer: Layer) -> Mapping[str, str]:
    return next(norms for kind, norms in _NORMS.items() if isinstance(layer, kind))


def _attention_weights(name: str, attention: nn.MultiheadAttention) -> Iterator[tuple[str, Tensor]]:
    packed = {"weight": attention.in_proj_weight, "bias": attention.in_proj_bias}
    for kind, rows in packed.items():
        if rows is not None:
            for part, own in zip(("query", "key", "value"), rows.chunk(3), strict=True):
                yield f"{name}.{part}.{kind}", own
    yield from _linear_weights(f"{name}.output", attention.out_proj)


def _linear_weights(name: str, linear: nn.Linear) -> Iterator[tuple[str, Tensor]]:
    yield f"{name}.weight", linear.weight
    if linear.bias is not None:
        yield f"{name}.bias", linear.bias


def _norm_weights(name: str, norm: nn.LayerNorm) -> Iterator[tuple[str, Tensor]]:
    yield f"{name}.weight", norm.weight
    yield f"{name}.bias", torch.zeros_like(norm.weight) if norm.bias is None else norm.bias
