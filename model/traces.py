"""The trace of a forward pass: one frozen record for each module, nested as the modules are.

Axes, here and everywhere: `batch`; `source` and `target`, positions of the two sequences, or
`position` where it may be either; `query` and `key`, positions on the two sides of an attention;
`head`; `d_model`; `d_k` and `d_v`, the sizes of one head's keys and values; `d_ff`, the size of the
feed-forward network's hidden layer; `source_vocab` and `target_vocab`, ids.

A field's path is its name: `encoder.layers.1.self_attn.weights` is
`trace.encoder.layers[1].self_attn.weights`, and the module that computed it is
`model.encoder.layers[1].self_attn`. No code may write to a tensor in a trace.

A part that a model lacks is None; `present` checks that a part is not None.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import reduce
from typing import TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.config import Side, TransformerConfig

P = TypeVar("P")

WHEN = "when"
"""In the metadata of a field: whether a model captures it, by its config and the field's path."""


def _when(is_there: Callable[[TransformerConfig, str], bool]) -> dict[str, object]:
    return {WHEN: is_there}


_WITH_ENCODER = _when(lambda config, _: config.has_encoder)
_WITH_DECODER = _when(lambda config, _: config.has_decoder)
_WITH_BOTH = _when(lambda config, _: config.has_cross_attention)
_WITH_SEGMENTS = _when(lambda config, _: config.segments > 0)
_WITH_FEED_FORWARD = _when(lambda config, _: config.d_ff > 0)
_WITH_HEAD = _when(lambda config, _: config.head != "none")
_IN_SEQUENCE = _when(lambda config, _: config.norm_placement != "parallel")
_BIASED = _when(
    lambda config, path: config.positions in ("alibi", "relative") and ".cross_attn." not in path
)


class Layers(tuple):
    """The recorded layers of a stack, if some layers were not recorded."""

    numbers: tuple[int, ...] = ()
    """The layers' numbers in the model, which appear in their names."""

    @classmethod
    def of(cls, layers: Sequence, numbers: Sequence[int]) -> Sequence:
        """Return layers with their numbers, or a plain tuple if these are 0, 1, 2 and so on."""
        new = cls(layers)
        new.numbers = tuple(numbers)
        return tuple(layers) if new.numbers == tuple(range(len(new))) else new

    def named(self, number: int) -> object:
        """Return the layer with a number. Raises IndexError if it was not recorded."""
        if number not in self.numbers:
            raise IndexError(f"layer {number} was not recorded")
        return self[self.numbers.index(number)]


def counted(trace: "TransformerTrace") -> "TransformerTrace":
    """Return a trace that numbers its recorded layers from 0."""
    stacks = {
        name: replace(stack, layers=tuple(stack.layers))
        for name in ("encoder", "decoder")
        if (stack := getattr(trace, name)) is not None
    }
    return replace(trace, **stacks)


def numbers_of(layers: Sequence) -> tuple[int, ...]:
    """Return the numbers in the layers' names."""
    return layers.numbers if isinstance(layers, Layers) else tuple(range(len(layers)))


@dataclass(frozen=True, eq=False, kw_only=True)
class EmbeddingTrace:
    """One embedded sequence (sections 3.4 and 3.5)."""

    tokens: Float[Tensor, "batch position d_model"]
    """The embeddings of the ids, multiplied by sqrt(d_model) if the variant does so."""
    positions: Float[Tensor, "*batch position d_model"]
    """The positional encodings, once for all texts, or for each text if padding on the left shifts
    them. They are zeros if the model has no positions, or none that are vectors."""
    segments: Float[Tensor, "batch position d_model"] | None = field(
        default=None, metadata=_WITH_SEGMENTS
    )
    """The embeddings of the kinds of text, if the model has them."""
    output: Float[Tensor, "batch position d_model"]
    """The sum, after the norm if there is one (and after dropout in training)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AttentionTrace:
    """One multi-head attention (section 3.2.2).

    When decoding with a cache, `key` and `value` include the earlier positions. If they have fewer
    heads, query head h reads their head h * kv_heads // heads. `query` and `key` are already
    rotated by rotary positions.
    """

    query: Float[Tensor, "batch head query d_k"]
    key: Float[Tensor, "batch kv_head key d_k"]
    value: Float[Tensor, "batch kv_head key d_v"]
    scale: float
    """The factor that turns dot products into scores."""
    bias: Float[Tensor, "#batch #head #query key"] | None = field(default=None, metadata=_BIASED)
    """The bias that the model adds to the scaled products, depending on the distance, if any."""
    edited_scores: Float[Tensor, "batch head query key"] | None = None
    """The scores if an edit replaced them; else None, as query and key determine them."""
    mask: Bool[Tensor, "#batch #query key"]
    """True for each pair whose query may attend to the key."""
    weights: Float[Tensor, "batch head query key"]
    """The softmax of the masked scores, before dropout. Each row sums to 1."""
    heads: Float[Tensor, "batch head query d_v"]
    """Each head's weighted sum of the values."""
    output: Float[Tensor, "batch query d_model"]
    softcap: float | None = None
    """The cap that tanh sets on the scaled products (Gemma 2); None without a cap."""

    def key_head(self, head: int) -> int:
        """Return the head of the keys and values that a query head reads."""
        return head * self.key.size(1) // self.query.size(1)

    @property
    def scores(self) -> Float[Tensor, "batch head query key"]:
        """The scaled dot products before the mask; recomputed, as they are as large as weights."""
        if self.edited_scores is not None:
            return self.edited_scores
        return scaled_scores(self.query, self.key, self.scale, self.bias, self.softcap)


