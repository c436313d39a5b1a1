"""RoBERTa (Liu et al. 2019): BERT's layers, with positions that count only tokens, not padding.

To count positions, its code recognises padding by the id, even if the attention mask differs.
"""

from collections.abc import Collection
from dataclasses import replace

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.families.bert import encoder_config, take_generator, take_stack
from model.foreign.imports.family import Family, Weights, prefix_of, renamed
from model.foreign.imports.settings import Settings

_HEAD = {"transform.dense": "lm_head.dense", "transform.norm": "lm_head.layer_norm"}
_BIASES = ("lm_head.decoder.bias", "lm_head.bias")
_GENERATOR = "lm_head.decoder.weight"


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config: position p has row p + pad_id + 1 of the table, padding has row pad_id."""
    pad_id = settings.whole("pad_token_id", 1, least=0)
    has_head = any(name.startswith("lm_head.") for name in names)
    if has_head:
        # The head always has exact GELU, and Loupe's config has one activation for head and layers.
        settings.must("hidden_act", "gelu", "gelu_python")
    config = encoder_config(settings, pad_id=pad_id, has_head=has_head, position_offset=pad_id + 1)
    return replace(config, positions_skip_padding=True)


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a RoBERTa's weights."""
    taken = take_stack(weights, config, prefix_of(weights, "roberta."))
    if config.head == "transform":
        taken |= renamed(weights, _HEAD) | take_generator(weights, _GENERATOR, _BIASES)
    return taken


FAMILY = Family(
    title="RoBERTa",
    model_types=frozenset({"roberta"}),
    read_config=read_config,
    take=take,
    embeddings=tuple(f"{prefix}embeddings.word_embeddings.weight" for prefix in ("roberta.", "")),
    generators=(_GENERATOR,),
    buffers=(
        "*embeddings.position_ids",
        "*embeddings.token_type_ids",
        "*pooler.dense.*",  # heads that predict no tokens, here and below
        "classifier.*",
        "qa_outputs.*",
    ),
)
