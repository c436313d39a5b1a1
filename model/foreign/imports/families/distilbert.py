"""DistilBERT (Sanh et al. 2019): BERT without segments, under other names."""

from collections.abc import Collection

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.families.bert import take_generator
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.settings import ACTIVATIONS, Settings

_EMBEDDING = {
    "source_embedding": "embeddings.word_embeddings",
    "source_embedding.learned": "embeddings.position_embeddings",
    "source_embedding.norm": "embeddings.LayerNorm",
}
_LAYER = {
    "self_attn.query": "attention.q_lin",
    "self_attn.key": "attention.k_lin",
    "self_attn.value": "attention.v_lin",
    "self_attn.output": "attention.out_lin",
    "self_attn_norm": "sa_layer_norm",
    "feed_forward.expand": "ffn.lin1",
    "feed_forward.contract": "ffn.lin2",
    "feed_forward_norm": "output_layer_norm",
}
_HEAD = {"transform.dense": "vocab_transform", "transform.norm": "vocab_layer_norm"}
_EPS = 1e-12
"""The epsilon of all norms, from transformers' `modeling_distilbert.py`; config.json lacks it."""


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config of a DistilBERT. Sinusoidal positions are stored like learned ones."""
    settings.ignore("qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds", "tie_weights_")
    d_model = settings.whole("dim")
    n_heads = settings.whole("n_heads")
    has_head = "vocab_transform.weight" in names
    tied = settings.flag("tie_word_embeddings", True)
    return TransformerConfig(
        source_vocab_size=settings.whole("vocab_size"),
        target_vocab_size=0,
        pad_id=settings.whole("pad_token_id", 0, least=0),
        d_model=d_model,
        d_ff=settings.whole("hidden_dim"),
        n_heads=n_heads,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        n_encoder_layers=settings.whole("n_layers"),
        n_decoder_layers=0,
        norm_eps=_EPS,
        activation=settings.choice("activation", ACTIVATIONS, "gelu"),
        positions="learned",
        max_length=settings.whole("max_position_embeddings"),
        embedding_norm=True,
        scale_embeddings=False,
        tying="all" if tied and has_head else "none",
        head="transform" if has_head else "none",
        dropout=0.0,
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a DistilBERT's weights."""
    prefix = prefix_of(weights, "distilbert.")
    embedding = {ours: f"{prefix}{theirs}" for ours, theirs in _EMBEDDING.items()}
    layers = stack_table(
        config.n_encoder_layers, "encoder.layers", f"{prefix}transformer.layer", _LAYER
    )
    taken = renamed(weights, embedding | layers)
    if config.head == "transform":
        taken |= renamed(weights, _HEAD)
        taken |= take_generator(weights, "vocab_projector.weight", ("vocab_projector.bias",))
    return taken


FAMILY = Family(
    title="DistilBERT",
    model_types=frozenset({"distilbert"}),
    read_config=read_config,
    take=take,
    embeddings=tuple(
        f"{prefix}embeddings.word_embeddings.weight" for prefix in ("distilbert.", "")
    ),
    generators=("vocab_projector.weight",),
    buffers=(
        "*embeddings.position_ids",
        "pre_classifier.*",  # heads that predict no tokens, here and below
        "classifier.*",
        "qa_outputs.*",
    ),
)