@dataclass(frozen=True, eq=False, kw_only=True)
class FeedForwardTrace:
    """One position-wise feed-forward network (section 3.3)."""

    hidden: Float[Tensor, "batch position d_ff"] | None
    """The hidden layer after the activation, which is never negative with the paper's ReLU. None if
    a third-party model has no single such vector, as in a mixture of experts."""
    output: Float[Tensor, "batch position d_model"]


@dataclass(frozen=True, eq=False, kw_only=True)
class EncoderLayerTrace:
    """One encoder layer (figure 1, left)."""

    input: Float[Tensor, "batch source d_model"]
    self_attn: AttentionTrace
    after_self_attn: Float[Tensor, "batch source d_model"] | None = field(
        default=None, metadata=_IN_SEQUENCE
    )
    """The state after the residual connection, and after its norm if that comes last; None if the
    attention and the feed-forward network are parallel."""
    feed_forward: FeedForwardTrace | None = field(default=None, metadata=_WITH_FEED_FORWARD)
    output: Float[Tensor, "batch source d_model"]


@dataclass(frozen=True, eq=False, kw_only=True)
class EncoderTrace:
    """The encoder. Its output is the memory that the decoder attends to."""

    layers: Sequence[EncoderLayerTrace]
    output: Float[Tensor, "batch source d_model"]
    """The last layer's output, after the final norm if there is one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DecoderLayerTrace:
    """One decoder layer (figure 1, right)."""

    input: Float[Tensor, "batch target d_model"]
    self_attn: AttentionTrace
    after_self_attn: Float[Tensor, "batch target d_model"] | None = field(
        default=None, metadata=_IN_SEQUENCE
    )
    cross_attn: AttentionTrace | None = field(default=None, metadata=_WITH_BOTH)
    after_cross_attn: Float[Tensor, "batch target d_model"] | None = field(
        default=None, metadata=_WITH_BOTH
    )
    feed_forward: FeedForwardTrace | None = field(default=None, metadata=_WITH_FEED_FORWARD)
    output: Float[Tensor, "batch target d_model"]


@dataclass(frozen=True, eq=False, kw_only=True)
class DecoderTrace:
    """The decoder."""

    layers: Sequence[DecoderLayerTrace]
    output: Float[Tensor, "batch target d_model"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TransformerTrace:
    """One whole forward pass (figure 1)."""

    source_embedding: EmbeddingTrace | None = field(default=None, metadata=_WITH_ENCODER)
    encoder: EncoderTrace | None = field(default=None, metadata=_WITH_ENCODER)
    target_embedding: EmbeddingTrace | None = field(default=None, metadata=_WITH_DECODER)
    decoder: DecoderTrace | None = field(default=None, metadata=_WITH_DECODER)
    logits: Float[Tensor, "batch position vocab"] | None = field(default=None, metadata=_WITH_HEAD)
    """The logits over the target's vocabulary, or over the source's without a decoder."""
    output: Float[Tensor, "batch position vocab"] | None = field(default=None, metadata=_WITH_HEAD)
    """The output of the variant: logits, log-softmax or softmax."""

    def embedding_of(self, side: Side) -> EmbeddingTrace:
        """Return the embedded text of a side. Raises LookupError if there is none."""
        return present(self.source_embedding if side == "source" else self.target_embedding)

    def stack_of(self, side: Side) -> "EncoderTrace | DecoderTrace":
        """Return the stack that reads a side's text. Raises LookupError if there is none."""
        return present(self.encoder if side == "source" else self.decoder)


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


