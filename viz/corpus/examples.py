"""Rows of a head to look at: from the lowest to the highest, not the highest alone.

Many rows have the same value, most often a weight that is all but 1. Which of them are shown is
then a matter of chance, so they are a sample, and it is said of how many.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from texts import say
from viz.corpus.atlas import Atlas
from viz.corpus.reading import named_cells
from viz.corpus.tables import AtlasError, HeadName

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
    weight: float


@dataclass(frozen=True)
class Band:
    """Examples at one quantile."""

    quantile: float
    weight: float
    """At that quantile, rounded."""
    alike: int
    """Rows that have this weight."""
    examples: tuple[Example, ...]


_TEXTS = "n.sentence, s.source, s.target, n.query, n.key, n.query_token, n.key_token, n.weight"
_READABLE = (6, 13)
"""Tokens of a sentence that is read at a glance."""


def doing(atlas: Atlas, head: HeadName, job: str, most: int = 3) -> tuple[Example, ...]:
    """Find rows in which a head does a job, each of another sentence and another word read.

    Those come first that the model finds least surprising: they are most like what people say.
    """
    found = atlas.ask(
        f"""with {named_cells(head)},
        done as (
            select {_TEXTS}, s.loss, s.n_source between ? and ? as short
            from named n join jobs j using (sentence, query) join sentences s using (sentence)
            where j.job = ? and j.key = n.key and n.query_class != 'punctuation'
            qualify row_number() over (partition by sentence order by n.weight desc, query) = 1
        )
        select * exclude (loss, short) from done
        qualify row_number() over (partition by key_token order by not short, loss, sentence) = 1
        order by not short, loss, sentence limit ?""",
        *_READABLE,
        atlas.origin.jobs.index(job),
        most,
    )
    return tuple(_example(row) for row in found.itertuples(index=False))


def examples(atlas: Atlas, head: HeadName, *, each: int = 3, seed: int = 0) -> tuple[Band, ...]:
    """Take examples at each quantile: rows of that weight, and where those are few the nearest.

    Args:
        atlas: Where to look.
        head: Whose rows.
        each: Examples of a quantile, each of another sentence where there are so many.
        seed: Which of those alike.
    """
    rows = atlas.ask(
        """select sentence, query, weight from cells
        where kind = ? and layer = ? and head = ? and isfinite(weight) order by sentence, query""",
        *head,
    )
    if rows.empty:
        return ()
    values = rows["weight"].to_numpy(np.float64).round(DECIMALS)
    order = np.random.default_rng(seed).permutation(len(values))
    taken: set[int] = set()
    chosen: list[tuple[float, float, int, list[int]]] = []
    for quantile in BANDS:
        target = float(np.quantile(values, quantile, method="inverted_cdf"))
        places = _nearest(values, target, order, rows["sentence"].to_numpy(), taken, each)
        chosen.append((quantile, target, int((values == target).sum()), places))
    wanted = [place for *_, places in chosen for place in places]
    named = _named(atlas, head, rows.iloc[wanted])
    made = dict(zip(wanted, named, strict=True))
    return tuple(
        Band(q, v, n, tuple(made[place] for place in places)) for q, v, n, places in chosen
    )


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


def _named(atlas: Atlas, head: HeadName, rows: pd.DataFrame) -> list[Example]:
    """Add the tokens and the texts to some rows of a head, in their order."""
    sentences, queries = rows["sentence"].tolist(), rows["query"].tolist()
    found = atlas.ask(
        f"""with {named_cells(head)},
        wanted as (select unnest(?::int[]) as sentence, unnest(?::int[]) as query)
        select {_TEXTS} from named n
            join wanted using (sentence, query) join sentences s using (sentence)""",
        sentences,
        queries,
    )
    each = (_example(row) for row in found.itertuples(index=False))
    of = {(one.sentence, one.query): one for one in each}
    wanted = [(int(s), int(q)) for s, q in zip(sentences, queries, strict=True)]
    if any(row not in of for row in wanted):  # a cell whose words or sentence are not there
        raise AtlasError(say("corpus_error.apart", path=atlas.folder))
    return [of[row] for row in wanted]


def _example(row: tuple[Any, ...]) -> Example:
    sentence, source, target, query, key, query_token, key_token, weight = row
    return Example(
        int(sentence), source, target, int(query), int(key), query_token, key_token, float(weight)
    )
