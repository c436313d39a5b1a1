"""Rows of a head to look at: from the lowest to the highest, not the highest alone.

Many rows have the same value, most often a weight that is all but 1. Which of them are shown is
then a matter of chance, so they are a sample, and it is said of how many.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from texts import say
from viz.corpus.atlas import Atlas
from viz.corpus.reading import named_cells
from viz.corpus.tables import AtlasError, HeadName

By = Literal["weight", "entropy"]
Which = Literal["all", "misses"]
BANDS = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Quantiles that examples are taken at, the highest first."""
DECIMALS = 3
"""To which values are rounded before they are compared: below that they are rounding."""


@dataclass(frozen=True)
class Example:
    """One row of a head in one sentence."""

    sentence: int
    source: str
    target: str
    query: int
    key: int
    query_token: str
    key_token: str
    value: float


@dataclass(frozen=True)
class Band:
    """Examples at one quantile."""

    quantile: float
    value: float
    """At that quantile, rounded."""
    alike: int
    """Rows that have this value."""
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Examples:
    """Rows of a head, by quantile of a value."""

    rows: int
    """That there are to choose from."""
    bands: tuple[Band, ...]


def examples(
    atlas: Atlas,
    head: HeadName,
    by: By = "weight",
    *,
    which: Which = "all",
    each: int = 3,
    seed: int = 0,
) -> Examples:
    """Take examples at each quantile: rows of that value, and where those are few the nearest.

    Args:
        atlas: Where to look.
        head: Whose rows.
        by: What they are ordered by.
        which: All rows, or those that write something aligned and read something else most.
        each: Examples of a quantile, each of another sentence where there are so many.
        seed: Which of those alike.
    """
    only = " and not(gold)" if which == "misses" else ""
    rows = atlas.ask(
        f"""select sentence, query, {by} as value from cells
        where kind = ? and layer = ? and head = ? and isfinite({by}){only}
        order by sentence, query""",
        *head,
    )
    if rows.empty:
        return Examples(0, ())
    values = rows["value"].to_numpy(np.float64).round(DECIMALS)
    order = np.random.default_rng(seed).permutation(len(values))
    taken: set[int] = set()
    chosen: list[tuple[float, float, int, list[int]]] = []
    for quantile in BANDS:
        target = float(np.quantile(values, quantile, method="inverted_cdf"))
        places = _nearest(values, target, order, rows["sentence"].to_numpy(), taken, each)
        chosen.append((quantile, target, int((values == target).sum()), places))
    wanted = [place for *_, places in chosen for place in places]
    named = _named(atlas, head, rows.iloc[wanted], by)
    made = dict(zip(wanted, named, strict=True))
    bands = [Band(q, v, n, tuple(made[place] for place in places)) for q, v, n, places in chosen]
    return Examples(len(values), tuple(bands))


def _nearest(
    values: np.ndarray,
    target: float,
    order: np.ndarray,
    sentences: np.ndarray,
    taken: set[int],
    count: int,
) -> list[int]:
    """Take rows from the nearest value on, those alike by chance, of other sentences first."""
    by_distance = order[np.argsort(np.abs(values[order] - target), kind="stable")]
    found: list[int] = []
    for place in by_distance.tolist():
        if len(found) == count:
            break
        if int(sentences[place]) not in taken:
            taken.add(int(sentences[place]))
            found.append(place)
    return found


def _named(atlas: Atlas, head: HeadName, rows: pd.DataFrame, by: By) -> list[Example]:
    """Add the tokens and the texts to some rows of a head, in their order."""
    sentences, queries = rows["sentence"].tolist(), rows["query"].tolist()
    found = atlas.ask(
        f"""with {named_cells(head)},
        wanted as (select unnest(?::int[]) as sentence, unnest(?::int[]) as query)
        select n.sentence, s.source, s.target, n.query, n."key", n.query_token, n.key_token,
            n.{by} as value
        from named n join wanted using (sentence, query) join sentences s using (sentence)""",
        sentences,
        queries,
    )
    of = {
        (int(row[0]), int(row[3])): Example(
            int(row[0]), row[1], row[2], int(row[3]), int(row[4]), row[5], row[6], float(row[7])
        )
        for row in found.itertuples(index=False)
    }
    wanted = [(int(s), int(q)) for s, q in zip(sentences, queries, strict=True)]
    if any(row not in of for row in wanted):  # a cell whose words or sentence are not there
        raise AtlasError(say("corpus_error.apart", path=atlas.folder))
    return [of[row] for row in wanted]
