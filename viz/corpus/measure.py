"""Measures every head in a shard of sentences, as tables; the model gets the given targets.

Only sentences of equal length share a batch, so nothing is padded. This is right also for variants
that do not mask padding, and eight times as fast as one sentence at a time.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import torch
from jaxtyping import Float, Int, Integer
from torch import Tensor

from model.anatomy import attention_in
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.text.corpus import Example, make_example
from model.text.normalised import printable
from model.text.words import Words
from model.transformer import Transformer
from sample_data.pairs import Pair
from sample_data.tasks import is_held_out
from viz.corpus.measure_losses import asked_of, of_cuts, outcomes
from viz.corpus.measure_rows import Columns, gold_cells, of_heads, of_rows
from viz.corpus.tables import OTHER, SCHEMAS, SPECIAL, TABLES, HeadName, TableName
from viz.heads.head_roles import sentences_of, word_classes
from viz.heads.jobs import jobs_of
from viz.run.axes import KINDS
from viz.run.record import encode_typed, max_tokens

if TYPE_CHECKING:
    from model.foreign.huggingface import Opened

_MOST_TOGETHER = 256
_MOST_WEIGHTS = 1 << 22
"""Most weights of one attention in a batch."""
_MOST_LOGITS = 1 << 24
"""Most logits of a batch."""

Tables = dict[TableName, pa.Table]


class Measurer:
    """Measures sentences with a model that is already open."""

    def __init__(
        self, opened: "Opened", decimals: int | None = None, *, cuts: bool = False
    ) -> None:
        """Prepare to measure with a model; with `cuts` also without each of its heads.

        Raises ValueError if the heads of a model cannot be cut, or if it cannot be given a target.
        """
        info, anatomy = opened.info, opened.anatomy
        if cuts and not (isinstance(opened, Checkpoint) and _predicts(opened)):
            raise ValueError(
                "--cuts needs a model that Loupe runs itself and that predicts tokens: "
                "measure this one without --cuts"
            )
        if anatomy.translates and info.tokenizers.target.specials.start is None:
            raise ValueError("Loupe does not know the token with which this model begins to write")
        self.opened = opened
        self.decimals = decimals
        self._heads = tuple(
            HeadName(site.name, layer, head)
            for site in anatomy.sites
            for layer in range(site.layers)
            for head in range(site.heads)
            if cuts
        )
        known = word_classes(info)
        self._words: dict[str, tuple[Words, Mapping[str, str]]] = {
            "source": (info.tokenizers.source, known.source),
            "target": (info.tokenizers.target, known.target),
        }

    def __call__(self, pairs: Sequence[Pair], first: int = 0) -> Tables:
        """Measure a shard of pairs, the first of which has the number `first`.

        A model of one text reads the sources. Texts without a token, or with more tokens than the
        model reads, are left out. Raises ValueError if none is left.
        """
        info = self.opened.info
        read = [(pair, _read(info, pair)) for pair in pairs]
        fitting = [(pair, example) for pair, example in read if _fits(info, example)]
        if not fitting:
            raise ValueError(
                f"a text must have 1 to {max_tokens(info.config)} tokens on each side; "
                f"none of these {len(pairs)} has"
            )
        pairs, examples = zip(*fitting, strict=True)
        parts: dict[TableName, list[Columns]] = {"sentences": [], "cells": [], "heads": []}
        if self._heads:
            parts["cuts"] = []
        for places in _batches(info, examples):
            numbers = (np.array(places) + first).astype(np.uint64)
            self._batch([examples[i] for i in places], numbers, parts)
        tables: dict[TableName, Columns] = {n: _joined(part) for n, part in parts.items()}
        order = np.argsort(tables["sentences"]["sentence"])
        measured = {name: values[order] for name, values in tables["sentences"].items()}
        tables["sentences"] = measured | {
            "source": [pair.source for pair in pairs],
            "target": [pair.target for pair in pairs],
            "held_out": [bool(info.task) and is_held_out(pair.source) for pair in pairs],
        }
        tables["tokens"] = self._tokens(examples, first)
        tables["jobs"] = self._jobs(examples, first)
        return {name: self._table(name, tables[name]) for name in TABLES if name in tables}

    @torch.inference_mode()
    def _batch(
        self,
        examples: Sequence[Example],
        numbers: Integer[np.ndarray, " batch"],
        parts: dict[TableName, list[Columns]],
    ) -> None:
        """Run sentences of equal length, and add the measurements of every head."""
        model, anatomy = self.opened.model, self.opened.anatomy
        source = self._ids([example.source for example in examples])
        target = self._ids([example.target for example in examples])
        read = target[:, :-1] if target is not None and anatomy.translates else target
        trace = model(source, read)
        asked = asked_of(self.opened.info, source, target, numbers)
        parts["sentences"].append(
            {
                "sentence": numbers,
                "n_source": np.full(len(numbers), 0 if source is None else source.size(1)),
                "n_target": np.full(len(numbers), 0 if read is None else read.size(1)),
                **outcomes(self.opened, trace, asked),
            }
        )
        if self._heads and isinstance(model, Transformer) and asked is not None:
            parts["cuts"].append(of_cuts(model, examples, asked, self._heads, numbers))
        gold = gold_cells(examples) if anatomy.translates else None
        for site in anatomy.sites:
            for layer in range(site.layers):
                attention = attention_in(trace, site.name, layer)
                weights = attention.weights.float().cpu().numpy()
                mask = attention.mask.cpu().expand(len(examples), *weights.shape[2:])[0].numpy()
                aligned = gold if site.name == "cross-attention" else None
                where = {"kind": site.name, "layer": layer, "numbers": numbers}
                parts["heads"].append(of_heads(weights, mask, aligned, **where))
                parts["cells"].append(of_rows(weights, aligned, **where))

    def _ids(self, texts: Sequence[tuple[int, ...]]) -> Int[Tensor, "batch position"] | None:
        """Move texts of one length to the model's device; None for a side that the model lacks."""
        return torch.tensor(texts, device=self.opened.model.device) if texts[0] else None

    def _tokens(self, examples: Sequence[Example], first: int) -> Columns:
        """List the tokens of the model's texts, including special ones."""
        special = {side: words.specials.all for side, (words, _) in self._words.items()}
        found: list[tuple[int, str, int, str, str]] = []
        for number, example in enumerate(examples, first):
            for side, ids in (("source", example.source), ("target", example.target)):
                words, classes = self._words[side]
                for position, (token, id) in enumerate(zip(words.tokens(ids), ids, strict=True)):
                    known = classes.get(token) or (SPECIAL if id in special[side] else OTHER)
                    found.append((number, side, position, token, known))
        names = ("sentence", "side", "position", "token", "class")
        return dict(zip(names, zip(*found, strict=True), strict=True))

    def _jobs(self, examples: Sequence[Example], first: int) -> Columns:
        """List the cells of each job in each sentence."""
        jobs = jobs_of(self.opened.info)
        found = [
            (first + place, number, row, key)
            for place, sentence in enumerate(sentences_of(self.opened.info, examples))
            for number, job in enumerate(jobs)
            for row, key in sorted(set(job.cells(sentence)))
        ]
        columns = np.array(found, np.int64).reshape(-1, 4).T
        return dict(zip(("sentence", "job", "query", "key"), columns, strict=True))

    def _table(self, name: TableName, columns: Columns) -> pa.Table:
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