def present(part: P | None) -> P:
    """Return a part of a record. Raises LookupError if the model lacks it."""
    if part is None:
        raise LookupError("this model has no such part")
    return part


def scaled_scores(
    query: Float[Tensor, "batch head query d_k"],
    key: Float[Tensor, "batch kv_head key d_k"],
    scale: float,
    bias: Float[Tensor, "#batch #head #query key"] | None = None,
    softcap: float | None = None,
) -> Float[Tensor, "batch head query key"]:
    """Compute QK^T / sqrt(d_k) (equation 1, before the softmax), plus the bias if there is one.

    A cap turns a score into cap * tanh(score / cap).
    """
    keys = for_each_head(key, query.size(1)).expand(query.size(0), -1, -1, -1)
    # With beta=0 the zeros are ignored; the scale then needs no second pass over the products.
    products = torch.baddbmm(
        query.new_zeros(1, 1, 1),
        query.flatten(0, 1),
        keys.flatten(0, 1).transpose(1, 2),
        beta=0,
        alpha=scale,
    )
    scores = products.view(*query.shape[:-1], key.size(2))
    if softcap is not None:
        scores = (scores / softcap).tanh() * softcap
    return scores if bias is None else scores.add_(bias)


def for_each_head(
    x: Float[Tensor, "batch kv_head key d"], n_heads: int
) -> Float[Tensor, "batch head key d"]:
    """Repeat keys or values so that every query head has those that it reads."""
    return x if x.size(1) == n_heads else x.repeat_interleave(n_heads // x.size(1), dim=1)


def public_name(of: Field) -> str:
    """Return the name of a field in a path; edited scores have the same name as computed ones."""
    return "scores" if of.name == "edited_scores" else of.name


def named_tensors(trace: Trace, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of a trace under its dotted name, in the order it was computed."""
    for each in fields(trace):
        name = public_name(each)
        value = getattr(trace, name)
        if isinstance(value, Tensor):
            yield f"{prefix}{name}", value
        elif isinstance(value, Sequence):
            for i, item in zip(numbers_of(value), value, strict=True):
                yield from named_tensors(item, f"{prefix}{name}.{i}.")
        elif isinstance(value, Trace):
            yield from named_tensors(value, f"{prefix}{name}.")


def changed_tensors(trace: P, change: Callable[[str, Tensor], Tensor], prefix: str = "") -> P:
    """Return a trace in which `change`, given its name and value, replaces each tensor."""
    new: dict[str, object] = {}
    for each in fields(trace):  # pyright: ignore[reportArgumentType]
        name = public_name(each)
        value = getattr(trace, each.name)
        if isinstance(value, Tensor):
            new[each.name] = change(f"{prefix}{name}", value)
        elif isinstance(value, Trace):
            new[each.name] = changed_tensors(value, change, f"{prefix}{name}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            numbers = numbers_of(value)
            pairs = zip(numbers, value, strict=True)
            new[each.name] = Layers.of(
                [changed_tensors(item, change, f"{prefix}{name}.{i}.") for i, item in pairs],
                numbers,
            )
    return replace(trace, **new)  # pyright: ignore[reportArgumentType]


def names_in(trace: Trace, prefix: str = "") -> Iterator[str]:
    """Yield the names of `named_tensors` without computing scores."""
    for each in fields(trace):
        if each.name == "edited_scores":
            yield f"{prefix}scores"
            continue
        value = getattr(trace, each.name)
        if isinstance(value, Tensor):
            yield f"{prefix}{each.name}"
        elif isinstance(value, Sequence):
            for i, item in zip(numbers_of(value), value, strict=True):
                yield from names_in(item, f"{prefix}{each.name}.{i}.")
        elif isinstance(value, Trace):
            yield from names_in(value, f"{prefix}{each.name}.")


def find_tensor(trace: Trace, name: str) -> Tensor:
    """Find a tensor by its dotted name, without recomputing other tensors.

    Raises AttributeError or IndexError if nothing has this name, and TypeError if it names a part
    of the trace that is not a tensor.
    """

    def enter(value: object, part: str) -> object:
        if isinstance(value, Layers):
            return value.named(int(part))
        return value[int(part)] if isinstance(value, Sequence) else operator.attrgetter(part)(value)

    found = reduce(enter, name.split("."), trace)
    if not isinstance(found, Tensor):
        raise TypeError(f"a name must be that of one tensor, got {name}")
    return found
