"""What each head is there for, over a corpus: the jobs of `viz.run.jobs`, each with how sure it is.

The same rule as `viz.run.head_roles` has for 200 sentences, asked of the tables.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, wilson
from viz.corpus.tables import HeadName
from viz.run.head_roles import LEAST_ABOVE_CHANCE, LEAST_RATE, LEAST_ROWS, surprise
from viz.run.jobs import JOBS, Job

_COUNTS = """
with hits as (
    select c.kind, c.layer, c.head, j.job, j.sentence,
        count(distinct j.query) as n_rows, count(*) filter (c.key = j.key) as n_hits
    from jobs j join cells c on c.sentence = j.sentence and c.query = j.query and c.kind = ?
    where list_contains(?, j.job)
    group by all
)
select kind, layer, head, job, sum(n_rows) as n_rows, sum(n_hits) as n_hits,
    count(*) as sentences, count(*) filter (2 * n_hits > n_rows) as mostly
from hits group by all order by layer, head, job
"""
_CELLS_OF_JOBS = """
select job, "key" - query as distance, count(*) as n, sum(1 / allowed) as evenly
from (
    select j.job, j.key::int as "key", j.query::int as query,
        case ? when 'causal' then j.query::int + 1 when 'decoder' then s.n_target::int
        else s.n_source::int end as allowed
    from jobs j join sentences s using (sentence) where list_contains(?, j.job)
) group by all
"""


@dataclass(frozen=True)
class Role:
    """What a head does, how often, and how sure that is."""

    of: HeadName
    job: Job
    rows: int
    """That the job is about, in all sentences."""
    rate: float
    """Share of them in which the head reads most what the job says."""
    chance: float
    """The same of a head that reads each token as often as any other, or as far away as this head
    does in all rows: the higher of the two."""
    sentences: Estimate
    """Share of the sentences with such rows in which it does so in more than half of them."""


def find_roles(atlas: Atlas, only: str | None = None) -> Mapping[HeadName, Role]:
    """Find the role of each head that has one, of all kinds of attention or of one."""
    found: dict[HeadName, Role] = {}
    for kind in dict.fromkeys(head.kind for head in atlas.heads if only in (None, head.kind)):
        jobs = {
            number: job
            for number, name in enumerate(atlas.origin.jobs)
            for job in JOBS
            if (job.kind, job.name) == (kind, name)
        }
        found |= _of_kind(atlas, kind, jobs)
    return found


def _of_kind(atlas: Atlas, kind: str, jobs: Mapping[int, Job]) -> dict[HeadName, Role]:
    counts = atlas.ask(_COUNTS, kind, list(jobs))
    allowed = "encoder" if kind != "decoder self-attention" else _decoder_mask(atlas)
    places = atlas.ask(_CELLS_OF_JOBS, allowed, list(jobs))
    by_job = {number: places[places["job"] == number] for number in jobs}
    habits = _habits(atlas, kind)
    best: dict[HeadName, tuple[float, Role]] = {}
    for row in counts.to_dict("records"):
        job, rows = jobs[int(row["job"])], int(row["n_rows"])
        if rows < LEAST_ROWS:
            continue
        head = HeadName(kind, int(row["layer"]), int(row["head"]))  # type: ignore[arg-type]
        rate, cells = int(row["n_hits"]) / rows, by_job[int(row["job"])]
        chance = float(np.sum(cells["evenly"])) / rows
        if not job.by_place:
            habit = habits[head]
            shares = [habit.get(int(d), 0.0) for d in cells["distance"]]
            chance = max(chance, float(np.dot(shares, cells["n"])) / rows)
        if rate < LEAST_RATE or rate - chance < LEAST_ABOVE_CHANCE:
            continue
        score = rows * surprise(rate, chance)
        if head not in best or score > best[head][0]:
            sure = wilson(int(row["mostly"]), int(row["sentences"]))
            best[head] = score, Role(head, job, rows, rate, chance, sure)
    return {head: role for head, (_, role) in best.items()}


def _decoder_mask(atlas: Atlas) -> str:
    ahead = """select count(*) from cells
        where kind = 'decoder self-attention' and "key" > query"""
    return "decoder" if atlas.count(ahead) else "causal"


def _habits(atlas: Atlas, kind: str) -> Mapping[HeadName, Mapping[int, float]]:
    """Share of the rows in which a head reads so far away, of those that have a key there."""
    sizes = "n_target" if kind == "decoder self-attention" else "n_source"
    rows = atlas.ask(
        f"""select c.query::int as query, s.{sizes}::int as "keys", count(*) as n
        from cells c join sentences s using (sentence)
        where kind = ? and layer = 0 and head = 0 group by all""",
        kind,
    )
    read = atlas.ask(
        """select layer, head, "key"::int - query::int as distance, count(*) as n
        from cells where kind = ? group by all""",
        kind,
    )
    able = {distance: _able(rows, distance) for distance in read["distance"].unique().tolist()}
    found: dict[HeadName, dict[int, float]] = defaultdict(dict)
    for layer, head, distance, count in read.itertuples(index=False):
        name = HeadName(kind, int(layer), int(head))  # type: ignore[arg-type]
        found[name][int(distance)] = count / able[distance]
    return found


def _able(rows: pd.DataFrame, distance: int) -> int:
    there = rows["query"] + distance
    return int(rows.loc[(there >= 0) & (there < rows["keys"]), "n"].sum())
