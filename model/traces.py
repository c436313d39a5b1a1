"""What a forward pass computed: one frozen record for each module, nested as the modules are.

Axes, here and everywhere: `batch`; `source` and `target`, positions of the two sequences, or
`position` where it may be either; `query` and `key`, positions on the two sides of an attention;
`head`; `d_model`; `d_k` and `d_v`, the sizes of one head's keys and values; `d_ff`, the size of the
feed-forward network's hidden layer; `source_vocab` and `target_vocab`, ids.

A field's path is its name: `encoder.layers.1.self_attn.weights` is
`trace.encoder.layers[1].self_attn.weights`, and the module that computed it is
`model.encoder.layers[1].self_attn`. Nobody writes to a tensor that a trace holds.
"""

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import reduce

from jaxtyping import Bool, Float
from torch import Tensor

from model.config import TransformerConfig


@dataclass(frozen=True, eq=False)
class EmbeddingTrace:
    """One embedded sequence (sections 3.4 and 3.5)."""

    tokens: Float[Tensor, "batch position d_model"]
    """Embeddings of the ids, after the scaling by sqrt(d_model) where the variant scales."""
    positions: Float[Tensor, "position d_model"]
    """Positional encodings; zeros where the variant has none."""
    output: Float[Tensor, "batch position d_model"]
    """Their sum (after dropout while training)."""


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """One multi-head attention (section 3.2.2).

    While decoding with a cache, `key` and `value` hold the earlier positions too.
    """

    query: Float[Tensor, "batch head query d_k"]
    key: Float[Tensor, "batch head key d_k"]
    value: Float[Tensor, "batch head key d_v"]
    edited_scores: Float[Tensor, "batch head query key"] | None
    """The scores where an edit replaced them, else None: query and key give them back."""
    mask: Bool[Tensor, "#batch #query key"]
    """True where the query may attend to the key."""
    weights: Float[Tensor, "batch head query key"]
    """Softmax of the masked scores, before dropout. Each row sums to 1."""
    heads: Float[Tensor, "batch head query d_v"]
    """Each head's mix of the values."""
    output: Float[Tensor, "batch query d_model"]

    @property
    def scores(self) -> Float[Tensor, "batch head query key"]:
        """Scaled dot products, before the mask: recomputed, as they are as large as the weights."""
        if self.edited_scores is not None:
            return self.edited_scores
        return scaled_scores(self.query, self.key)


@dataclass(frozen=True, eq=False)
class FeedForwardTrace:
    """One position-wise feed-forward network (section 3.3)."""

    hidden: Float[Tensor, "batch position d_ff"]
    """After the ReLU, so never negative."""
    output: Float[Tensor, "batch position d_model"]


@dataclass(frozen=True, eq=False)
class EncoderLayerTrace:
    """One encoder layer (figure 1, left)."""

    input: Float[Tensor, "batch source d_model"]
    self_attn: AttentionTrace
    after_self_attn: Float[Tensor, "batch source d_model"]
    """After the residual connection, and the norm where it stands after it."""
    feed_forward: FeedForwardTrace
    output: Float[Tensor, "batch source d_model"]


@dataclass(frozen=True, eq=False)
class EncoderTrace:
    """The encoder. Its output is the memory that the decoder attends to."""

    layers: tuple[EncoderLayerTrace, ...]
    output: Float[Tensor, "batch source d_model"]
    """The last layer's output, after the final norm where there is one."""


@dataclass(frozen=True, eq=False)
class DecoderLayerTrace:
    """One decoder layer (figure 1, right)."""

    input: Float[Tensor, "batch target d_model"]
    self_attn: AttentionTrace
    after_self_attn: Float[Tensor, "batch target d_model"]
    cross_attn: AttentionTrace
    after_cross_attn: Float[Tensor, "batch target d_model"]
    feed_forward: FeedForwardTrace
    output: Float[Tensor, "batch target d_model"]


@dataclass(frozen=True, eq=False)
class DecoderTrace:
    """The decoder."""

    layers: tuple[DecoderLayerTrace, ...]
    output: Float[Tensor, "batch target d_model"]


@dataclass(frozen=True, eq=False)
class TransformerTrace:
    """One whole forward pass (figure 1)."""

    source_embedding: EmbeddingTrace
    encoder: EncoderTrace
    target_embedding: EmbeddingTrace
    decoder: DecoderTrace
    logits: Float[Tensor, "batch target target_vocab"]
    output: Float[Tensor, "batch target target_vocab"]
    """What the variant hands on: logits, log-softmax or softmax."""


Trace = (
    EmbeddingTrace
    | AttentionTrace
    | FeedForwardTrace
    | EncoderLayerTrace
    | EncoderTrace
    | DecoderLayerTrace
    | DecoderTrace
    | TransformerTrace
)


def scaled_scores(
    query: Float[Tensor, "batch head query d_k"], key: Float[Tensor, "batch head key d_k"]
) -> Float[Tensor, "batch head query key"]:
    """QK^T / sqrt(d_k) (equation 1, up to the softmax)."""
    return (query @ key.transpose(-2, -1)).div_(math.sqrt(query.size(-1)))


def named_tensors(trace: Trace, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of a trace under its dotted name, in the order it was computed."""
    for field in fields(trace):
        name = "scores" if field.name == "edited_scores" else field.name
        value = getattr(trace, name)
        if isinstance(value, Tensor):
            yield f"{prefix}{name}", value
        elif isinstance(value, tuple):
            for i, item in enumerate(value):
                yield from named_tensors(item, f"{prefix}{name}.{i}.")
        else:
            yield from named_tensors(value, f"{prefix}{name}.")


def find_tensor(trace: Trace, name: str) -> Tensor:
    """Find a tensor by its dotted name, without the recomputing that listing all of them would do.

    Raises AttributeError or IndexError where nothing has this name, and TypeError where it names a
    part of the trace that is no tensor.
    """

    def enter(value: object, part: str) -> object:
        return value[int(part)] if isinstance(value, tuple) else operator.attrgetter(part)(value)

    found = reduce(enter, name.split("."), trace)
    if not isinstance(found, Tensor):
        raise TypeError(f"a name has to be of one tensor, got {name}")
    return found


_ATTENTION = ("query", "key", "value", "scores", "mask", "weights", "heads", "output")
_FEED_FORWARD = ("feed_forward.hidden", "feed_forward.output", "output")


def tensor_names(config: TransformerConfig) -> tuple[str, ...]:
    """List what a forward pass of this config captures, without running one, in the same order."""
    embedding = ("tokens", "positions", "output")
    self_attn = ("input", *(f"self_attn.{n}" for n in _ATTENTION), "after_self_attn")
    cross_attn = (*(f"cross_attn.{n}" for n in _ATTENTION), "after_cross_attn")
    encoder_layer = (*self_attn, *_FEED_FORWARD)
    decoder_layer = (*self_attn, *cross_attn, *_FEED_FORWARD)
    return (
        *(f"source_embedding.{n}" for n in embedding),
        *(f"encoder.layers.{i}.{n}" for i in range(config.n_encoder_layers) for n in encoder_layer),
        "encoder.output",
        *(f"target_embedding.{n}" for n in embedding),
        *(f"decoder.layers.{i}.{n}" for i in range(config.n_decoder_layers) for n in decoder_layer),
        "decoder.output",
        "logits",
        "output",
    )


HEAD_TENSORS = frozenset({"query", "key", "value", "scores", "weights", "heads"})
"""Last parts of the names whose tensors have a head axis (the second one)."""
