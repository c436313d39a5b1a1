"""The same mathematics in another variant: weights converted, and the outputs compared."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from model.checkpoints.weights import stored_tensors
from model.config import TransformerConfig
from model.decoding.distribution import log_softmax
from model.positions import fixed_positions
from model.transformer import Transformer
from texts import say_of
from viz.pictures.numbers import number_text
from viz.run.record import Run

Weights = dict[str, Tensor]
_LOW_ENOUGH = -1e9
"""A fill that no score comes near: beside any other key its weight is exactly 0 in float32."""
_EMBEDDINGS = ("source_embedding", "target_embedding")
_APART = {"source_embedding": "source_apart", "target_embedding": "target_apart"}


@dataclass(frozen=True)
class Reason:
    """Why a field cannot be converted; as a text it is said in the language of the reader."""

    name: str
    """Of what `say_of("variants.refused", ...)` says."""
    values: Mapping[str, str | float] = field(default_factory=dict)

    def __str__(self) -> str:
        said = {n: v if isinstance(v, str) else number_text(v) for n, v in self.values.items()}
        return say_of("variants.refused", self.name, **said)


class NotTheSameError(ValueError):
    """A conversion that would change the mathematics; `reasons` says why, by field."""

    def __init__(self, reasons: Mapping[str, Reason]) -> None:
        self.reasons = dict(reasons)
        super().__init__()

    def __str__(self) -> str:
        return "; ".join(f"{field}: {why}" for field, why in self.reasons.items())


@dataclass(frozen=True)
class Conversion:
    """A model converted and run beside the one it came from."""

    fields: tuple[str, ...]
    """Of the config, those that differ."""
    logit_difference: float
    """Largest difference of two logits."""
    log_probability_difference: float
    """Largest difference of two logits after log-softmax."""
    output_difference: float
    """Largest difference of two probabilities, from what each model hands on."""


@dataclass(frozen=True)
class _Rule:
    """How one field is converted. `refuse` gives the reason where it cannot be, else None."""

    refuse: Callable[[TransformerConfig, TransformerConfig, Weights], Reason | None]
    change: Callable[[TransformerConfig, TransformerConfig, Weights], Weights]


def convert(model: Transformer, config: TransformerConfig) -> Transformer:
    """Build a model of another config that computes the same as this one, in eval mode.

    Raises NotTheSameError, with a reason for each field that stands in the way.
    """
    weights = {name: t.detach() for name, t in model.state_dict().items()}
    old = model.config
    changed = [f.name for f in fields(config) if getattr(old, f.name) != getattr(config, f.name)]
    reasons = {name: why for name in changed if (why := _reason(name, old, config, weights))}
    if reasons:
        raise NotTheSameError(reasons)
    for name in changed:
        weights = _RULES[name].change(old, config, weights)
    with torch.random.fork_rng(devices=[]):  # leave the caller's random numbers alone
        converted = Transformer(config)
    converted = converted.to(model.device)
    with torch.no_grad():
        for name, tensor in stored_tensors(converted).items():
            tensor.copy_(weights[name])
    return converted.eval().requires_grad_(False)


def convert_run(model: Transformer, run: Run, changes: Mapping[str, Any]) -> Conversion:
    """Convert the model of a run, and compare on what the run read and wrote.

    Raises NotTheSameError.
    """
    device = model.device
    bos = run.info.tokenizers.encode_target("").ids[:1]
    ids = [*bos, *(step.token for step in run.steps)]
    source, target = ([run.source.ids], [ids[:-1]])
    return measure_conversion(
        model,
        changes,
        torch.tensor(source, device=device),
        torch.tensor(target, device=device),
    )


def measure_conversion(
    model: Transformer,
    changes: Mapping[str, Any],
    source: Int[Tensor, "batch source"],
    target: Int[Tensor, "batch target"],
) -> Conversion:
    """Convert a model to its config with some fields changed, and run both on the same ids.

    Raises NotTheSameError, also where no such config can be.
    """
    try:
        config = replace(model.config, **changes)
    except ValueError as error:
        raise NotTheSameError({"config": Reason("impossible", {"error": str(error)})}) from error
    converted = convert(model, config)
    with torch.inference_mode():
        before, after = (m(source, target) for m in (model, converted))
    return Conversion(
        fields=tuple(
            name for name in changes if getattr(model.config, name) != getattr(config, name)
        ),
        logit_difference=_largest(before.logits - after.logits),
        log_probability_difference=_largest(log_softmax(before.logits) - log_softmax(after.logits)),
        output_difference=_largest(
            _probabilities(model.config, before.output) - _probabilities(config, after.output)
        ),
    )


def _largest(difference: Tensor) -> float:
    return difference.abs().max().item()


def _probabilities(config: TransformerConfig, output: Tensor) -> Tensor:
    if config.output == "logits":
        return output.softmax(dim=-1)
    return output.exp() if config.output == "log_softmax" else output


def _reason(
    name: str, old: TransformerConfig, new: TransformerConfig, weights: Weights
) -> Reason | None:
    if name in _RULES:
        return _RULES[name].refuse(old, new, weights)
    return Reason(_OTHER_MATHEMATICS[name])


_OTHER_MATHEMATICS = {
    "norm_placement": "norm_placement",
    "final_norm": "final_norm",
    "causal_mask": "causal",
    "encoder_padding_mask": "padding",
    "decoder_padding_mask": "padding",
    "pad_id": "pad_id",
    **dict.fromkeys(("source_vocab_size", "target_vocab_size"), "vocabulary"),
    **dict.fromkeys(
        ("d_model", "d_ff", "n_heads", "d_k", "d_v", "n_encoder_layers", "n_decoder_layers"),
        "shapes",
    ),
}


def _never(*_: object) -> None:
    return None


def _as_it_is(_old: TransformerConfig, _new: TransformerConfig, weights: Weights) -> Weights:
    return weights


def _fold_std(old: TransformerConfig, new: TransformerConfig, weights: Weights) -> Weights:
    ratio = math.sqrt(old.d_model / (old.d_model - 1))
    factor = ratio if new.norm == "unbiased_std" else 1 / ratio
    return {n: w * factor if n.endswith("norm.weight") else w for n, w in weights.items()}


def _refuse_biases(
    _old: TransformerConfig, new: TransformerConfig, weights: Weights
) -> Reason | None:
    if new.attention_bias:
        return None
    used = [w.abs().max().item() for n, w in weights.items() if _is_bias(n) and ".key." not in n]
    largest = max(used, default=0.0)
    return Reason("biases", {"largest": largest}) if largest else None


def _change_biases(_old: TransformerConfig, new: TransformerConfig, weights: Weights) -> Weights:
    if not new.attention_bias:
        return {n: w for n, w in weights.items() if not _is_bias(n)}
    biases = {
        n.removesuffix("weight") + "bias": w.new_zeros(w.size(0))
        for n, w in weights.items()
        if "_attn." in n and n.endswith(".weight")
    }
    return weights | biases


def _is_bias(name: str) -> bool:
    return "_attn." in name and name.endswith(".bias")


def _refuse_scale(
    _old: TransformerConfig, new: TransformerConfig, _weights: Weights
) -> Reason | None:
    if new.tying == "none":
        return None
    return Reason("scale")


def _fold_scale(_old: TransformerConfig, new: TransformerConfig, weights: Weights) -> Weights:
    root = math.sqrt(new.d_model)
    factor = 1 / root if new.scale_embeddings else root
    names = {f"{side}.weight" for side in _EMBEDDINGS}
    return {n: w * factor if n in names else w for n, w in weights.items()}


def _refuse_tying(
    _old: TransformerConfig, new: TransformerConfig, weights: Weights
) -> Reason | None:
    one = weights["generator.weight"]
    tied = {"none": (), "decoder": ("target_embedding",), "all": _EMBEDDINGS}[new.tying]
    apart = [side for side in tied if not torch.equal(weights[f"{side}.weight"], one)]
    if not apart:
        return None
    return Reason("both_apart" if len(apart) > 1 else _APART[apart[0]])


def _refuse_fill(
    old: TransformerConfig, new: TransformerConfig, _weights: Weights
) -> Reason | None:
    high = [fill for fill in (old.mask_fill, new.mask_fill) if fill > _LOW_ENOUGH]
    if high:
        return Reason("fill", {"fill": high[0]})
    return None


def _refuse_positions(
    old: TransformerConfig, new: TransformerConfig, _weights: Weights
) -> Reason | None:
    if new.positions == "learned" and old.positions != "learned":
        return None
    return Reason("positions")


def _fill_table(old: TransformerConfig, new: TransformerConfig, weights: Weights) -> Weights:
    table = fixed_positions(old.positions, new.max_length, old.d_model)
    return weights | {f"{side}.learned.weight": table for side in _EMBEDDINGS}


def _refuse_length(
    old: TransformerConfig, new: TransformerConfig, _weights: Weights
) -> Reason | None:
    if old.positions == new.positions == "learned":
        return Reason("length")
    return None


_RULES = {
    "output": _Rule(_never, _as_it_is),
    "norm": _Rule(_never, _fold_std),
    "norm_eps": _Rule(_never, _as_it_is),
    "attention_bias": _Rule(_refuse_biases, _change_biases),
    "scale_embeddings": _Rule(_refuse_scale, _fold_scale),
    "tying": _Rule(_refuse_tying, _as_it_is),
    "mask_fill": _Rule(_refuse_fill, _as_it_is),
    "positions": _Rule(_refuse_positions, _fill_table),
    "max_length": _Rule(_refuse_length, _as_it_is),
    "dropout": _Rule(_never, _as_it_is),
    "dropout_at": _Rule(_never, _as_it_is),
}
"""By field. What each does is told by `say_of("variants.step", ...)`."""
