"""A user's own module round torch's transformer, as one of ours: copied, and held against it.

    with its module, and a run of it as its user runs it:

    found = import_module(module, lambda: module(source, target, tgt_mask=mask), source, target)
    found.model(source, target).decoder.layers[1].cross_attn.weights

Nothing is guessed by name: what stands before and after torch's stacks is found by the values that
the run gives, and the copy is refused unless it gives the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from model.foreign.imports.torch_capture import Heard, Run, hear
from model.foreign.imports.torch_search import (
    FoundEmbedding,
    FoundGenerator,
    find_embedding,
    find_generator,
    gives,
)
from model.foreign.imports.torch_stacks import (
    Stacks,
    find_stacks,
    layers_of,
    shared_fields,
    stack_weights,
)
from torch import Tensor, nn

from model.config import TransformerConfig
from model.traces import TransformerTrace, present
from model.transformer import Transformer

_LARGEST_DIFFERENCE = 1e-4
"""Share of the largest number by which the copy may differ in single precision."""


@dataclass(frozen=True, eq=False)
class Imported:
    """A copy of a user's module, in eval mode and without gradients, on the same device."""

    model: Transformer
    differs: float
    """Largest difference from the last hidden states of the module's own run, padding left out."""


def import_module(
    module: nn.Module,
    run: Callable[[], object],
    source: Int[Tensor, "batch source"],
    target: Int[Tensor, "batch target"] | None = None,
    *,
    pad_id: int = 0,
) -> Imported:
    """Copy a module that has torch's encoder, or encoder and decoder, between ids and logits.

    An encoder whose run hides later positions becomes a decoder without cross-attention.

    Args:
        module: In eval mode. It is run once, and left as it is.
        run: Runs it as its user does, masks included, on the ids that follow.
        source: Ids that the run reads, a row a sentence.
        target: Ids that its decoder reads, where it has one.
        pad_id: Id that pads short sentences.

    Raises:
        ValueError: On what cannot be followed; the message says what was found and what was not.
    """
    stacks = find_stacks(module)
    fields = shared_fields(stacks)
    weight = layers_of(stacks.all[0])[0].linear1.weight
    if weight.dtype not in (torch.float32, torch.float64):
        raise ValueError(
            f"weights must be float32 or float64 to be held against a copy, got {weight.dtype}: "
            "call float() on the module"
        )
    if (target is None) != (stacks.decoder is None):
        raise ValueError("a target must be given for a module with a decoder, and for no other")
    heard = hear(module, stacks, run)
    texts = [(source, heard.encoder)]
    if target is not None and heard.decoder is not None:
        texts.append((target, heard.decoder))
    for ids, stack in texts:
        _check_ids(ids, stack)
    embeddings = [find_embedding(module, ids, stack.input) for ids, stack in texts]
    hidden = texts[-1][1].output
    generator = find_generator(module, hidden, heard.result)
    if generator is None and stacks.decoder is not None and not gives(heard.result, hidden):
        raise ValueError(
            "what the module makes of its decoder's output must be one nn.Linear of it, or one of "
            "the embeddings, with a softmax or without; none of this module gives its result"
        )
    config = TransformerConfig(
        **_config_fields(stacks, fields, heard),
        **_embedding_fields(embeddings, generator, causal=heard.encoder.causal),
        pad_id=pad_id,
    )
    model = Transformer(config).to(weight).eval().requires_grad_(False)
    _fill(model, _weights(stacks, embeddings, generator, causal=heard.encoder.causal))
    return Imported(model, _proven(model, heard, source, target))


def _check_ids(ids: Tensor, stack: Heard) -> None:
    if ids.shape != stack.input.shape[:2]:
        raise ValueError(
            f"ids must be one row a sentence, {tuple(stack.input.shape[:2])} as the stack reads "
            f"them, got {tuple(ids.shape)}"
        )


