"""Direct logit attribution: a logit as the exact sum of contributions from the decoder's parts.

The state that the generator reads is the sum of the outputs of the embedding, each head and each
feed-forward network, if the scale of every norm is held fixed (Elhage et al. 2021, "A Mathematical
Framework for Transformer Circuits"). The contributions are direct, not causal: a part may only pass
on the result of another part.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.attention import MultiHeadAttention
from model.attribution.parts import (
    find_attention,
    norm_after,
    norm_scale,
    parts_by_head,
    parts_by_key,
    through_norm,
)
from model.traces import AttentionTrace, TransformerTrace, present
from model.transformer import Transformer

PartKind = Literal[
    "token",
    "position",
    "self-attention",
    "cross-attention",
    "feed-forward",
    "norm bias",
    "edit",
    "output bias",
]
"""An "edit" is the replacement of a captured tensor minus the tensor that the model computed."""
_LEAST_EDIT = 1e-4
"""The share of a state's largest number above which a difference is an edit, not rounding."""


@dataclass(frozen=True, eq=False)
class Part:
    """The contribution of one part of the decoder to the state that the generator reads."""

    kind: PartKind
    name: str
    """The name of the captured tensor, or of the module whose bias it is."""
    values: Float[Tensor, "target d_model"]
    """The contribution after all following norms."""
    layer: int | None = None
    head: int | None = None
    """The head's number; None for the bias that the heads of an attention share."""


@dataclass(frozen=True)
class Addend:
    """The contribution of one part to a logit, or to the difference of two logits."""

    kind: PartKind
    name: str
    value: float
    layer: int | None = None
    head: int | None = None


@torch.inference_mode()
def split_state(model: Transformer, trace: TransformerTrace) -> tuple[Part, ...]:
    """Split the decoder's output into the outputs of its parts, which sum to it, edited or not.

    In parallel blocks there is no norm between the attention and the feed-forward network.
    """
    embedding = trace.embedding_of("target")
    state = _State()
    state.add("token", "target_embedding.tokens", embedding.tokens[0])
    if model.config.positions not in ("rotary", "alibi", "relative"):
        state.add("position", "target_embedding.positions", embedding.positions)
    if embedding.segments is not None:
        state.add("position", "target_embedding.segments", embedding.segments[0])
    state.pass_norm("target_embedding.norm", None, model.embedding_of("target").norm)
    state.meet("target_embedding.output", embedding.output[0])
    for index, layer in enumerate(present(trace.decoder).layers):
        name = f"decoder.layers.{index}"
        state.meet(f"{name}.input", layer.input[0])
        for part, residual, attention, after in (
            ("self_attn", layer.input, layer.self_attn, layer.after_self_attn),
            ("cross_attn", layer.after_self_attn, layer.cross_attn, layer.after_cross_attn),
        ):
            if attention is None or residual is None:
                continue
            sublayer = f"{name}.{part}"
            state.add_attention(sublayer, index, find_attention(model, sublayer), attention)
            state.meet(f"{sublayer}.output", residual[0] + attention.output[0])
            state.pass_norm(f"{sublayer}_norm", index, norm_after(model, sublayer))
            if after is not None:
                state.meet(f"{name}.after_{part}", after[0])
        if layer.feed_forward:
            sublayer = f"{name}.feed_forward"
            state.add("feed-forward", f"{sublayer}.output", layer.feed_forward.output[0], index)
            state.pass_norm(f"{sublayer}_norm", index, norm_after(model, sublayer))
        state.meet(f"{name}.output", layer.output[0])
    state.pass_norm("decoder.norm", None, present(model.decoder).norm)
    state.meet("decoder.output", present(trace.decoder).output[0])
    return tuple(state.parts)


