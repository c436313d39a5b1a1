"""What a model loses where a part of it is cut out: many cuts side by side in one batch.

A cut takes away a head, a whole sublayer, or one edge: one key that one row may no longer read. Row
i of the batch has cut i, and everything after it is computed anew; nothing is stored on the model.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from model.config import TransformerConfig
from model.corpus import Example, pad
from model.edits import NO_EDITS, Bypass, Edit, Edits, InTurn
from model.evaluation import greedy_batch, groups_of_one_size
from model.masks import causal_mask
from model.tokenizer import BOS_ID, EOS_ID
from model.traces import find_tensor, present
from model.transformer import Transformer

R = TypeVar("R")

How = Literal["zero", "mean", "even"]
"""What stands in the place of what was cut.

`zero`: nothing. `mean`: what it is on average over other sentences and all positions (Wang et al.
2022). `even`: the values stay, but each row reads all its keys alike, so that only where a head
looks is lost.
"""

Progress = Callable[[int, int], None]
"""Is told how many batches are done, and of how many."""

_CHUNK_BYTES = 64_000_000
"""That one batch may take, about: larger ones are no faster."""
_LONGEST = 64
"""Tokens that a cut model writes at most."""


@dataclass(frozen=True, order=True)
class Part:
    """A head of an attention, or without one a whole sublayer."""

    sublayer: str
    """Path of its module: `encoder.layers.0.self_attn`, `decoder.layers.1.feed_forward`."""
    head: int | None = None

    @property
    def is_attention(self) -> bool:
        """Whether it has weights."""
        return not self.sublayer.endswith("feed_forward")


@dataclass(frozen=True, order=True)
class Edge:
    """One key that one row of an attention may not read, hidden before the softmax."""

    sublayer: str
    head: int | None
    """None hides it in all heads of the attention."""
    row: int
    key: int


Cut = tuple[Part | Edge, ...]
"""All that is cut at once; nothing where the tuple is empty."""

Means = Mapping[Part, Float[Tensor, " size"]]
"""The average output of each head (d_v) and of each sublayer (d_model)."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """What a forced target costs under each of several cuts."""

    losses: Float[Tensor, " cut"]
    """Mean nats of a forced token, given the right ones before it."""
    best: Int[Tensor, "cut target"]
    """The most probable token of each row. Up to the first one that differs from the target this is
    what greedy decoding writes."""


@dataclass(frozen=True)
class Score:
    """How a cut model does on held-out sentences."""

    loss: float
    """Mean nats of a target token."""
    exact: float
    """Share of sentences that greedy decoding gets right to the last token."""


def sublayers(config: TransformerConfig) -> tuple[Part, ...]:
    """List the sublayers in the order in which they compute."""
    feed_forward = ("feed_forward",) if config.d_ff else ()
    crossing = ("cross_attn",) if config.has_cross_attention else ()
    encoder = ("self_attn", *feed_forward)
    decoder = ("self_attn", *crossing, *feed_forward)
    return (
        *(Part(f"encoder.layers.{i}.{n}") for i in range(config.n_encoder_layers) for n in encoder),
        *(Part(f"decoder.layers.{i}.{n}") for i in range(config.n_decoder_layers) for n in decoder),
    )


def heads(config: TransformerConfig) -> tuple[Part, ...]:
    """List all heads in the order in which they compute."""
    attentions = (part for part in sublayers(config) if part.is_attention)
    return tuple(Part(a.sublayer, head) for a in attentions for head in range(config.n_heads))


def parts(config: TransformerConfig, how: How = "zero") -> tuple[Part, ...]:
    """List each sublayer and then its heads; what has no weights cannot be cut as `even`."""
    of = defaultdict(list)
    for head in heads(config):
        of[head.sublayer].append(head)
    listed = (part for part in sublayers(config) if how != "even" or part.is_attention)
    return tuple(each for part in listed for each in (part, *of[part.sublayer]))


def edges(
    config: TransformerConfig, attention: str, head: int | None, rows: int, keys: int
) -> tuple[Edge, ...]:
    """List what the rows of one attention may read, but for a row's only key."""
    masks = _masks_of(config, attention)
    allowed = allowed_keys(rows, keys, **masks._asdict())
    return tuple(
        Edge(attention, head, row, key)
        for row, may in enumerate(allowed.tolist())
        for key in range(keys)
        if may[key] and sum(may) > 1
    )


