"""One run of the model: what went in, what it wrote, and all that it computed on the way."""

import math
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.attention import masked_scores
from model.checkpoint import Checkpoint, CheckpointInfo
from model.config import TransformerConfig
from model.decoding import DecodingStep, greedy, score, steps_of
from model.edits import NO_EDITS, Edits
from model.intervention import Intervention, Material, edits_of
from model.tokenizer import BOS_ID, EOS_ID, Encoding
from model.traces import AttentionTrace, TransformerTrace, scaled_scores
from model.transformer import Transformer

AttentionKind = Literal["encoder self-attention", "decoder self-attention", "cross-attention"]
KINDS: tuple[AttentionKind, ...] = get_args(AttentionKind)

AxisText = tuple[Literal["source", "target"], int]
"""A text, and the token of it with which an axis begins."""

MAX_TOKENS = 512
"""Of a source, and of a given target."""
MAX_WRITTEN = 64
"""Tokens that a model writes at most, or twice its source where that is more."""


@dataclass(frozen=True, eq=False)
class Run:
    """Everything that a page may draw. Shared by all sessions, so nobody changes it."""

    info: CheckpointInfo
    """Of the checkpoint, but for this: its target shows the words that this source carries over."""
    source_text: str
    """As typed."""
    source: Encoding
    steps: tuple[DecodingStep, ...]
    target_tokens: tuple[str, ...]
    """From `<s>` to `</s>`, or to the last token where the length ran out first."""
    text: str
    """What was written, for people."""
    given: bool
    """Whether the target was given, rather than decoded."""
    trace: TransformerTrace
    """Of the finished target but its last token, on the CPU: row t wrote target token t + 1."""
    edits: Edits = NO_EDITS
    """What was changed in the model; `interventions` in words."""
    interventions: tuple[Intervention, ...] = ()

    @property
    def is_causal(self) -> bool:
        """Whether no row of the decoder sees a later token, so that one pass gives them all."""
        return self.info.config.causal_mask and not self.edits.need_all_rows

    @property
    def finished(self) -> bool:
        """Whether the model itself ended, by writing `</s>`."""
        return self.steps[-1].token == EOS_ID


@dataclass(frozen=True)
class HeadChecks:
    """What the weights of one head were checked against, computed from this run."""

    row_sum_error: float
    """Largest distance of a row's sum from 1, summed in float64."""
    masked_cells: int
    largest_masked_weight: float
    float64_error: float
    """Largest difference from the softmax recomputed in float64 from queries, keys and mask."""
    changed: bool
    """Whether its scores or weights were changed, so that they need not be that softmax."""


def max_tokens(config: TransformerConfig) -> int:
    """Give the longest sequence that is run, special tokens included: learned positions may end."""
    return min(MAX_TOKENS, config.max_length) if config.positions == "learned" else MAX_TOKENS


def make_run(
    checkpoint: Checkpoint,
    text: str,
    device: str = "cpu",
    target: str = "",
    interventions: tuple[Intervention, ...] = (),
    material: Material | None = None,
) -> Run:
    """Translate a text greedily, or force the target that is given; then trace it in one pass.

    Each step, and the trace, is of the model as the interventions change it. Raises ValueError
    where the source or the target has too many tokens, and on an intervention that cannot be made.
    """
    info, model = checkpoint.info, checkpoint.model
    encoding = info.tokenizers.encode_source(text)
    limit = max_tokens(info.config)
    forced = info.tokenizers.encode_target(target, source=encoding).ids[1:] if target else ()
    for side, length in (("source", len(encoding.ids)), ("target", len(forced))):
        if length > limit:
            raise ValueError(f"a {side} has at most {limit} tokens, got {length}")
    source = torch.tensor([encoding.ids], device=device)
    edits = edits_of(interventions, model, material)
    if forced:
        trace = _trace(model, source, forced, edits)
        # Without a causal mask, the trace has seen the tokens that its rows predict.
        if info.config.causal_mask and not edits.need_all_rows:
            steps = steps_of(trace.logits[0], forced)
        else:
            steps = score(model, source, forced, edits=edits)
    else:
        longest = min(limit, max(MAX_WRITTEN, 2 * len(encoding.ids)))
        steps = tuple(greedy(model, source, max_length=longest, edits=edits))
        trace = _trace(model, source, tuple(step.token for step in steps), edits)
    ids = (BOS_ID, *(step.token for step in steps))
    named = info.tokenizers.naming(encoding)
    return Run(
        info=info if named is info.tokenizers else replace(info, tokenizers=named),
        source_text=text,
        source=encoding,
        steps=steps,
        target_tokens=named.target.tokens(ids),
        text=named.target.decode(ids),
        given=bool(forced),
        trace=trace,
        edits=edits,
        interventions=interventions,
    )


