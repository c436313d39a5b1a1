"""How good a checkpoint is over the sentences of its atlas, and how sure that is."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from viz.corpus.intervals import Estimate, mean, wilson
from viz.corpus.shards import open_shard, shard_paths
from viz.corpus.tables import TableName
from viz.run.record import AttentionKind

CROSS: AttentionKind = "cross-attention"


@dataclass(frozen=True)
class Scores:
    """Of some sentences."""

    right: Estimate
    """Share that greedy decoding gets right to the last token."""
    loss: Estimate
    """Nats of a target token, given the right ones before it; the mean over sentences."""
    aligned: Estimate
    """Of the rows that write something aligned, the share in which the best head for it reads that
    most; the mean over sentences."""
    best: tuple[int, int]
    """Layer and number of that head, of cross-attention."""


def score(folder: Path) -> Scores | None:
    """Score an atlas over its sentences that no training has seen; None where there is none.

    By its files alone, so that nothing need be installed to ask them.
    """
    sentences = _read(folder, "sentences", ["sentence", "loss", "right", "held_out"])
    of = sentences["held_out"]
    if not of.any():
        return None
    heads = _read(folder, "heads", ["sentence", "kind", "layer", "head", "gold"])
    counts = (heads["kind"] == CROSS) & np.isin(heads["sentence"], sentences["sentence"][of])
    layer, head, gold = (heads[name][counts] for name in ("layer", "head", "gold"))
    reads = {
        (int(i), int(j)): mean(gold[(layer == i) & (head == j)].astype(np.float64))
        for i in np.unique(layer)
        for j in np.unique(head[layer == i])
    }
    best = max(reads, key=lambda place: reads[place].value)
    right = wilson(int(sentences["right"][of].sum()), int(of.sum()))
    return Scores(right, mean(sentences["loss"][of].astype(np.float64)), reads[best], best)


def _read(folder: Path, table: TableName, columns: list[str]) -> dict[str, np.ndarray]:
    found: list[pa.Table] = []
    for path in shard_paths(folder, table):
        with open_shard(folder, path) as file:
            found.append(pq.read_table(file, columns=columns))
    return {
        name: np.concatenate([each.column(name).to_pandas().to_numpy() for each in found])
        for name in columns
    }