def cut_edits(
    config: TransformerConfig,
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    base: Edits = NO_EDITS,
) -> Edits:
    """Make the edits of a batch whose row i has cut i, in a model that has other edits before.

    Edges are hidden, whatever `how` says of the parts. Raises ValueError on `mean` without means,
    and on `even` for a part without weights.
    """
    placed: dict[str, list[tuple[int, Part | Edge]]] = defaultdict(list)
    for row, cut in enumerate(cuts):
        for each in cut:
            placed[_captured(each, how)].append((row, each))
    made = {
        name: _hide(found) if name.endswith(".scores") else _replace(config, found, how, means)
        for name, found in placed.items()
    }
    both = {
        name: InTurn((edit, made[name]))
        for name, edit in base.by_name.items()
        if name in made and not isinstance(edit, Bypass)
    }
    return Edits({**base.by_name, **made, **both})


@torch.inference_mode()
def forced_logits(
    model: Transformer,
    source: Int[Tensor, "batch source"] | None,
    target: Int[Tensor, "batch target"] | None,
    edits: Edits = NO_EDITS,
) -> Float[Tensor, "batch position vocab"]:
    """Give the rows that predict what follows each target position, none having seen it.

    One pass; without a causal mask, or with edits that let a row read later ones, one for each row.
    A model without a decoder, whose target is None, says at each place of the source what stands
    there, having seen it. Raises LookupError where a model predicts nothing.
    """
    config = model.config
    if target is None or (config.causal_mask and not edits.need_all_rows):
        return present(model(source, target, edits=edits).logits)
    ends = range(1, target.size(1) + 1)
    rows = [present(model(source, target[:, :end], edits=edits).logits)[:, -1] for end in ends]
    return torch.stack(rows, dim=1)


def sweep(
    model: Transformer,
    source: Sequence[int],
    target: Sequence[int],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    progress: Progress | None = None,
    base: Edits = NO_EDITS,
) -> Sweep:
    """Force one target, which begins with `<s>`, under each cut in turn.

    The text of a decoder alone is its target, and it has no source. An encoder alone has no target:
    what is forced is its source, each token at its place.
    """
    device = next(model.parameters()).device
    config = model.config
    read = torch.tensor([source], device=device) if config.has_encoder else None
    written = torch.tensor([target], device=device) if config.has_decoder else None
    expected = read if written is None else written[:, 1:]
    losses, best = [], []
    for chunk in chunks_of(config, cuts, len(source), len(target), progress):
        edits = cut_edits(config, chunk, how, means, base)
        texts = (
            (None if read is None else read.expand(len(chunk), -1)),
            (None if written is None else written[:, :-1].expand(len(chunk), -1)),
        )
        logits = forced_logits(model, *texts, edits)
        losses.append(_losses(logits, present(expected).expand(len(chunk), -1)).mean(dim=1))
        best.append(logits.argmax(dim=-1))
    return Sweep(torch.cat(losses).cpu(), torch.cat(best).cpu())


@torch.inference_mode()
def rewrite(
    model: Transformer,
    source: Sequence[int],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    *,
    max_length: int = _LONGEST,
    base: Edits = NO_EDITS,
    bos_id: int = BOS_ID,
    eos_id: int | None = EOS_ID,
) -> list[tuple[int, ...]]:
    """Let a model write greedily under each cut of parts; gives the ids after the first."""
    device = next(model.parameters()).device
    written: list[tuple[int, ...]] = []
    for chunk in chunks_of(model.config, cuts, len(source), len(source)):
        sources = torch.tensor([source], device=device).expand(len(chunk), -1)
        edits = cut_edits(model.config, chunk, how, means, base)
        written += greedy_batch(
            model, sources, max_length=max_length, edits=edits, bos_id=bos_id, eos_id=eos_id
        )
    return written


@dataclass(frozen=True, eq=False)
class GroupSweep:
    """What cuts cost in each of some sentences."""

    losses: Float[Tensor, "cut sentence"]
    """Nats of all target tokens together, each given the right ones before it."""
    right: Bool[Tensor, "cut sentence"]
    """Whether greedy decoding is right to the last token."""


