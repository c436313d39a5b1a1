"""The tokens that a head reads over a corpus: their distance and their parts of speech."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from viz.corpus.atlas import Atlas
from viz.corpus.tables import HeadName


@dataclass(frozen=True, eq=False)
class Classes:
    """How often words of one part of speech read most a word of another one."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Int[np.ndarray, "row column"]


def distances(atlas: Atlas, head: HeadName) -> Mapping[int, int]:
    """Count the rows by the distance of the key that is read most; -1 is the token before.

    In cross-attention, the distance is from the nearest token that the row translates.
    """
    found = atlas.of("nearest" if head.kind == "cross-attention" else "read", head)
    return {row.at: row.n for row in sorted(found, key=lambda row: row.at)}


def classes(atlas: Atlas, head: HeadName) -> Classes:
    """Count the rows by the parts of speech of the reading token and of the token read most."""
    found = {(row.what, row.other): row.n for row in atlas.of("classes", head)}
    rows, columns = (tuple(sorted({pair[side] for pair in found})) for side in (0, 1))
    counts = [[found.get((row, column), 0) for column in columns] for row in rows]
    return Classes(rows, columns, np.array(counts, np.int64).reshape(len(rows), len(columns)))
