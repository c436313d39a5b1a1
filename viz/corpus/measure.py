"""What every head does in a shard of sentences, as tables: the model runs them given their targets.

Only sentences of equal length share a batch, so nothing is padded: that is right for the variants
which do not mask padding, and eight times as fast as one by one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.attribution.ablation import group_sweep
from model.attribution.cuts import Part
from model.checkpoints.checkpoint import Checkpoint, CheckpointInfo
from model.config import TransformerConfig
from model.text.corpus import Example, make_example, pad
from model.traces import TransformerTrace
from model.transformer import Transformer
from sample_data.pairs import Pair
from sample_data.tasks import is_held_out
from viz.corpus.tables import OTHER, SCHEMAS, SPECIAL, TABLES, HeadName, TableName
from viz.run.head_roles import sentences_of, word_classes
from viz.run.head_summary import METRICS, head_metrics
from viz.run.jobs import JOBS
from viz.run.record import KINDS, AttentionKind, attention_in, attention_name, layer_count

_MOST_TOGETHER = 256
_MOST_WEIGHTS = 1 << 22
"""Of one attention of a batch."""

JOB_NAMES = tuple(job.name for job in JOBS)
"""What the numbers of jobs stand for: an atlas keeps them, since there may be others later."""

Tables = dict[TableName, pa.Table]
_Columns = dict[str, Any]


def check_translates(info: CheckpointInfo) -> None:
    """Raise ValueError for a model of one text."""
    if not info.config.has_cross_attention:
        raise ValueError("an atlas needs a model that reads one text and writes another")


class Measurer:
    """Measures pairs with a checkpoint, which is loaded once."""

    def __init__(
        self, checkpoint: Checkpoint, decimals: int | None = None, *, cuts: bool = False
    ) -> None:
        """Measure with a checkpoint; with `cuts` also without each of its heads."""
        check_translates(checkpoint.info)
        self.checkpoint = checkpoint
        self.decimals = decimals
        self._heads = _heads(checkpoint.info.config) if cuts else ()
        known, tokenizers = word_classes(checkpoint.info), checkpoint.info.tokenizers
        self._words = {
            "source": (tokenizers.source.all_tokens, known.source),
            "target": (tokenizers.target.all_tokens, known.target),
        }

    def __call__(self, pairs: Sequence[Pair], first: int = 0) -> Tables:
        """Measure a shard of pairs, whose first is so numbered.

        Raises ValueError where a text cannot be run.
        """
        info = self.checkpoint.info
        examples = [make_example(info.tokenizers, p.source, p.target, p.alignment) for p in pairs]
        _check_lengths(examples, info.config.max_length, first)
        parts: dict[TableName, list[_Columns]] = {"sentences": [], "cells": [], "heads": []}
        if self._heads:
            parts["cuts"] = []
        for places in _batches(examples, info.config.n_heads):
            self._batch([examples[i] for i in places], np.array(places) + first, parts)
        tables: dict[TableName, _Columns] = {n: _joined(part) for n, part in parts.items()}
        order = np.argsort(tables["sentences"]["sentence"])
        measured = {name: values[order] for name, values in tables["sentences"].items()}
        tables["sentences"] = measured | {
            "source": [pair.source for pair in pairs],
            "target": [pair.target for pair in pairs],
            "held_out": [is_held_out(pair.source) for pair in pairs],
        }
        tables["tokens"] = self._tokens(examples, first)
        tables["jobs"] = self._jobs(examples, first)
        return {name: self._table(name, tables[name]) for name in TABLES if name in tables}

    def _batch(
        self,
        examples: Sequence[Example],
        numbers: Int[np.ndarray, " batch"],
        parts: dict[TableName, list[_Columns]],
    ) -> None:
        """Run sentences of one size, and add what every head did in them."""
        model = self.checkpoint.model
        device = next(model.parameters()).device
        source, target = pad([e.source for e in examples]), pad([e.target for e in examples])
        with torch.inference_mode():
            trace = model(source.to(device), target[:, :-1].to(device))
            parts["sentences"].append(_outputs(trace, target[:, 1:].to(device), numbers, source))
        if self._heads:
            parts["cuts"].append(_of_cuts(model, examples, self._heads, numbers))
        gold = _gold(examples)
        for kind in KINDS:
            for layer in range(layer_count(self.checkpoint.info.config, kind)):
                attention = attention_in(trace, kind, layer)
                weights = attention.weights.float().cpu().numpy()
                mask = attention.mask.cpu().expand(len(examples), *weights.shape[2:])[0].numpy()
                aligned = gold if kind == "cross-attention" else None
                where = {"kind": kind, "layer": layer, "numbers": numbers}
                parts["heads"].append(_of_heads(weights, mask, aligned, **where))
                parts["cells"].append(_of_rows(weights, aligned, **where))

    def _tokens(self, examples: Sequence[Example], first: int) -> _Columns:
        """List the tokens of both texts, which also begin and end with special ones."""
        found: list[tuple[int, str, int, str, str]] = []
        for number, example in enumerate(examples, first):
            for side, ids in (("source", example.source), ("target", example.target)):
                texts, classes = self._words[side]
                for position, token in enumerate(texts[i] for i in ids):
                    found.append((number, side, position, token, _class_of(token, classes)))
        names = ("sentence", "side", "position", "token", "class")
        return dict(zip(names, zip(*found, strict=True), strict=True))

    def _jobs(self, examples: Sequence[Example], first: int) -> _Columns:
        """List the cells of each job in each sentence."""
        found = [
            (first + place, number, row, key)
            for place, sentence in enumerate(sentences_of(self.checkpoint.info, examples))
            for number, job in enumerate(JOBS)
            for row, key in sorted(set(job.cells(sentence)))
        ]
        columns = np.array(found, np.int64).reshape(-1, 4).T
        return dict(zip(("sentence", "job", "query", "key"), columns, strict=True))

    def _table(self, name: TableName, columns: _Columns) -> pa.Table:
        if name in ("cells", "cuts", "heads"):
            inner = ("query", "sentence") if name == "cells" else ("sentence",)
            order = np.lexsort([columns[n] for n in (*inner, "head", "layer", "kind")])
            columns = {column: values[order] for column, values in columns.items()}
        arrays = []
        for field in SCHEMAS[name]:
            values = columns[field.name]
            if field.name == "kind":
                arrays.append(pa.DictionaryArray.from_arrays(values.astype(np.int32), list(KINDS)))
            elif field.name == "gold" and name == "cells":
                arrays.append(pa.array(values == 1, pa.bool_(), mask=values < 0))
            elif pa.types.is_floating(field.type):
                arrays.append(pa.array(self._rounded(values), field.type))
            else:
                arrays.append(pa.array(values, field.type))
        return pa.table(arrays, schema=SCHEMAS[name])

    def _rounded(self, values: Float[np.ndarray, " row"]) -> Float[np.ndarray, " row"]:
        return values if self.decimals is None else values.round(self.decimals)


def _class_of(token: str, classes: Mapping[str, str]) -> str:
    known = classes.get(token)
    if known:
        return known
    return SPECIAL if token.startswith("<") and token.endswith(">") else OTHER


def _check_lengths(examples: Sequence[Example], longest: int, first: int) -> None:
    for number, example in enumerate(examples, first):
        size = max(len(example.source), len(example.target) - 1)
        if size > longest:
            raise ValueError(
                f"sentence {number} must have at most {longest} tokens on each side, got {size}"
            )


def _batches(examples: Sequence[Example], n_heads: int) -> Iterator[list[int]]:
    """Cut places into batches of one source and one target length; long ones are small."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        groups[len(example.source), len(example.target)].append(place)
    for sizes, places in groups.items():
        together = max(1, min(_MOST_TOGETHER, _MOST_WEIGHTS // (n_heads * max(sizes) ** 2)))
        for start in range(0, len(places), together):
            yield places[start : start + together]


def _outputs(
    trace: TransformerTrace,
    written: Int[Tensor, "batch row"],
    numbers: Int[np.ndarray, " batch"],
    source: Int[Tensor, "batch source"],
) -> _Columns:
    """Return how well the model writes what it is to write."""
    assert trace.logits is not None
    logs = trace.logits.log_softmax(dim=-1).gather(-1, written[..., None])[..., 0]
    right = (trace.logits.argmax(dim=-1) == written).all(dim=-1)
    count = len(numbers)
    return {
        "sentence": numbers,
        "n_source": np.full(count, source.shape[1]),
        "n_target": np.full(count, written.shape[1]),
        "loss": -logs.mean(dim=-1).float().cpu().numpy(),
        "right": right.cpu().numpy(),
    }


def _gold(examples: Sequence[Example]) -> Bool[np.ndarray, "batch row source"]:
    shape = (len(examples), len(examples[0].target) - 1, len(examples[0].source))
    cells = np.zeros(shape, bool)
    for place, example in enumerate(examples):
        for position, index in example.alignment:
            cells[place, index - 1, position] = True
    return cells


def _heads(config: TransformerConfig) -> tuple[HeadName, ...]:
    return tuple(
        HeadName(kind, layer, head)
        for kind in KINDS
        for layer in range(layer_count(config, kind))
        for head in range(config.n_heads)
    )


def _of_cuts(
    model: Transformer,
    examples: Sequence[Example],
    heads: Sequence[HeadName],
    numbers: Int[np.ndarray, " batch"],
) -> _Columns:
    """Return how well the model writes what it is to write without each head in turn."""
    cuts = [
        (Part(attention_name(kind, layer).removesuffix(".weights"), head),)
        for kind, layer, head in heads
    ]
    found = group_sweep(model, examples, cuts)
    tokens, count = len(examples[0].target) - 1, len(numbers)
    return {
        "sentence": np.tile(numbers, len(heads)),
        "kind": np.repeat([KINDS.index(head.kind) for head in heads], count),
        "layer": np.repeat([head.layer for head in heads], count),
        "head": np.repeat([head.head for head in heads], count),
        "loss": (found.losses / tokens).numpy().ravel(),
        "right": found.right.numpy().ravel(),
    }


def _of_heads(
    weights: Float[np.ndarray, "batch head query key"],
    mask: Bool[np.ndarray, "query key"],
    gold: Bool[np.ndarray, "batch query key"] | None,
    *,
    kind: AttentionKind,
    layer: int,
    numbers: Int[np.ndarray, " batch"],
) -> _Columns:
    """Measure the heads of one layer in each sentence: all at once, since all have one mask."""
    batch, heads, *sizes = weights.shape
    flat = weights.reshape(batch * heads, *sizes)
    found = head_metrics(flat, mask, is_cross=kind == "cross-attention")
    if gold is not None:
        found["gold"] = _share_of_hits(weights, gold)
    return {
        "sentence": np.repeat(numbers, heads),
        "kind": np.full(batch * heads, KINDS.index(kind)),
        "layer": np.full(batch * heads, layer),
        "head": np.tile(np.arange(heads), batch),
        **{name: found[name] for name in METRICS},
    }


def _of_rows(
    weights: Float[np.ndarray, "batch head query key"],
    gold: Bool[np.ndarray, "batch query key"] | None,
    *,
    kind: AttentionKind,
    layer: int,
    numbers: Int[np.ndarray, " batch"],
) -> _Columns:
    """Find the key that each row reads most; gold is 1 or 0, and -1 where no key is aligned."""
    batch, heads, queries, _ = weights.shape
    clean = np.nan_to_num(weights)
    key = clean.argmax(axis=-1)
    strongest = np.take_along_axis(weights, key[..., None], axis=-1)[..., 0]
    bits = np.log2(np.maximum(clean, np.finfo(np.float32).tiny))
    entropy = 0 - np.einsum("bhqk,bhqk->bhq", clean, bits)  # no zero with a sign
    hit = np.full(key.shape, -1, np.int8)
    if gold is not None:
        aligned = np.any(gold, axis=-1, keepdims=True).swapaxes(1, 2)
        hit = np.where(aligned, _hits(key, gold), hit)
    count = batch * heads * queries
    return {
        "sentence": np.repeat(numbers, heads * queries),
        "kind": np.full(count, KINDS.index(kind)),
        "layer": np.full(count, layer),
        "head": np.tile(np.repeat(np.arange(heads), queries), batch),
        "query": np.tile(np.arange(queries), batch * heads),
        "key": key.ravel(),
        "weight": strongest.ravel(),
        "entropy": entropy.ravel(),
        "gold": hit.ravel(),
    }


def _hits(
    key: Int[np.ndarray, "batch head query"], gold: Bool[np.ndarray, "batch query key"]
) -> Bool[np.ndarray, "batch head query"]:
    return np.take_along_axis(gold, key.swapaxes(1, 2), axis=-1).swapaxes(1, 2)


def _share_of_hits(
    weights: Float[np.ndarray, "batch head query key"], gold: Bool[np.ndarray, "batch query key"]
) -> Float[np.ndarray, " row"]:
    """Return in how many of the rows that write something aligned a head reads that most."""
    aligned = np.any(gold, axis=-1, keepdims=True).swapaxes(1, 2)
    counting = np.isfinite(weights.sum(axis=-1)) & aligned
    hits = (_hits(np.nan_to_num(weights).argmax(axis=-1), gold) & counting).sum(axis=-1)
    rows = counting.sum(axis=-1)
    unknown = np.full(rows.shape, np.nan)
    return np.divide(hits, rows, out=unknown, where=rows > 0).ravel()


def _joined(parts: Sequence[_Columns]) -> _Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