def layer_count(config: TransformerConfig, kind: AttentionKind) -> int:
    """Count the layers that have this kind of attention."""
    if kind == "encoder self-attention":
        return config.n_encoder_layers
    return config.n_decoder_layers


def attention_trace(run: Run, kind: AttentionKind, layer: int) -> AttentionTrace:
    """Find one multi-head attention of a run."""
    return attention_in(run.trace, kind, layer)


def attention_in(trace: TransformerTrace, kind: AttentionKind, layer: int) -> AttentionTrace:
    """Find one multi-head attention in a trace."""
    if kind == "encoder self-attention":
        return trace.encoder.layers[layer].self_attn
    decoder_layer = trace.decoder.layers[layer]
    return decoder_layer.cross_attn if kind == "cross-attention" else decoder_layer.self_attn


def attention_name(kind: AttentionKind, layer: int) -> str:
    """Name its weights as the trace does."""
    stack = "encoder" if kind == "encoder self-attention" else "decoder"
    attention = "cross_attn" if kind == "cross-attention" else "self_attn"
    return f"{stack}.layers.{layer}.{attention}.weights"


def axis_tokens(run: Run, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the rows and the columns of one kind of attention."""
    return name_axes(kind, run.source.tokens, run.target_tokens)


def name_axes(
    kind: AttentionKind, source: tuple[str, ...], target: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the rows and the columns by tokens; the target is from `<s>` to the last one written."""
    texts = {"source": (source, len(source)), "target": (target, len(target) - 1)}
    rows, columns = (
        texts[side][0][first : first + texts[side][1]] for side, first in axis_texts(kind)
    )
    return rows, columns


def axis_texts(kind: AttentionKind) -> tuple[AxisText, AxisText]:
    """Say of which text the rows and the columns are, and with which of its tokens they begin.

    A decoder row is named after the token that it writes, so its text begins after `<s>`; the keys
    of decoder self-attention are the tokens that are already there.
    """
    rows: AxisText = ("source", 0) if kind == "encoder self-attention" else ("target", 1)
    columns: AxisText = ("target", 0) if kind == "decoder self-attention" else ("source", 0)
    return rows, columns


def all_heads(run: Run, kind: AttentionKind) -> Float[np.ndarray, "layer head query key"]:
    """Stack the weights of every head of one kind."""
    layers = range(layer_count(run.info.config, kind))
    return torch.cat([attention_trace(run, kind, layer).weights for layer in layers]).numpy()


def check_head(run: Run, kind: AttentionKind, layer: int, head: int) -> HeadChecks:
    """Check one head's weights: rows, masked cells, and another way to the same numbers."""
    attention = attention_trace(run, kind, layer)
    path = attention_name(kind, layer).removesuffix(".weights")
    weights = attention.weights[:, head].double()
    hidden = ~attention.mask.expand(weights.shape)
    again = float64_weights(attention, head, run.info.config.mask_fill)
    return HeadChecks(
        row_sum_error=(weights.sum(dim=-1) - 1).abs().max().item(),
        masked_cells=int(hidden.sum()),
        largest_masked_weight=weights[hidden].max().item() if hidden.any() else 0.0,
        float64_error=(weights - again).abs().max().item(),
        changed=any(run.edits.touches(f"{path}.{part}") for part in ("scores", "weights")),
    )


def float64_weights(
    attention: AttentionTrace, head: int, mask_fill: float
) -> Float[Tensor, "batch query key"]:
    """Recompute a head's weights in double precision from query, key and mask (equation 1)."""
    query, key = attention.query[:, [head]].double(), attention.key[:, [head]].double()
    scores = masked_scores(scaled_scores(query, key), attention.mask, mask_fill)
    return scores.softmax(dim=-1)[:, 0]


def probability(step: DecodingStep) -> float:
    """Give the probability of the token that a step wrote."""
    return math.exp(step.log_probability)


@torch.inference_mode()
def _trace(
    model: Transformer, source: Tensor, written: tuple[int, ...], edits: Edits
) -> TransformerTrace:
    target = torch.tensor([(BOS_ID, *written[:-1])], device=source.device)
    return _to_cpu(model(source, target, edits=edits))


def _to_cpu(value: Any) -> Any:  # noqa: ANN401 - a record, a tuple of records or a tensor
    """Copy a trace to the CPU; tensors that are there already are shared."""
    if isinstance(value, Tensor):
        return value.cpu()
    if isinstance(value, tuple):
        return tuple(_to_cpu(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _to_cpu(getattr(value, f.name)) for f in fields(value)})
    return value
