"""Direct logit attribution: a logit as the exact sum of what each part of the decoder adds to it.

The state that the generator reads is a sum of what the embedding, each head and each feed-forward
network wrote, with the scale of every norm held at what it was (Elhage et al. 2021, "A Mathematical
Framework for Transformer Circuits"). It says what adds to a logit directly, not what caused it: a
part may only hand on what another one found.
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
"""Edit: what was put in place of a captured tensor, less what the model had computed there."""
_LEAST_EDIT = 1e-4
"""Share of a state's largest number from which a difference is an edit, and no rounding."""


@dataclass(frozen=True, eq=False)
class Part:
    """What one part of the decoder adds to the state that the generator reads."""

    kind: PartKind
    name: str
    """Of the captured tensor, or of the module whose bias it is."""
    values: Float[Tensor, "target d_model"]
    """Behind every norm that follows."""
    layer: int | None = None
    head: int | None = None
    """None for the bias that the heads of an attention share."""


@dataclass(frozen=True)
class Addend:
    """What one part adds to a logit, or to the lead of one logit over another."""

    kind: PartKind
    name: str
    value: float
    layer: int | None = None
    head: int | None = None


@torch.inference_mode()
def split_state(model: Transformer, trace: TransformerTrace) -> tuple[Part, ...]:
    """Split the decoder's output into what each part wrote. They sum to it, edited or not.

    In parallel blocks nothing stands between the attention and the feed-forward network.
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
    """Describe what each part adds to the logit of a token in a row, or to its lead over another's.

    The last is the bias of the generator. They sum to the logit, or to the difference of the two.
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
    """Describe what the last cross-attention brings from each source token to what each row writes.

    To the logit of the token with that id, less the mean of all logits of the row: a constant added
    to all of them changes nothing.
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
    """A hidden state of every position as the parts that it is the sum of, on its way up."""

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
        """Take each part through a norm at the state that they sum to, and add its bias."""
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
        """Where something else was captured than the parts sum to, add the rest as an edit."""
        rest = captured - self.values
        if rest.abs().max() > _LEAST_EDIT * captured.abs().max():
            self.add("edit", name, rest)
