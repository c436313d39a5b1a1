"""One run of the model: what went in, what it wrote, and all that it computed on the way."""

import math
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.attention import masked_scores
from model.checkpoint import Checkpoint, CheckpointInfo
from model.config import TransformerConfig
from model.decoding import DecodingStep, greedy
from model.tokenizer import BOS_ID, EOS_ID, Encoding
from model.traces import AttentionTrace, TransformerTrace, scaled_scores

AttentionKind = Literal["encoder self-attention", "decoder self-attention", "cross-attention"]
KINDS: tuple[AttentionKind, ...] = get_args(AttentionKind)

MAX_SOURCE_TOKENS = 60
MAX_TARGET_TOKENS = 64


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a page may draw. Shared by all sessions, so nobody changes it."""

    info: CheckpointInfo
    source: Encoding
    steps: tuple[DecodingStep, ...]
    target_tokens: tuple[str, ...]
    """From `<s>` to `</s>`, or to the last token where the length ran out first."""
    text: str
    """What was written, for people."""
    trace: TransformerTrace
    """Of the finished target but its last token, on the CPU: row t wrote target token t + 1."""

    @property
    def finished(self) -> bool:
        """Whether the model itself ended, by writing `</s>`."""
        return self.steps[-1].token == EOS_ID


@dataclass(frozen=True)
class Selection:
    """The head in view, shared by all pages."""

    kind: AttentionKind
    layer: int
    head: int


@dataclass(frozen=True, eq=False)
class HeadView:
    """The weights of one head, and what its rows and columns are."""

    name: str
    """As in the trace, with the head's number."""
    weights: Float[np.ndarray, "query key"]
    mask: Bool[np.ndarray, "query key"]
    """True where the query may attend to the key."""
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]


@dataclass(frozen=True)
class HeadChecks:
    """What the weights of one head were checked against, computed from this run."""

    row_sum_error: float
    """Largest distance of a row's sum from 1, summed in float64."""
    masked_cells: int
    largest_masked_weight: float
    float64_error: float
    """Largest difference from the softmax recomputed in float64 from queries, keys and mask."""


def max_source_tokens(config: TransformerConfig) -> int:
    """Give the longest source that is run, `</s>` included: learned positions may end earlier."""
    if config.positions == "learned":
        return min(MAX_SOURCE_TOKENS, config.max_length)
    return MAX_SOURCE_TOKENS


def make_run(checkpoint: Checkpoint, text: str, device: str = "cpu") -> Run:
    """Translate a text greedily, then trace the finished target in one pass."""
    info, model = checkpoint.info, checkpoint.model
    encoding = info.tokenizers.encode_source(text)
    limit = max_source_tokens(info.config)
    if len(encoding.ids) > limit:
        raise ValueError(f"a source has at most {limit} tokens, got {len(encoding.ids)}")
    longest = MAX_TARGET_TOKENS
    if info.config.positions == "learned":
        longest = min(longest, info.config.max_length)
    source = torch.tensor([encoding.ids], device=device)
    with torch.inference_mode():
        steps = tuple(greedy(model, source, max_length=longest))
        ids = (BOS_ID, *(step.token for step in steps))
        trace = model(source, torch.tensor([ids[:-1]], device=device))
    return Run(
        info=info,
        source=encoding,
        steps=steps,
        target_tokens=info.tokenizers.target.tokens(ids),
        text=info.tokenizers.target.decode(ids),
        trace=_to_cpu(trace),
    )


def layer_count(config: TransformerConfig, kind: AttentionKind) -> int:
    """Count the layers that have this kind of attention."""
    if kind == "encoder self-attention":
        return config.n_encoder_layers
    return config.n_decoder_layers


def attention_trace(run: Run, kind: AttentionKind, layer: int) -> AttentionTrace:
    """Find one multi-head attention in the trace."""
    if kind == "encoder self-attention":
        return run.trace.encoder.layers[layer].self_attn
    decoder_layer = run.trace.decoder.layers[layer]
    return decoder_layer.cross_attn if kind == "cross-attention" else decoder_layer.self_attn


def attention_name(kind: AttentionKind, layer: int) -> str:
    """Name its weights as the trace does."""
    stack = "encoder" if kind == "encoder self-attention" else "decoder"
    attention = "cross_attn" if kind == "cross-attention" else "self_attn"
    return f"{stack}.layers.{layer}.{attention}.weights"


def head_view(run: Run, selection: Selection) -> HeadView:
    """Take one head out of the trace.

    A decoder row is named after the token that it writes; the keys of decoder self-attention are
    the tokens that are already there.
    """
    kind, layer, head = selection.kind, selection.layer, selection.head
    attention = attention_trace(run, kind, layer)
    weights = attention.weights[0, head]
    source = run.source.tokens
    return HeadView(
        name=f"{attention_name(kind, layer)}[{head}]",
        weights=weights.numpy(),
        mask=attention.mask[0].expand(weights.shape).numpy(),
        query_tokens=source if kind == "encoder self-attention" else run.target_tokens[1:],
        key_tokens=run.target_tokens[:-1] if kind == "decoder self-attention" else source,
    )


def all_heads(run: Run, kind: AttentionKind) -> Float[np.ndarray, "layer head query key"]:
    """Stack the weights of every head of one kind."""
    layers = range(layer_count(run.info.config, kind))
    return torch.cat([attention_trace(run, kind, layer).weights for layer in layers]).numpy()


def check_head(run: Run, selection: Selection) -> HeadChecks:
    """Check one head's weights: rows, masked cells, and another way to the same numbers."""
    head = selection.head
    attention = attention_trace(run, selection.kind, selection.layer)
    weights = attention.weights[:, head].double()
    hidden = ~attention.mask.expand(weights.shape)
    again = float64_weights(attention, run.info.config.mask_fill)[:, head]
    return HeadChecks(
        row_sum_error=(weights.sum(dim=-1) - 1).abs().max().item(),
        masked_cells=int(hidden.sum()),
        largest_masked_weight=weights[hidden].max().item() if hidden.any() else 0.0,
        float64_error=(weights - again).abs().max().item(),
    )


def float64_weights(
    attention: AttentionTrace, mask_fill: float
) -> Float[Tensor, "batch head query key"]:
    """Recompute the weights in double precision from queries, keys and mask (equation 1)."""
    scores = scaled_scores(attention.query.double(), attention.key.double())
    return masked_scores(scores, attention.mask, mask_fill).softmax(dim=-1)


def strongest_keys(view: HeadView) -> tuple[tuple[str, str, float], ...]:
    """For each row: its token, the token it reads most, and that weight."""
    best = view.weights.argmax(axis=1)
    return tuple(
        (query, view.key_tokens[key], float(row[key]))
        for query, key, row in zip(view.query_tokens, best, view.weights, strict=True)
    )


def probability(step: DecodingStep) -> float:
    """Give the probability of the token that a step wrote."""
    return math.exp(step.log_probability)


def _to_cpu(value: Any) -> Any:  # noqa: ANN401 - a record, a tuple of records or a tensor
    """Copy a trace to the CPU; tensors that are there already are shared."""
    if isinstance(value, Tensor):
        return value.cpu()
    if isinstance(value, tuple):
        return tuple(_to_cpu(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _to_cpu(getattr(value, f.name)) for f in fields(value)})
    return value