@torch.inference_mode()
def group_sweep(
    model: Transformer,
    group: Sequence[Example],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
) -> GroupSweep:
    """Score each cut on each of some sentences, whose lengths are equal."""
    device = next(model.parameters()).device
    source, target = (pad([getattr(e, side) for e in group]) for side in ("source", "target"))
    losses, right = list[Tensor](), list[Tensor]()
    for chunk in chunks_of(model.config, cuts, *_size(source, target), sentences=len(group)):
        rows = [cut for cut in chunk for _ in group]
        edits = cut_edits(model.config, rows, how, means)
        sources, targets = (x.to(device).repeat(len(chunk), 1) for x in (source, target))
        logits = forced_logits(model, sources, targets[:, :-1], edits)
        losses.append(_losses(logits, targets[:, 1:]).sum(dim=1).view(len(chunk), -1).cpu())
        exact = _are_right(model, sources, targets, logits, edits)
        right.append(exact.view(len(chunk), -1).cpu())
    return GroupSweep(torch.cat(losses), torch.cat(right))


def corpus_sweep(
    model: Transformer,
    examples: Sequence[Example],
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    progress: Progress | None = None,
) -> tuple[Score, ...]:
    """Score each cut on many sentences; only those of equal lengths share a batch.

    With a causal mask greedy decoding is right to the end where the best token of each forced row
    is the target's; without one the sentences are decoded.
    """
    loss, right = torch.zeros(len(cuts), dtype=torch.float64), torch.zeros(len(cuts))
    groups = list(groups_of_one_size(examples))
    for done, group in enumerate(groups):
        found = group_sweep(model, group, cuts, how, means)
        loss += found.losses.double().sum(dim=1)
        right += found.right.sum(dim=1)
        if progress:
            progress(done + 1, len(groups))
    written = sum(len(example.target) - 1 for example in examples)
    return tuple(
        Score(one / written, exact / len(examples))
        for one, exact in zip(loss.tolist(), right.tolist(), strict=True)
    )


@torch.inference_mode()
def mean_outputs(model: Transformer, examples: Sequence[Example]) -> Means:
    """Average what each head and each sublayer puts out, over sentences and their positions."""
    device = next(model.parameters()).device
    sums: dict[Part, Tensor] = {}
    counts: dict[Part, int] = defaultdict(int)
    for group in groups_of_one_size(examples):
        source, target = pad([e.source for e in group]), pad([e.target for e in group])
        trace = model(source.to(device), target[:, :-1].to(device))
        for part in parts(model.config):
            value = find_tensor(trace, _captured(part, "mean"))
            value = value if part.head is None else value[:, part.head]
            sums[part] = sums.get(part, 0) + value.sum(dim=(0, 1))
            counts[part] += value.size(0) * value.size(1)
    return {part: total / counts[part] for part, total in sums.items()}


def _captured(each: Part | Edge, how: How) -> str:
    if isinstance(each, Edge):
        return f"{each.sublayer}.scores"
    if how == "even":
        if not each.is_attention:
            raise ValueError(f"{each.sublayer} has no weights that could be made even")
        return f"{each.sublayer}.weights"
    return f"{each.sublayer}.output" if each.head is None else f"{each.sublayer}.heads"


def _hide(found: Sequence[tuple[int, Part | Edge]]) -> Edit:
    """Make an edit of scores that leaves each row of the batch without its edge.

    Without a causal mask the target is computed as it grows: what is not there yet is not hidden,
    nor is an only key.
    """
    placed = [(row, edge) for row, edge in found if isinstance(edge, Edge)]

    def edit(scores: Tensor) -> Tensor:
        queries, keys = scores.shape[-2:]
        here = [(row, e) for row, e in placed if e.row < queries and e.key < keys and keys > 1]
        everywhere = [(row, e.row, e.key) for row, e in here if e.head is None]
        of_head = [(row, e.head, e.row, e.key) for row, e in here if e.head is not None]
        scores = scores.clone()
        if everywhere:
            batch, row, key = torch.tensor(everywhere, device=scores.device).T
            scores[batch, :, row, key] = -torch.inf
        if of_head:
            scores[tuple(torch.tensor(of_head, device=scores.device).T)] = -torch.inf
        return scores

    return edit


