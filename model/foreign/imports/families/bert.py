"""BERT (Devlin et al. 2019), with its head for masked words, or without it, as MiniLM is saved."""

from collections.abc import Collection, Iterator, Mapping

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.settings import ACTIVATIONS, Settings

_EMBEDDING = {
    "source_embedding": "embeddings.word_embeddings",
    "source_embedding.learned": "embeddings.position_embeddings",
    "source_embedding.segments": "embeddings.token_type_embeddings",
    "source_embedding.norm": "embeddings.LayerNorm",
}
_LAYER = {
    "self_attn.query": "attention.self.query",
    "self_attn.key": "attention.self.key",
    "self_attn.value": "attention.self.value",
    "self_attn.output": "attention.output.dense",
    "self_attn_norm": "attention.output.LayerNorm",
    "feed_forward.expand": "intermediate.dense",
    "feed_forward.contract": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
_HEAD = {
    "transform.dense": "cls.predictions.transform.dense",
    "transform.norm": "cls.predictions.transform.LayerNorm",
}
_BIASES = ("cls.predictions.decoder.bias", "cls.predictions.bias")
_GENERATOR = "cls.predictions.decoder.weight"


class NamesOfToday(Mapping[str, Tensor]):
    """Weights by today's names, even if a folder's norms have the old names gamma and beta."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def __getitem__(self, name: str) -> Tensor:
        old = _old_name(name)
        return self._weights[name if name in self._weights else old]

    def __contains__(self, name: object) -> bool:
        return name in self._weights or _old_name(str(name)) in self._weights

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config of a BERT, with a head if the folder has weights for it."""
    settings.ignore(
        "directionality",  # this and the next ones: for Google's classifiers
        "pooler_fc_size",
        "pooler_num_attention_heads",
        "pooler_num_fc_layers",
        "pooler_size_per_head",
        "pooler_type",
    )
    return encoder_config(
        settings,
        pad_id=settings.whole("pad_token_id", 0, least=0),
        has_head=any(name.startswith("cls.predictions.") for name in names),
    )


def encoder_config(
    settings: Settings, *, pad_id: int, has_head: bool, position_offset: int = 0
) -> TransformerConfig:
    """Read the fields of config.json that BERT and its descendants share."""
    settings.must("is_decoder", False)
    settings.must("add_cross_attention", False)
    settings.must("position_embedding_type", "absolute")
    d_model = settings.whole("hidden_size")
    n_heads = settings.whole("num_attention_heads")
    tied = settings.flag("tie_word_embeddings", True)
    return TransformerConfig(
        source_vocab_size=settings.whole("vocab_size"),
        target_vocab_size=0,
        pad_id=pad_id,
        d_model=d_model,
        d_ff=settings.whole("intermediate_size"),
        n_heads=n_heads,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        n_encoder_layers=settings.whole("num_hidden_layers"),
        n_decoder_layers=0,
        norm_eps=settings.number("layer_norm_eps", 1e-12),
        activation=settings.choice("hidden_act", ACTIVATIONS, "gelu"),
        positions="learned",
        max_length=settings.whole("max_position_embeddings", least=position_offset + 1)
        - position_offset,
        position_offset=position_offset,
        segments=settings.whole("type_vocab_size", 2),
        embedding_norm=True,
        scale_embeddings=False,
        tying="all" if tied and has_head else "none",
        head="transform" if has_head else "none",
        dropout=0.0,
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a BERT's weights."""
    weights = NamesOfToday(weights)
    taken = take_stack(weights, config, prefix_of(weights, "bert."))
    if config.head == "transform":
        taken |= renamed(weights, _HEAD) | take_generator(weights, _GENERATOR, _BIASES)
    return taken


def take_stack(weights: Weights, config: TransformerConfig, prefix: str) -> dict[str, Tensor]:
    """Rename the embeddings and layers, whose names BERT shares with its descendants."""
    embedding = {ours: f"{prefix}{theirs}" for ours, theirs in _EMBEDDING.items()}
    layers = stack_table(
        config.n_encoder_layers, "encoder.layers", f"{prefix}encoder.layer", _LAYER
    )
    return renamed(weights, embedding | layers)


def take_generator(weights: Weights, matrix: str, biases: Collection[str]) -> dict[str, Tensor]:
    """Take a generator; the folder may lack its matrix, and may name the bias twice."""
    found = [weights[name] for name in biases if name in weights]
    if not found:
        raise KeyError(next(iter(biases)))
    taken = {"generator.bias": found[0]}
    if matrix in weights:
        taken["generator.weight"] = weights[matrix]
    return taken


def _old_name(name: str) -> str:
    for today, old in ((".LayerNorm.weight", ".gamma"), (".LayerNorm.bias", ".beta")):
        if name.endswith(today):
            return name.removesuffix(today) + f".LayerNorm{old}"
    return name


FAMILY = Family(
    title="BERT",
    model_types=frozenset({"bert"}),
    read_config=read_config,
    take=take,
    embeddings=tuple(f"{prefix}embeddings.word_embeddings.weight" for prefix in ("bert.", "")),
    generators=(_GENERATOR,),
    buffers=(
        "*embeddings.position_ids",
        "*embeddings.token_type_ids",
        # heads on the last hidden states that predict no tokens:
        "*pooler.dense.*",
        "cls.seq_relationship.*",
        "classifier.*",
        "qa_outputs.*",
    ),
)
