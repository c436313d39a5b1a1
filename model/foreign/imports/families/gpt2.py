"""GPT-2 (Radford et al. 2019): learned positions, pre-norm, GELU, and one matrix for q, k and v."""

from collections.abc import Collection, Iterator

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.settings import ACTIVATIONS, Settings

_NORMS = {"self_attn_norm": "ln_1", "feed_forward_norm": "ln_2"}
_TURNED = {
    "self_attn.output": "attn.c_proj",
    "feed_forward.expand": "mlp.c_fc",
    "feed_forward.contract": "mlp.c_proj",
}
_PARTS = ("query", "key", "value")


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read the config of a GPT-2."""
    settings.must("scale_attn_by_inverse_layer_idx", False)
    settings.must("add_cross_attention", False)
    settings.ignore(
        "n_ctx",  # the same as n_positions
        "reorder_and_upcast_attn",  # matters only in half precision
        "summary_activation",  # this and the next ones: for a head that summarises a text
        "summary_first_dropout",
        "summary_proj_to_labels",
        "summary_type",
        "summary_use_proj",
    )
    d_model, n_heads = settings.whole("n_embd", 768), settings.whole("n_head", 12)
    return TransformerConfig(
        source_vocab_size=0,
        target_vocab_size=settings.whole("vocab_size", 50257),
        d_model=d_model,
        d_ff=settings.whole("n_inner", 4 * d_model),
        n_heads=n_heads,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        n_encoder_layers=0,
        n_decoder_layers=settings.whole("n_layer", 12),
        norm_placement="pre",
        final_norm=True,
        norm_eps=settings.number("layer_norm_epsilon", 1e-5),
        score_scale=None if settings.flag("scale_attn_weights", True) else 1.0,
        activation=settings.choice("activation_function", ACTIVATIONS, "gelu_new"),
        positions="learned",
        max_length=settings.whole("n_positions", 1024),
        scale_embeddings=False,
        tying="all" if settings.flag("tie_word_embeddings", True) else "none",
        generator_bias=False,
        decoder_padding_mask=False,
        dropout=0.0,
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename the weights, and transpose the matrices, which GPT-2 stores as (in, out)."""
    prefix = prefix_of(weights, "transformer.")
    table = {
        "target_embedding": f"{prefix}wte",
        "target_embedding.learned": f"{prefix}wpe",
        "decoder.norm": f"{prefix}ln_f",
    }
    layers = (config.n_decoder_layers, "decoder.layers", f"{prefix}h")
    taken = renamed(weights, table | stack_table(*layers, _NORMS))
    for name, tensor in renamed(weights, stack_table(*layers, _TURNED)).items():
        taken[name] = tensor.T if name.endswith("weight") else tensor
    for i in range(config.n_decoder_layers):
        taken |= dict(
            _split(weights, f"{prefix}h.{i}.attn.c_attn", f"decoder.layers.{i}.self_attn")
        )
    if config.tying == "none" or "lm_head.weight" in weights:
        taken["generator.weight"] = weights["lm_head.weight"]
    return taken


def _split(weights: Weights, theirs: str, ours: str) -> Iterator[tuple[str, Tensor]]:
    """Split a matrix or bias into those of queries, keys and values, which are side by side."""
    for kind in ("weight", "bias"):
        parts = weights[f"{theirs}.{kind}"].chunk(3, dim=-1)
        for part, tensor in zip(_PARTS, parts, strict=True):
            own = tensor.clone()
            yield f"{ours}.{part}.{kind}", own.T if kind == "weight" else own


FAMILY = Family(
    title="GPT-2",
    model_types=frozenset({"gpt2"}),
    read_config=read_config,
    take=take,
    embeddings=("transformer.wte.weight", "wte.weight"),
    generators=("lm_head.weight",),
    buffers=("*h.*.attn.bias", "*h.*.attn.masked_bias"),
)
