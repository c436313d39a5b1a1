"""How the configs of variants differ from the paper's, and where on the map each field acts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from model.config import TransformerConfig
from texts import say_of
from viz.run.record import Run
from viz.subjects.map.blocks import Block
from viz.subjects.map.describe import describe
from viz.subjects.variants.words.config import FIELDS, Part


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


_NORMS = ("norm", "add_norm", "final_norm")
ROLES: dict[str, tuple[str, ...]] = {
    "norm_placement": ("norm", "add_norm", "add"),
    "final_norm": ("final_norm",),
    "norm": _NORMS,
    "norm_eps": _NORMS,
    "positions": ("positions",),
    "max_length": ("positions",),
    "position_offset": ("positions",),
    "rotary_share": ("attention",),
    "rotary_base": ("attention",),
    "rotary_factor": ("attention",),
    "rotary_context": ("attention",),
    "rotary_low": ("attention",),
    "rotary_high": ("attention",),
    "relative_buckets": ("attention",),
    "relative_max_distance": ("attention",),
    "segments": ("embedding",),
    "embedding_norm": ("embedding",),
    "scale_embeddings": ("embedding",),
    "tying": ("embedding", "linear"),
    "source_vocab_size": ("embedding:encoder",),
    "target_vocab_size": ("embedding:decoder", "linear"),
    "causal_mask": ("attention:decoder self-attention",),
    "encoder_padding_mask": ("attention:encoder self-attention",),
    "decoder_padding_mask": ("attention:decoder self-attention", "attention:cross-attention"),
    "target_padding_mask": ("attention:decoder self-attention",),
    "window": ("attention:decoder self-attention",),
    "mask_fill": ("attention",),
    "pad_id": ("tokens",),
    "attention_bias": ("attention",),
    "attention_output_bias": ("attention",),
    "score_scale": ("attention",),
    "n_heads": ("attention",),
    "n_kv_heads": ("attention",),
    "d_k": ("attention",),
    "d_v": ("attention",),
    "head": ("linear",),
    "generator_bias": ("linear",),
    "scale_logits": ("linear",),
    "output": ("output",),
    "dropout_at": (),
    "dropout": (),
    "d_model": (),
    "d_ff": ("feed_forward",),
    "activation": ("feed_forward",),
    "gated": ("feed_forward",),
    "feed_forward_bias": ("feed_forward",),
    "n_encoder_layers": (),
    "n_decoder_layers": (),
}
"""Of the map's blocks where each field acts: all of a role, `role:kind` of attention, or
`role:stack`; none where it acts only during training, or everywhere."""


def differences(
    configs: Mapping[str, TransformerConfig], paper: TransformerConfig
) -> tuple[Difference, ...]:
    """List the fields in which the variants differ, or all of them from the paper's config."""
    found: list[Difference] = []
    for field, row in FIELDS.items():
        own = getattr(paper, field)
        changed = frozenset(name for name, c in configs.items() if getattr(c, field) != own)
        if changed:
            words = say_of("variants.field", field)
            values = {name: row.write(getattr(c, field)) for name, c in configs.items()}
            found.append(Difference(field, row.part, words, values, changed))
    return tuple(found)


def blocks_that_differ(run: Run, paper: TransformerConfig) -> tuple[str, ...]:
    """Name the blocks of the run's map in which its model is not the paper's, in their order.

    What acts only while training changes no block.
    """
    config = run.info.config
    fields_changed = [f.name for f in fields(config) if _changed(config, paper, f.name)]
    roles = {role for field in fields_changed for role in ROLES[field]}
    return tuple(block.id for block in describe(run).blocks if roles & _roles(block))


def _roles(block: Block) -> set[str]:
    return {block.role, f"{block.role}:{block.kind}", f"{block.role}:{block.stack}"}


def _changed(config: TransformerConfig, paper: TransformerConfig, field: str) -> bool:
    return getattr(config, field) != getattr(paper, field)
