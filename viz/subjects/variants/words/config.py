"""What the fields of a config mean, and what their values are called."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from viz.pictures.numbers import number_text
from viz.run.config_words import POSITIONS, TYING

Part = Literal["norm", "positions", "masks", "embedding", "attention", "output", "dropout", "size"]


class FieldWords(NamedTuple):
    """One field in plain words."""

    part: Part
    """Of the model, where it acts."""
    words: str
    write: Callable[[Any], str]
    """Puts a value into words."""


def _either(yes: str, no: str) -> Callable[[bool], str]:
    return lambda value: yes if value else no


_DROPOUT_POINTS = {
    "embedding": "embeddings",
    "attention_weights": "attention weights",
    "feed_forward_hidden": "hidden layer of the feed-forward network",
    "sublayer_output": "output of each sublayer",
}

FIELDS = {
    "norm_placement": FieldWords(
        "norm",
        "where the norm stands",
        {
            "post": "after the residual: norm(x + sublayer(x))",
            "pre": "before the sublayer: x + sublayer(norm(x))",
        }.__getitem__,
    ),
    "final_norm": FieldWords(
        "norm", "one more norm at the end of each stack", _either("yes", "no")
    ),
    "norm": FieldWords(
        "norm",
        "what the norm divides by",
        {
            "layer": "√(variance + eps), over n: LayerNorm",
            "unbiased_std": "std + eps, over n − 1",
            "rms": "√(mean of squares + eps): RMSNorm",
        }.__getitem__,
    ),
    "norm_eps": FieldWords("norm", "eps of the norm", number_text),
    "positions": FieldWords(
        "positions", "how positions are encoded", lambda kind: POSITIONS[kind].formula
    ),
    "max_length": FieldWords("positions", "positions in the table", str),
    "scale_embeddings": FieldWords("embedding", "embeddings times √d_model", _either("yes", "no")),
    "tying": FieldWords("embedding", "tied weights", TYING.__getitem__),
    "source_vocab_size": FieldWords("embedding", "known source tokens", str),
    "target_vocab_size": FieldWords("embedding", "known target tokens", str),
    "causal_mask": FieldWords(
        "masks", "later tokens, in decoder self-attention", _either("hidden", "can be read")
    ),
    "encoder_padding_mask": FieldWords(
        "masks", "padding, in the encoder", _either("hidden", "can be read")
    ),
    "decoder_padding_mask": FieldWords(
        "masks", "padding, in the decoder", _either("hidden", "can be read")
    ),
    "mask_fill": FieldWords("masks", "a hidden score becomes", number_text),
    "pad_id": FieldWords("masks", "id of the padding", str),
    "attention_bias": FieldWords(
        "attention", "biases of its four projections", _either("yes", "no")
    ),
    "n_heads": FieldWords("attention", "heads", str),
    "d_k": FieldWords("attention", "d_k, of one head's queries and keys", str),
    "d_v": FieldWords("attention", "d_v, of one head's values", str),
    "output": FieldWords(
        "output",
        "what is handed on",
        {
            "logits": "logits",
            "log_softmax": "log-softmax: log-probabilities",
            "softmax": "softmax: probabilities",
        }.__getitem__,
    ),
    "dropout_at": FieldWords(
        "dropout",
        "dropout while training, at",
        lambda points: ", ".join(_DROPOUT_POINTS[p] for p in _DROPOUT_POINTS if p in points),
    ),
    "dropout": FieldWords("dropout", "rate of dropout while training", str),
    "d_model": FieldWords("size", "d_model", str),
    "d_ff": FieldWords("size", "d_ff", str),
    "n_encoder_layers": FieldWords("size", "layers of the encoder", str),
    "n_decoder_layers": FieldWords("size", "layers of the decoder", str),
}
"""Every field of a config, in the order of the table."""