def _replace(
    config: TransformerConfig,
    found: Sequence[tuple[int, Part | Edge]],
    how: How,
    means: Means | None,
) -> Edit:
    """Make an edit that puts something else in the place of some rows of the batch, or heads."""
    if how == "mean" and means is None:
        raise ValueError("a cut to the mean needs the means, got none")
    placed = [(row, part) for row, part in found if isinstance(part, Part)]
    sublayer = placed[0][1].sublayer
    masks = _masks_of(config, sublayer)

    def edit(value: Tensor) -> Tensor:
        value = value.clone()
        whole = [row for row, part in placed if part.head is None]
        for row, part in placed:
            if part.head is not None:
                value[row, part.head] = fill(value, part)
        if whole:
            value[torch.tensor(whole, device=value.device)] = fill(value, Part(sublayer))
        return value

    def fill(value: Tensor, part: Part) -> Tensor | float:
        if how == "even":
            return even_weights(value, **masks._asdict())
        return means[part].to(value) if how == "mean" and means is not None else 0.0

    return edit


def even_weights(
    weights: Float[Tensor, "batch head query key"], *, causal: bool, window: int = 0
) -> Float[Tensor, "query key"]:
    """Give each row the same weight for each key that it may read, where nothing is padding.

    With a cache the queries are the last positions of those that are the keys.
    """
    queries, keys = weights.shape[-2:]
    allowed = allowed_keys(queries, keys, causal=causal, window=window).to(weights)
    return allowed / allowed.sum(dim=-1, keepdim=True)


def allowed_keys(
    queries: int, keys: int, *, causal: bool, window: int = 0
) -> Bool[Tensor, "query key"]:
    """Say which keys each query may read, where nothing is padding (section 3.2.3)."""
    if not causal:
        return torch.ones(queries, keys, dtype=torch.bool)
    return causal_mask(queries, past=keys - queries, window=window)[0]


class _Masks(NamedTuple):
    """What hides keys of an attention for their place alone."""

    causal: bool
    window: int


def _masks_of(config: TransformerConfig, attention: str) -> _Masks:
    reads_itself = attention.startswith("decoder") and "self" in attention
    is_causal = config.causal_mask and reads_itself
    return _Masks(is_causal, config.window if is_causal else 0)


def _are_right(
    model: Transformer, source: Tensor, target: Tensor, logits: Tensor, edits: Edits
) -> Tensor:
    if model.config.causal_mask:
        return (logits.argmax(dim=-1) == target[:, 1:]).all(dim=1)
    written = greedy_batch(model, source, max_length=_LONGEST, edits=edits)
    rows = zip(written, target[:, 1:].tolist(), strict=True)
    return torch.tensor([ids == tuple(right) for ids, right in rows])


def _losses(
    logits: Float[Tensor, "batch target target_vocab"], target: Int[Tensor, "batch target"]
) -> Float[Tensor, "batch target"]:
    return functional.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def _size(source: Tensor, target: Tensor) -> tuple[int, int]:
    return source.size(1), target.size(1)


def chunks_of(
    config: TransformerConfig,
    rows: Sequence[R],
    source: int,
    target: int,
    progress: Progress | None = None,
    *,
    sentences: int = 1,
    predicted: int | None = None,
) -> Iterator[Sequence[R]]:
    """Part what is done in rows of a batch, so that the trace of each part stays within memory.

    `predicted` rows of the target have logits; all of them where it is not said.
    """
    each = sentences * trace_bytes(config, source, target, predicted)
    size = max(1, _CHUNK_BYTES // each)
    starts = range(0, len(rows), size)
    for done, start in enumerate(starts, 1):
        yield rows[start : start + size]
        if progress:
            progress(done, len(starts))


def trace_bytes(
    config: TransformerConfig, source: int, target: int, predicted: int | None = None
) -> int:
    """Estimate what one sentence's trace takes: its largest tensors, in float32."""
    wide = 8 * config.d_model + config.d_ff
    encoder = config.n_encoder_layers * source * (wide + 2 * config.n_heads * source)
    across = 2 * config.n_heads * (source + target)
    decoder = config.n_decoder_layers * target * (wide + 4 * config.d_model + across)
    rows = (target or source) if predicted is None else predicted
    return 4 * (encoder + decoder + 3 * rows * config.predicted_vocab_size)
