"""The jobs of each head in the one text of a run: patterns of place and of repeated words."""

import numpy as np

from model.anatomy import Site
from viz.heads.head_roles import HeadRoles, Rows, cells_of, find_jobs
from viz.heads.jobs import text_jobs
from viz.heads.relations import Sentence
from viz.run.axes import attention_trace, axis_tokens
from viz.run.record import Run

LEAST_PATTERN_ROWS = 3
"""Least number of rows for a pattern to be measured."""


def find_patterns(run: Run) -> HeadRoles:
    """Find the patterns of every head in the text of a run, as `find_roles` does in many texts."""
    found = {}
    for site in run.anatomy.sites:
        tokens = axis_tokens(run, site.name)[0]
        jobs = text_jobs(site.name, both_ways=not site.causal)
        rows, heads = _rows(run, site), site.heads
        cells = cells_of(rows, jobs, [Sentence.of_one_text(tokens)])
        roles = find_jobs(rows, cells, LEAST_PATTERN_ROWS)
        found[site.name] = [roles[start : start + heads] for start in range(0, len(roles), heads)]
    return HeadRoles("text", 1, found)


def _rows(run: Run, site: Site) -> Rows:
    each = [attention_trace(run, site.name, layer) for layer in range(site.layers)]
    weights = np.concatenate([attention.weights[0].numpy() for attention in each])
    _, queries, keys = weights.shape
    mask = each[0].mask[0].expand(queries, keys).numpy()
    weights = np.nan_to_num(weights)
    return Rows(
        read=weights.argmax(axis=-1),
        weight=weights.max(axis=-1),
        allowed=mask.sum(axis=-1),
        place=np.arange(queries),
        keys=np.full(queries, keys),
        sentence=np.zeros(queries, int),
    )
