"""Three short facts: tied weights, the scale of embeddings, the biases of attention."""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.checkpoint import Checkpoint
from model.config import TransformerConfig, Tying
from model.edits import Edit, Edits
from model.numberless import numberless
from model.transformer import Transformer, count_parameters
from viz.run.record import KINDS, attention_name, layer_count
from viz.subjects.variants.material import Material, source_ids, target_ids


@dataclass(frozen=True)
class Tied:
    """Parameters of one and the same model with its weights tied or not."""

    counts: dict[Tying, int]


@dataclass(frozen=True)
class Scale:
    """Sizes of embedded tokens and of positions, by variant: root mean square of their numbers."""

    scaled: dict[str, bool]
    tokens: dict[str, float]
    positions: dict[str, float]
    table: dict[str, float]
    """Of the embedding matrix itself."""


Projection = Literal["query", "key", "value", "output"]


@dataclass(frozen=True)
class Biases:
    """What becomes of the logits when one projection's biases are taken out of every attention."""

    parameters: int
    """Biases of attention, and of the whole model."""
    of: int
    largest: dict[Projection, float]
    changes: dict[Projection, float]
    """Largest change of a logit."""


def count_tied(material: Material, variant: str = "paper") -> Tied:
    """Build a variant without numbers, with each way of tying, and count."""
    config = material.checkpoints[variant].model.config
    one_vocabulary = replace(config, tying="none", source_vocab_size=config.target_vocab_size)
    return Tied({tying: _count(one_vocabulary, tying) for tying in ("none", "decoder", "all")})


def compare_scale(material: Material) -> Scale:
    """Measure embedded tokens and positions of the source in view, in each variant."""
    embeddings = {name: c.model.embedding_of("source") for name, c in material.checkpoints.items()}
    with torch.inference_mode():
        traces = {
            name: embedding(source_ids(material.checkpoints[name], material.text))
            for name, embedding in embeddings.items()
        }
    return Scale(
        scaled={n: c.model.config.scale_embeddings for n, c in material.checkpoints.items()},
        tokens={name: _rms(trace.tokens) for name, trace in traces.items()},
        positions={name: _rms(trace.positions) for name, trace in traces.items()},
        table={name: _rms(embedding.weight) for name, embedding in embeddings.items()},
    )


def remove_biases(material: Material, variant: str = "paper") -> Biases:
    """Take the biases of one projection after the other out of a checkpoint, by edits."""
    checkpoint = material.checkpoints[variant]
    model = checkpoint.model
    source = source_ids(checkpoint, material.text)
    target = target_ids(checkpoint, material.pairs[0][1])[:, :-1]
    found = [(n, p) for n, p in model.named_parameters() if "_attn." in n and n.endswith(".bias")]
    largest: dict[Projection, float] = {}
    changes: dict[Projection, float] = {}
    with torch.inference_mode():
        before = model(source, target).logits
        for name in ("query", "key", "value", "output"):
            own = [p for path, p in found if path.endswith(f".{name}.bias")]
            largest[name] = max((p.abs().max().item() for p in own), default=0.0)
            after = model(source, target, edits=_without(checkpoint, name)).logits
            changes[name] = (after - before).abs().max().item()
    parameters = sum(p.numel() for _, p in found)
    total = sum(p.numel() for p in model.parameters())
    return Biases(parameters, total, largest, changes)


def _without(checkpoint: Checkpoint, projection: Projection) -> Edits:
    """Make edits that subtract a projection's biases again."""
    model = checkpoint.model
    edits: dict[str, Edit] = {}
    for kind in KINDS:
        for layer in range(layer_count(model.config, kind)):
            path = attention_name(kind, layer).removesuffix(".weights")
            linear = model.get_submodule(f"{path}.{projection}")
            if not isinstance(linear, nn.Linear) or linear.bias is None:
                continue
            bias: Tensor = linear.bias
            if projection != "output":
                bias = bias.view(model.config.n_heads, 1, -1)
            edits[f"{path}.{projection}"] = lambda tensor, bias=bias: tensor - bias
    return Edits(edits)


def _count(config: TransformerConfig, tying: Tying) -> int:
    with numberless():
        return count_parameters(Transformer(replace(config, tying=tying)))


def _rms(tensor: Float[Tensor, "..."]) -> float:
    return tensor.double().square().mean().sqrt().item()
