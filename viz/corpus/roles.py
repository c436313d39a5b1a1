"""The jobs of each head over a corpus (see `viz.heads.jobs`), from the sums of an atlas."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from texts import say
from viz.corpus.atlas import Atlas
from viz.corpus.tables import AtlasError
from viz.heads.head_roles import HeadRole, HeadRoles, jobs_in_order
from viz.heads.jobs import JOBS, Job, text_jobs
from viz.run.axes import KINDS, AttentionKind


def find_roles(atlas: Atlas) -> HeadRoles:
    """Return the jobs of each head. Raises AtlasError if the sums contradict each other."""
    found: dict[AttentionKind, list[list[tuple[HeadRole, ...]]]] = {}
    present: list[AttentionKind] = [
        kind for kind in KINDS if any(head.kind == kind for head in atlas.heads)
    ]
    for kind in present:
        known = JOBS if atlas.translates else text_jobs(kind, both_ways=True)
        jobs = {job.name: job for job in known if job.kind == kind}
        of_heads = _measured(atlas, kind, jobs)
        layers = [head.layer for head in atlas.heads if head.kind == kind]
        found[kind] = [
            [next(of_heads) for _ in range(layers.count(layer))] for layer in dict.fromkeys(layers)
        ]
    return HeadRoles("corpus", atlas.sentences, found)


def _measured(
    atlas: Atlas, kind: AttentionKind, jobs: Mapping[str, Job]
) -> Iterator[tuple[HeadRole, ...]]:
    """Measure the jobs of a kind's heads, as `viz.heads.head_roles.find_jobs` does from rows."""
    able = {row.at: row.n for row in atlas.of("able", kind=kind)}
    looks_ahead = any(row.n for row in atlas.of("ahead", kind=kind))
    reads_back = kind == "decoder self-attention" and not looks_ahead
    about = {row.what: row for row in atlas.of("job", kind=kind)}
    cells: dict[str, dict[int, int]] = defaultdict(dict)
    for row in atlas.of("job_cells", kind=kind):
        cells[row.what][row.at] = row.n
    for head in (head for head in atlas.heads if head.kind == kind):
        found = {row.what: row for row in atlas.of("job_hits", head)}
        hits = {name: row.n for name, row in found.items()}
        habit = {row.at: row.n / max(able.get(row.at, 1), 1) for row in atlas.of("read", head)}
        roles = []
        for name, job in jobs.items():
            rows = about[name].n if name in about else 0
            if not rows:
                continue
            if not 0 <= hits.get(name, -1) <= sum(cells[name].values()):
                raise AtlasError(say("corpus_error.apart", path=atlas.folder))
            chance = (about[name].total if reads_back else about[name].squares) / rows
            if not job.by_place:
                by_habit = sum(n * habit.get(at, 0.0) for at, n in cells[name].items())
                chance = max(chance, by_habit / rows)
            weight = found[name].total / hits[name] if found[name].total else None
            evenly = about[name].total if reads_back else about[name].squares
            even = evenly / sum(cells[name].values())
            roles.append(HeadRole(job, rows, hits[name] / rows, chance, weight, even))
        yield jobs_in_order(roles)
