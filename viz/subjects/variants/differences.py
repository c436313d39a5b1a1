"""How the configs of variants differ from the paper's, in plain words, and where each acts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from model.config import TransformerConfig
from viz.pictures.numbers import number_text
from viz.run.config_words import POSITIONS, TYING
from viz.run.record import Run
from viz.subjects.map.blocks import Block
from viz.subjects.map.describe import describe

Part = Literal["norm", "positions", "masks", "embedding", "attention", "output", "dropout", "size"]


@dataclass(frozen=True)
class Difference:
    """One field in which some of the configs differ, among each other or from the paper's."""

    field: str
    part: Part
    """Of the model, where it acts."""
    words: str
    values: Mapping[str, str]
    """By variant, in plain words."""
    from_paper: frozenset[str]
    """Variants whose value is not the paper's."""


@dataclass(frozen=True)
class _Row:
    part: Part
    words: str
    write: Callable[[Any], str]
    roles: tuple[str, ...]
    """Of the map's blocks where it acts: all of a role, `role:kind` of attention, or `role:stack`.
    None where it acts only while training, or everywhere."""


def _either(yes: str, no: str) -> Callable[[bool], str]:
    return lambda value: yes if value else no


_NORMS = ("norm", "add_norm", "final_norm")
_DROPOUT_POINTS = {
    "embedding": "embeddings",
    "attention_weights": "attention weights",
    "feed_forward_hidden": "hidden layer of the feed-forward network",
    "sublayer_output": "output of each sublayer",
}

_ROWS = {
    "norm_placement": _Row(
        "norm",
        "where the norm stands",
        {
            "post": "after the residual: norm(x + sublayer(x))",
            "pre": "before the sublayer: x + sublayer(norm(x))",
        }.__getitem__,
        ("norm", "add_norm", "add"),
    ),
    "final_norm": _Row(
        "norm",
        "one more norm at the end of each stack",
        _either("yes", "no"),
        ("final_norm",),
    ),
    "norm": _Row(
        "norm",
        "what the norm divides by",
        {
            "layer": "√(variance + eps), over n: LayerNorm",
            "unbiased_std": "std + eps, over n − 1",
        }.__getitem__,
        _NORMS,
    ),
    "norm_eps": _Row("norm", "eps of the norm", number_text, _NORMS),
    "positions": _Row(
        "positions",
        "how positions are encoded",
        lambda kind: POSITIONS[kind].formula,
        ("positions",),
    ),
    "max_length": _Row("positions", "positions in the table", str, ("positions",)),
    "scale_embeddings": _Row(
        "embedding",
        "embeddings times √d_model",
        _either("yes", "no"),
        ("embedding",),
    ),
    "tying": _Row(
        "embedding",
        "tied weights",
        TYING.__getitem__,
        ("embedding", "linear"),
    ),
    "source_vocab_size": _Row("embedding", "known source tokens", str, ("embedding:encoder",)),
    "target_vocab_size": _Row(
        "embedding", "known target tokens", str, ("embedding:decoder", "linear")
    ),
    "causal_mask": _Row(
        "masks",
        "later tokens, in decoder self-attention",
        _either("hidden", "can be read"),
        ("attention:decoder self-attention",),
    ),
    "encoder_padding_mask": _Row(
        "masks",
        "padding, in the encoder",
        _either("hidden", "can be read"),
        ("attention:encoder self-attention",),
    ),
    "decoder_padding_mask": _Row(
        "masks",
        "padding, in the decoder",
        _either("hidden", "can be read"),
        ("attention:decoder self-attention", "attention:cross-attention"),
    ),
    "mask_fill": _Row("masks", "a hidden score becomes", number_text, ("attention",)),
    "pad_id": _Row("masks", "id of the padding", str, ("tokens",)),
    "attention_bias": _Row(
        "attention", "biases of its four projections", _either("yes", "no"), ("attention",)
    ),
    "n_heads": _Row("attention", "heads", str, ("attention",)),
    "d_k": _Row("attention", "d_k, of one head's queries and keys", str, ("attention",)),
    "d_v": _Row("attention", "d_v, of one head's values", str, ("attention",)),
    "output": _Row(
        "output",
        "what is handed on",
        {
            "logits": "logits",
            "log_softmax": "log-softmax: log-probabilities",
            "softmax": "softmax: probabilities",
        }.__getitem__,
        ("output",),
    ),
    "dropout_at": _Row(
        "dropout",
        "dropout while training, at",
        lambda points: ", ".join(_DROPOUT_POINTS[p] for p in _DROPOUT_POINTS if p in points),
        (),
    ),
    "dropout": _Row("dropout", "rate of dropout while training", str, ()),
    "d_model": _Row("size", "d_model", str, ()),
    "d_ff": _Row("size", "d_ff", str, ("feed_forward",)),
    "n_encoder_layers": _Row("size", "layers of the encoder", str, ()),
    "n_decoder_layers": _Row("size", "layers of the decoder", str, ()),
}
"""Every field of a config, in the order of the table."""


def differences(
    configs: Mapping[str, TransformerConfig], paper: TransformerConfig
) -> tuple[Difference, ...]:
    """List the fields in which the variants differ, or all of them from the paper's config."""
    found: list[Difference] = []
    for field, row in _ROWS.items():
        own = getattr(paper, field)
        changed = frozenset(name for name, c in configs.items() if getattr(c, field) != own)
        if changed:
            values = {name: row.write(getattr(c, field)) for name, c in configs.items()}
            found.append(Difference(field, row.part, row.words, values, changed))
    return tuple(found)


def blocks_that_differ(run: Run, paper: TransformerConfig) -> tuple[str, ...]:
    """Name the blocks of the run's map in which its model is not the paper's, in their order.

    What acts only while training changes no block.
    """
    config = run.info.config
    fields_changed = [f.name for f in fields(config) if _changed(config, paper, f.name)]
    roles = {role for field in fields_changed for role in _ROWS[field].roles}
    return tuple(block.id for block in describe(run).blocks if roles & _roles(block))


def _roles(block: Block) -> set[str]:
    return {block.role, f"{block.role}:{block.kind}", f"{block.role}:{block.stack}"}


def _changed(config: TransformerConfig, paper: TransformerConfig, field: str) -> bool:
    return getattr(config, field) != getattr(paper, field)