@torch.inference_mode()
def addends(
    model: Transformer, parts: tuple[Part, ...], row: int, token: int, other: int | None = None
) -> tuple[Addend, ...]:
    """Return the contribution of each part to a token's logit in a row, or to a logit difference.

    The last one is the bias of the generator. They sum to the logit, or to the difference.
    """
    generator = present(model.generator)
    weight = generator.weight.to(parts[0].values)
    if model.config.scale_logits:
        weight = weight * model.config.d_model**-0.5
    bias = weight.new_zeros(len(weight)) if generator.bias is None else generator.bias.to(weight)
    direction, rest = weight[token], bias[token]
    if other is not None:
        direction, rest = direction - weight[other], rest - bias[other]
    found = [
        Addend(part.kind, part.name, float(part.values[row] @ direction), part.layer, part.head)
        for part in parts
    ]
    return (*found, Addend("output bias", "generator.bias", float(rest)))


@torch.inference_mode()
def direct_by_source(
    model: Transformer, trace: TransformerTrace, written: tuple[int, ...]
) -> Float[Tensor, "target source"]:
    """Return the contribution of each source token, by the last cross-attention, to each row.

    It is the contribution to the logit of the written token minus the mean of all logits of the
    row, because a constant added to all logits changes nothing.
    """
    layers = present(trace.decoder).layers
    layer, name = layers[-1], f"decoder.layers.{len(layers) - 1}"
    across, attention = f"{name}.cross_attn", present(layer.cross_attn)
    parts = parts_by_key(find_attention(model, across), attention).sum(dim=0)
    for norm, at in (
        (
            norm_after(model, across),
            present(layer.after_self_attn)[0] + attention.output[0],
        ),
        (
            norm_after(model, f"{name}.feed_forward"),
            present(layer.after_cross_attn)[0] + present(layer.feed_forward).output[0],
        ),
        (present(model.decoder).norm, layer.output[0]),
    ):
        if norm is not None:
            parts = through_norm(norm, parts, norm_scale(norm, at)[:, None])
    weight = present(model.generator).weight.to(parts)
    if model.config.scale_logits:
        weight = weight * model.config.d_model**-0.5
    directions = weight[list(written)] - weight.mean(dim=0)
    return torch.einsum("tsd,td->ts", parts, directions)


@dataclass
class _State:
    """The hidden state of every position as a sum of parts, layer by layer."""

    parts: list[Part] = field(default_factory=list)

    @property
    def values(self) -> Float[Tensor, "target d_model"]:
        return sum((part.values for part in self.parts[1:]), self.parts[0].values)

    def add(
        self,
        kind: PartKind,
        name: str,
        values: Float[Tensor, "target d_model"],
        layer: int | None = None,
        head: int | None = None,
    ) -> None:
        self.parts.append(Part(kind, name, values, layer, head))

    def add_attention(
        self, name: str, layer: int, module: MultiHeadAttention, trace: AttentionTrace
    ) -> None:
        kind: PartKind = "self-attention" if name.endswith("self_attn") else "cross-attention"
        for head, values in enumerate(parts_by_head(module, trace)):
            self.add(kind, f"{name}.heads[{head}]", values, layer, head)
        if module.output.bias is not None:
            bias = module.output.bias.to(trace.output).expand_as(trace.output[0])
            self.add(kind, f"{name}.output.bias", bias, layer)

    def pass_norm(self, name: str, layer: int | None, norm: nn.Module | None) -> None:
        """Apply a norm to each part, with its scale at the sum of the parts, and add its bias."""
        if norm is None:
            return
        at = self.values
        scale = norm_scale(norm, at)
        self.parts = [
            replace(part, values=through_norm(norm, part.values, scale)) for part in self.parts
        ]
        if getattr(norm, "bias", None) is not None:
            bias = norm.get_parameter("bias").to(at).expand_as(at)
            self.add("norm bias", f"{name}.bias", bias, layer)

    def meet(self, name: str, captured: Float[Tensor, "target d_model"]) -> None:
        """Add the difference as an edit if the captured state is not the sum of the parts."""
        rest = captured - self.values
        if rest.abs().max() > _LEAST_EDIT * captured.abs().max():
            self.add("edit", name, rest)