def _predicts(opened: "Opened") -> bool:
    """Return whether a model predicts tokens; a bidirectional one needs a mask token for it."""
    predicts = opened.anatomy.predicts
    hides = opened.info.tokenizers.source.specials.mask is not None
    return predicts == "target" or (predicts == "source" and hides)


def _read(info: CheckpointInfo, pair: Pair) -> Example:
    """Encode a pair for the model; one of one text gets the source, on the side that it has."""
    if info.config.has_cross_attention:
        return make_example(info.tokenizers, pair.source, pair.target, pair.alignment)
    ids = encode_typed(info, printable(pair.source)).ids
    return Example(source=ids, target=()) if info.config.has_encoder else Example((), ids)


def _fits(info: CheckpointInfo, example: Example) -> bool:
    last = int(info.config.has_cross_attention)
    size = max(len(example.source), len(example.target) - last)
    return 0 < size <= max_tokens(info.config)


def _batches(info: CheckpointInfo, examples: Sequence[Example]) -> Iterator[list[int]]:
    """Divide the examples into batches of equal source and target lengths; long ones are small.

    If the model hides padding by its id, the padding must also be at the same places in a batch.
    """
    config = info.config
    hides = config.pad_id if config.padding_by_id else None
    groups: dict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        ids = (*example.source, *example.target)
        hidden = tuple(at for at, id in enumerate(ids) if id == hides)
        groups[len(example.source), len(example.target), hidden].append(place)
    for (source, target, _), places in groups.items():
        longest, rows = max(source, target), target or source
        together = min(
            _MOST_TOGETHER,
            _MOST_WEIGHTS // (config.n_heads * longest**2),
            _MOST_LOGITS // max(1, config.predicted_vocab_size * rows),
        )
        for start in range(0, len(places), max(1, together)):
            yield places[start : start + max(1, together)]


def _joined(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
