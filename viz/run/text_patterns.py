"""What each head does in the one text of a run: patterns of place and of repeated words."""

import numpy as np
from jaxtyping import Float

from model.anatomy import Site
from viz.run.head_roles import HeadRoles, Rows, cells_of, find_jobs
from viz.run.jobs import Job
from viz.run.record import AttentionKind, Run, attention_trace, axis_tokens
from viz.run.relations import Cells, Sentence, beside

LEAST_PATTERN_ROWS = 3
"""Rows that a pattern needs, to say anything."""


def find_patterns(run: Run) -> HeadRoles:
    """Look for a pattern of every head in the text of a run, as `find_roles` does in many."""
    found = {}
    for site in run.anatomy.sites:
        tokens = axis_tokens(run, site.name)[0]
        unknown = ("",) * len(tokens)
        sentence = Sentence(tokens, tokens, unknown, unknown, {})
        rows, heads = _rows(run, site), site.heads
        roles = find_jobs(rows, cells_of(rows, _patterns(site), [sentence]), LEAST_PATTERN_ROWS)
        found[site.name] = [roles[start : start + heads] for start in range(0, len(roles), heads)]
    return HeadRoles("text", 1, found)


def weights_on_repeats(
    run: Run, kind: AttentionKind, layer: int
) -> dict[str, Float[np.ndarray, " head"]]:
    """Return each head's mean weight on the same token before, and on what followed it there.

    Of the rows whose token came before; of several places the weights add up, so that a head which
    shares its weight between two copies is not a weak one. NaN where no token came before.
    """
    weights = np.nan_to_num(attention_trace(run, kind, layer).weights[0].numpy())
    tokens = axis_tokens(run, kind)[0]
    sentence = Sentence(tokens, tokens, (), (), {})
    return {
        "repeated": _mean_on(weights, list(same_before(sentence))),
        "after_repeated": _mean_on(weights, list(after_same(sentence))),
    }


def first_token(sentence: Sentence) -> Cells:
    """Go from every other row to the first token."""
    return ((row, 0) for row in range(1, len(sentence.source)))


def last_token(sentence: Sentence) -> Cells:
    """Go from every other row to the last token."""
    last = len(sentence.source) - 1
    return ((row, last) for row in range(last))


def same_before(sentence: Sentence) -> Cells:
    """Go from a token to each place before it where the same one stands."""
    seen: dict[str, list[int]] = {}
    for row, token in enumerate(sentence.source):
        yield from ((row, key) for key in seen.get(token, ()))
        seen.setdefault(token, []).append(row)


def after_same(sentence: Sentence) -> Cells:
    """Go from a token to what followed each earlier place of it: induction."""
    return ((row, key + 1) for row, key in same_before(sentence) if key + 1 < row)


def _patterns(site: Site) -> tuple[Job, ...]:
    both_ways = () if site.causal else (("reads_after", 1),)
    found = [
        Job(site.name, name, beside(step), by_place=True)
        for name, step in (("reads_before", -1), ("reads_itself", 0), *both_ways)
    ]
    ends = [("reads_first", first_token)]
    if not site.causal:
        ends.append(("reads_last", last_token))
    found += [Job(site.name, *end, by_place=True) for end in ends]
    return (
        *found,
        Job(site.name, "reads_same_before", same_before),
        Job(site.name, "reads_after_same", after_same),
    )


def _rows(run: Run, site: Site) -> Rows:
    each = [attention_trace(run, site.name, layer) for layer in range(site.layers)]
    weights = np.concatenate([attention.weights[0].numpy() for attention in each])
    _, queries, keys = weights.shape
    mask = each[0].mask[0].expand(queries, keys).numpy()
    return Rows(
        read=np.nan_to_num(weights).argmax(axis=-1),
        allowed=mask.sum(axis=-1),
        place=np.arange(queries),
        keys=np.full(queries, keys),
        sentence=np.zeros(queries, int),
    )


def _mean_on(
    weights: Float[np.ndarray, "head query key"], cells: list[tuple[int, int]]
) -> Float[np.ndarray, " head"]:
    if not cells:
        return np.full(len(weights), np.nan)
    rows, keys = np.array(cells).T
    return weights[:, rows, keys].sum(axis=1) / len(set(rows.tolist()))
