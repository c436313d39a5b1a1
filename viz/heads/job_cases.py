"""The cells of a run that are cases of a job, so that a page names a head's job only there."""

from collections.abc import Mapping

from model.text.corpus import Example
from viz.heads.coreference import PRONOUN
from viz.heads.head_roles import HeadRoles, sentences_of
from viz.heads.jobs import Job
from viz.heads.relations import Sentence
from viz.run.alignment import gold_links
from viz.run.axes import AttentionKind, axis_tokens
from viz.run.record import Run

Cases = Mapping[AttentionKind, Mapping[str, list[tuple[int, int]]]]
"""By kind and name of a job: rows, each with the key that it reads if it does the job.

A job whose cases are unknown in this run is left out.
"""


def find_cases(run: Run, roles: HeadRoles) -> Cases:
    """Return the cases in a run of all jobs that some head of the model has."""
    found: dict[AttentionKind, dict[str, list[tuple[int, int]]]] = {}
    for kind, layers in roles.heads.items():
        rows, columns = (len(names) for names in axis_tokens(run, kind))
        sentence = _sentence(run, kind)
        jobs = {role.job.name: role.job for heads in layers for head in heads for role in head}
        found[kind] = {
            name: sorted(
                {(row, key) for row, key in job.cells(sentence) if row < rows and key < columns}
            )
            for name, job in jobs.items()
            if _is_known(job, sentence)
        }
    return found


def _sentence(run: Run, kind: AttentionKind) -> Sentence:
    if not run.anatomy.translates:
        return Sentence.of_one_text(axis_tokens(run, kind)[0])
    aligned = frozenset((position, row + 1) for row, position in gold_links(run) or ())
    [sentence] = sentences_of(run.info, [Example(run.source.ids, run.target_ids, aligned)])
    return sentence


def _is_known(job: Job, sentence: Sentence) -> bool:
    """Return whether it is known which rows of a run are cases of a job."""
    if job.kind == "cross-attention" and not job.by_place:
        return bool(sentence.aligned)
    if job.name == "it_referent":
        return bool(sentence.referents) or PRONOUN not in sentence.source
    return True
