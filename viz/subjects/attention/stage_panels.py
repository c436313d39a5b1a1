"""The stages of one head as panels that share the pointer (equation 1)."""

from typing import Any

from viz.pictures.panels import Panel
from viz.run.record import AttentionKind, Run, axis_tokens
from viz.subjects.attention import words
from viz.subjects.attention.stages import Stages


def stage_panels(run: Run, kind: AttentionKind, head: int, stages: Stages) -> list[Panel]:
    """Lay out products, scores, masked scores, weights, values and mix of one head."""
    queries, keys = (
        tokens[part.start : part.stop]
        for tokens, part in zip(axis_tokens(run, kind), shown(stages), strict=True)
    )
    square: dict[str, Any] = {
        "group": kind,
        "row_tokens": queries,
        "column_tokens": keys,
        "row_title": "query",
        "column_title": "key",
        "first": stages.first,
    }
    hidden = stages.hidden
    return [
        Panel(title="1  q · k", code="QKᵀ", values=stages.products, scale="signed", **square),
        Panel(
            title=words.scaled_title(stages.d_k, stages.scale, is_biased=stages.is_biased),
            code=f"scores[{head}]",
            values=stages.scores,
            scale="signed",
            **square,
        ),
        Panel(
            title=words.mask_title(int(hidden.sum())),
            code=words.fill(run.info.config.mask_fill),
            values=stages.masked,
            scale="signed",
            masked=hidden,
            **square,
        ),
        Panel(
            title="4  softmax of each row",
            code=f"weights[{head}]",
            values=stages.weights,
            scale="weights",
            masked=hidden & (stages.weights == 0),
            **square,
        ),
        *_value_panels(kind, head, stages, queries, keys),
    ]


def shown(stages: Stages) -> tuple[range, range]:
    """Give the queries and the keys that the stages show."""
    query, key = stages.first
    rows, columns = stages.scores.shape
    return range(query, query + rows), range(key, key + columns)


def _value_panels(
    kind: AttentionKind, head: int, stages: Stages, queries: tuple[str, ...], keys: tuple[str, ...]
) -> list[Panel]:
    """Lay out what is mixed and what comes of it, dimension by dimension."""
    vectors: dict[str, Any] = {
        "scale": "signed",
        "group": kind,
        "first": stages.first,
        "column_title": "dimension",
    }
    return [
        Panel(
            title="5  values of the keys",
            code=f"value[{head}]",
            values=stages.values,
            axes=("key", "dimension"),
            row_tokens=keys,
            row_title="key",
            **vectors,
        ),
        Panel(
            title="6  weights × values",
            code=f"heads[{head}]",
            values=stages.mix,
            axes=("query", "dimension"),
            row_tokens=queries,
            row_title="query",
            **vectors,
        ),
    ]
