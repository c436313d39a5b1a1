"""The record of a planned pass, assembled from the tensors that were kept by name."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from torch import Tensor

from model.foreign.recording.attention import RecordedAttention
from model.foreign.recording.plan import EMBEDDINGS, Plan, StackPlan
from model.positions import fixed_positions
from model.traces import (
    AttentionTrace,
    DecoderLayerTrace,
    DecoderTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    EncoderTrace,
    FeedForwardTrace,
    Layers,
    TransformerTrace,
)

_SHARED = [f for f in fields(AttentionTrace) if f.name not in ("mask", "output")]


def assembled(
    plan: Plan,
    values: Mapping[str, Tensor],
    attentions: Mapping[str, RecordedAttention],
    given: tuple[Tensor, Tensor] | None,
) -> TransformerTrace:
    """Return the record of a pass; `given` are its logits and its output, if it has any."""
    stacks = {stack.side: stack for stack in plan.stacks}
    embeddings = {side: embedding_of(plan, values, stack) for side, stack in stacks.items()}
    encoder = decoder = None
    if stack := stacks.get("encoder"):
        layers = tuple(EncoderLayerTrace(**found) for found in _layers(values, attentions, stack))
        encoder = EncoderTrace(
            layers=Layers.of(layers, stack.numbers), output=values["encoder.output"]
        )
    if stack := stacks.get("decoder"):
        layers = tuple(DecoderLayerTrace(**found) for found in _layers(values, attentions, stack))
        decoder = DecoderTrace(
            layers=Layers.of(layers, stack.numbers), output=values["decoder.output"]
        )
    logits, output = given or (None, None)
    return TransformerTrace(
        source_embedding=embeddings.get("encoder"),
        encoder=encoder,
        target_embedding=embeddings.get("decoder"),
        decoder=decoder,
        logits=logits,
        output=output,
    )


def embedding_of(
    plan: Plan, values: Mapping[str, Tensor], stack: StackPlan
) -> EmbeddingTrace | None:
    """Return the embedding of a stack; None if the pass did not show it."""
    name = EMBEDDINGS[stack.side]
    tokens = values.get(f"{name}.tokens")
    if tokens is None:
        return None
    positions = values.get(f"{name}.positions")
    if positions is None:
        known = plan.positions.get(name, "none")
        is_table = isinstance(known, Tensor)
        rows = known if is_table else fixed_positions(known, *tokens.shape[1:]).to(tokens)
        positions = rows[: tokens.size(1)]
    return EmbeddingTrace(
        tokens=tokens,
        positions=positions,
        segments=values.get(f"{name}.segments"),
        output=values[f"{name}.output"],
    )


def _layers(
    values: Mapping[str, Tensor], attentions: Mapping[str, RecordedAttention], stack: StackPlan
) -> Iterator[dict[str, Any]]:
    """Yield the parts of each layer of a stack."""

    def attention(base: str) -> AttentionTrace:
        facts = {field.name: getattr(attentions[base], field.name) for field in _SHARED}
        return AttentionTrace(
            **facts, mask=attentions[base].mask[:, 0], output=values[f"{base}.output"]
        )

    for i in stack.numbers:
        name = f"{stack.side}.layers.{i}"
        found: dict[str, Any] = {
            part: values.get(f"{name}.{part}") for part in ("input", "after_self_attn", "output")
        }
        found["self_attn"] = attention(f"{name}.self_attn")
        found["feed_forward"] = _feed_forward(values, name)
        if stack.side == "decoder":
            crosses = f"{name}.cross_attn" in attentions
            found["cross_attn"] = attention(f"{name}.cross_attn") if crosses else None
            found["after_cross_attn"] = values.get(f"{name}.after_cross_attn")
        yield found


def _feed_forward(values: Mapping[str, Tensor], layer: str) -> FeedForwardTrace | None:
    found: dict[str, Any] = {
        part.name: values.get(f"{layer}.feed_forward.{part.name}")
        for part in fields(FeedForwardTrace)
    }
    return None if found["output"] is None else FeedForwardTrace(**found)
