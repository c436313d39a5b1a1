"""The stages of one head as panels that share the pointer (equation 1)."""

from typing import Any

from texts import say, say_of
from viz.pictures.numbers import number_text
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
        "row_title": say_of("attention.axis", "query"),
        "column_title": say_of("attention.axis", "key"),
        "first": stages.first,
    }
    hidden = stages.hidden
    return [
        Panel(
            title=say("attention.stage_products"),
            code="QKᵀ",
            values=stages.products,
            scale="signed",
            **square,
        ),
        Panel(
            title=words.scaled_title(stages.d_k, stages.scale, is_biased=stages.is_biased),
            code=f"scores[{head}]",
            values=stages.scores,
            scale="signed",
            **square,
        ),
        Panel(
            title=say("attention.stage_mask", count=int(hidden.sum())),
            code=say("attention.stage_fill", value=number_text(run.info.config.mask_fill)),
            values=stages.masked,
            scale="signed",
            masked=hidden,
            **square,
        ),
        Panel(
            title=say("attention.stage_softmax"),
            code=f"weights[{head}]",
            values=stages.weights,
            scale="weights",
            masked=hidden & (stages.weights == 0),
            **square,
        ),
        *_value_panels(kind, head, stages, queries, keys),
    ]


def shown(stages: Stages) -> tuple[range, range]:
    """Return the queries and the keys that the stages show."""
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
        "column_title": say_of("attention.axis", "dimension"),
    }
    return [
        Panel(
            title=say("attention.stage_values"),
            code=f"value[{head}]",
            values=stages.values,
            axes=("key", "dimension"),
            row_tokens=keys,
            row_title=say_of("attention.axis", "key"),
            **vectors,
        ),
        Panel(
            title=say("attention.stage_mix"),
            code=f"heads[{head}]",
            values=stages.mix,
            axes=("query", "dimension"),
            row_tokens=queries,
            row_title=say_of("attention.axis", "query"),
            **vectors,
        ),
    ]
