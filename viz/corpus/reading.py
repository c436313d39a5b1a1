"""What a head reads over a corpus: how far away, and which parts of speech."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from viz.corpus.atlas import Atlas
from viz.corpus.tables import HeadName

_NAMED = """
named as (
    select c.*, q.token as query_token, q.class as query_class,
        k.token as key_token, k.class as key_class
    from cells c
    join tokens q on q.sentence = c.sentence and q.side = $reads
        and q.position = c.query + $later
    join tokens k on k.sentence = c.sentence and k.side = $read and k.position = c."key"
    where c.kind = $kind and c.layer = $layer and c.head = $head
)
"""


@dataclass(frozen=True, eq=False)
class Classes:
    """How often the words of one part of speech read most one of another."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Int[np.ndarray, "row column"]


def named_cells(head: HeadName) -> str:
    """Return the SQL that names the tokens of a head's cells: a table `named`, after `with`."""
    source_rows = head.kind == "encoder self-attention"
    values = {
        "$reads": "'source'" if source_rows else "'target'",
        "$read": "'target'" if head.kind == "decoder self-attention" else "'source'",
        "$later": "0" if source_rows else "1",  # row t of the decoder writes token t + 1
        "$kind": f"'{head.kind}'",
        "$layer": str(int(head.layer)),
        "$head": str(int(head.head)),
    }
    sql = _NAMED
    for name, value in values.items():
        sql = sql.replace(name, value)
    return sql


def distances(atlas: Atlas, head: HeadName) -> Mapping[int, int]:
    """Count the rows by how far on the key stands that is read most; -1 is the token before.

    In cross-attention from the nearest token that the row translates, where it translates any.
    """
    if head.kind != "cross-attention":
        sql = """select "key"::int - query::int as distance, count(*) as n from cells
            where kind = ? and layer = ? and head = ? group by all order by all"""
        found = atlas.ask(sql, *head)
    else:
        sql = """
            select distance, count(*) as n from (
                select min_by(c."key"::int - j."key"::int, abs(c."key"::int - j."key"::int))
                    as distance
                from cells c join jobs j using (sentence, query)
                where c.kind = ? and c.layer = ? and c.head = ? and j.job = ?
                group by c.sentence, c.query
            ) group by all order by all"""
        found = atlas.ask(sql, *head, _translates(atlas))
    return {int(distance): int(n) for distance, n in found.itertuples(index=False)}


def _translates(atlas: Atlas) -> int:
    """Number the job of reading what is translated."""
    return atlas.origin.jobs.index("reads_translated")


def classes(atlas: Atlas, head: HeadName) -> Classes:
    """Count the rows by the part of speech of the token that reads and of the one read most."""
    found = atlas.ask(
        f"""with {named_cells(head)}
        select query_class, key_class, count(*) as n from named group by all order by all"""
    )
    table = found.pivot_table(index="query_class", columns="key_class", values="n", aggfunc="sum")
    counts = table.fillna(0).to_numpy(np.int64)
    return Classes(tuple(table.index), tuple(table.columns), counts)