def _config_fields(stacks: Stacks, fields: dict[str, Any], heard: Run) -> dict[str, Any]:
    """Add what a run tells of masks. An encoder that hides later positions is a decoder alone."""
    if stacks.decoder is None and heard.encoder.causal:
        layers = fields["n_encoder_layers"]
        return {
            **fields,
            "n_encoder_layers": 0,
            "n_decoder_layers": layers,
            "decoder_padding_mask": heard.encoder.hidden is not None,
        }
    if heard.encoder.causal:
        raise ValueError("the encoder hides later positions; the paper's reads both ways")
    decoder = heard.decoder
    return {
        **fields,
        "causal_mask": decoder is None or decoder.causal,
        "encoder_padding_mask": heard.encoder.hidden is not None,
        "decoder_padding_mask": decoder is not None and decoder.hidden_memory is not None,
        "target_padding_mask": decoder is not None and decoder.hidden is not None,
    }


def _embedding_fields(
    embeddings: list[FoundEmbedding], generator: FoundGenerator | None, *, causal: bool
) -> dict[str, Any]:
    first, last = embeddings[0], embeddings[-1]
    if (first.scaled, first.positions) != (last.scaled, last.positions):
        raise ValueError(
            "source and target must have the same kind of positions, and both embeddings be scaled "
            f"or none: the source has {first.positions} positions and the target {last.positions}"
        )
    tables = [found.learned for found in embeddings if found.learned is not None]
    sizes = [len(found.weight) for found in embeddings]
    alone = {"source_vocab_size": 0, "target_vocab_size": sizes[0]}
    if not causal:
        alone = {"source_vocab_size": sizes[0], "target_vocab_size": 0}
    both = {"source_vocab_size": sizes[0], "target_vocab_size": sizes[-1]}
    one = all(found.weight is first.weight for found in embeddings)
    tied = generator is not None and generator.weight.data_ptr() == last.weight.data_ptr()
    return {
        **(both if len(embeddings) > 1 else alone),
        "scale_embeddings": first.scaled,
        "positions": first.positions,
        **({"max_length": min(map(len, tables))} if tables else {}),
        "tying": ("all" if one else "decoder") if tied else "none",
        "head": "linear" if generator else "none",
        "generator_bias": generator is not None and generator.bias is not None,
        "output": generator.output if generator else "logits",
    }


def _weights(
    stacks: Stacks,
    embeddings: list[FoundEmbedding],
    generator: FoundGenerator | None,
    *,
    causal: bool,
) -> dict[str, Tensor]:
    sides = [("target_embedding", "decoder")] if causal else [("source_embedding", "encoder")]
    if stacks.decoder is not None:
        sides.append(("target_embedding", "decoder"))
    weights: dict[str, Tensor] = {}
    for (embedding, side), found, stack in zip(sides, embeddings, stacks.all, strict=True):
        weights[f"{embedding}.weight"] = found.weight
        if found.learned is not None:
            weights[f"{embedding}.learned.weight"] = found.learned
        weights |= {f"{side}.{name}": tensor for name, tensor in stack_weights(stack)}
    if generator is not None:
        weights["generator.weight"] = generator.weight
        if generator.bias is not None:
            weights["generator.bias"] = generator.bias
    return weights


def _fill(model: Transformer, weights: dict[str, Tensor]) -> None:
    state = model.state_dict(keep_vars=True)
    for name, tensor in weights.items():
        own = state[name]
        rows = tensor.detach()[: len(own)] if name.endswith("learned.weight") else tensor.detach()
        own.copy_(rows)


@torch.no_grad()
def _proven(model: Transformer, heard: Run, source: Tensor, target: Tensor | None) -> float:
    """Hold the copy against the run. Raises ValueError where they differ."""
    trace: TransformerTrace
    trace = model(source, target) if model.config.has_encoder else model(None, source)
    stacks: list[tuple[Heard, Any]] = [(heard.encoder, trace.encoder or trace.decoder)]
    if heard.decoder is not None:
        stacks.append((heard.decoder, trace.decoder))
    differs, largest = 0.0, 1.0
    for theirs, ours in stacks:
        rows = slice(None) if theirs.hidden is None else ~theirs.hidden
        given, made = theirs.output[rows], present(ours).output[rows]
        differs = max(differs, (given - made).abs().max().item())
        largest = max(largest, given.abs().max().item())
    if not differs <= _LARGEST_DIFFERENCE * largest:
        raise ValueError(
            f"the copy must give what the module gives, and differs by {differs:.2g}: "
            "the module's own code does something between its parts that was not seen"
        )
    return differs
