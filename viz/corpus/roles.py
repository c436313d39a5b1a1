"""What each head is there for, over a corpus: the jobs of `viz.run.jobs`, asked of the tables."""

from texts import say
from viz.corpus.atlas import Atlas
from viz.corpus.tables import AtlasError
from viz.run.head_roles import Cells, HeadRole, HeadRoles, Rows, find_jobs
from viz.run.jobs import JOBS, Job
from viz.run.record import KINDS, AttentionKind

_ROWS = """
with numbered as (
    select c.sentence, c.query, s.{keys} as "keys",
        dense_rank() over (order by c.sentence) - 1 as place,
        row_number() over (order by c.sentence, c.query) - 1 as "row"
    from cells c join sentences s using (sentence) where c.kind = ? and layer = 0 and head = 0
)
"""
_READ = 'select "key" from cells where kind = ? order by layer, head, sentence, query'
_AHEAD = """select count(*) from cells where kind = 'decoder self-attention' and "key" > query"""


def find_roles(atlas: Atlas) -> HeadRoles:
    """Find the jobs of each head. Raises AtlasError where the tables do not fit together."""
    found: dict[AttentionKind, list[list[tuple[HeadRole, ...]]]] = {}
    for kind in KINDS:
        layers = [head.layer for head in atlas.heads if head.kind == kind]
        if not layers:
            continue
        jobs = iter(find_jobs(*_rows(atlas, kind)))
        found[kind] = [
            [next(jobs) for _ in range(layers.count(layer))] for layer in dict.fromkeys(layers)
        ]
    return HeadRoles("corpus", atlas.sentences, found)


def _rows(atlas: Atlas, kind: AttentionKind) -> tuple[Rows, dict[Job, Cells]]:
    """Read what the heads of a kind read most, and the cells that their jobs are about."""
    in_decoder = kind == "decoder self-attention"
    sql = _ROWS.format(keys="n_target" if in_decoder else "n_source")
    rows = atlas.ask(f'{sql} select * from numbered order by "row"', kind)
    query, keys, sentence = (rows[name].to_numpy(int) for name in ("query", "keys", "place"))
    read = atlas.ask(_READ, kind)["key"].to_numpy(int)
    heads = sum(head.kind == kind for head in atlas.heads)
    if not len(rows) or len(read) != heads * len(rows):
        raise AtlasError(say("corpus_error.apart", path=atlas.folder))
    read = read.reshape(heads, len(rows))
    if (read >= keys).any():
        raise AtlasError(say("corpus_error.apart", path=atlas.folder))
    jobs = atlas.ask(
        f"""{sql} select job, "row", "key"::int as "key"
        from jobs join numbered using (sentence, query) where "key" < "keys" """,
        kind,
    )
    numbers = {name: number for number, name in enumerate(atlas.origin.jobs)}
    cells: dict[Job, Cells] = {}
    for job in JOBS:
        if job.kind == kind and job.name in numbers:
            of_job = jobs["job"] == numbers[job.name]
            cells[job] = tuple(jobs.loc[of_job, name].to_numpy(int) for name in ("row", "key"))
    allowed = query + 1 if in_decoder and not atlas.count(_AHEAD) else keys
    return Rows(read, allowed, query, keys, sentence), cells
