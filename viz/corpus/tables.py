"""The tables of an atlas: their columns, and the provenance in each file."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple, Self, get_args

import pyarrow as pa

from model.files.json_fields import shorten
from texts import say
from viz.heads.head_summary import METRICS
from viz.run.axes import AttentionKind

FORMAT = 3
"""Version of the tables; others are not read."""
TableName = Literal["sentences", "tokens", "jobs", "cells", "cuts", "heads"]
TABLES: tuple[TableName, ...] = get_args(TableName)
"""The measurements of each sentence: facts, which can be kept for later queries."""
SPECIAL, OTHER = "special", "other"
"""Classes of tokens without a part of speech: <s> and </s>, and words that are not known."""

_TEXT = pa.dictionary(pa.int32(), pa.string())
_HEAD = (("kind", _TEXT), ("layer", pa.uint8()), ("head", pa.uint8()))

SCHEMAS: Mapping[TableName, pa.Schema] = {
    # One row for each sentence. Right: whether each target token is the most probable one, given
    # those before it. Loss: mean nats per target token.
    "sentences": pa.schema(
        [
            ("sentence", pa.uint64()),
            ("source", pa.string()),
            ("target", pa.string()),
            ("held_out", pa.bool_()),
            ("n_source", pa.uint16()),
            ("n_target", pa.uint16()),
            ("loss", pa.float32()),
            ("right", pa.bool_()),
        ]
    ),
    # One row for each token of both texts, with its part of speech.
    "tokens": pa.schema(
        [
            ("sentence", pa.uint64()),
            ("side", _TEXT),
            ("position", pa.uint16()),
            ("token", _TEXT),
            ("class", _TEXT),
        ]
    ),
    # One row for each cell that a head reads if it does a job, an index of `Origin.jobs`.
    "jobs": pa.schema(
        [
            ("sentence", pa.uint64()),
            ("job", pa.uint8()),
            ("query", pa.uint16()),
            ("key", pa.uint16()),
        ]
    ),
    # One row for each sentence, head and query: the key with the largest weight. Gold: is it
    # aligned with the written token; null if no key is. Entropy: of the whole row, in bits.
    "cells": pa.schema(
        [
            *_HEAD,
            ("sentence", pa.uint64()),
            ("query", pa.uint16()),
            ("key", pa.uint16()),
            ("weight", pa.float32()),
            ("entropy", pa.float32()),
            ("gold", pa.bool_()),
        ]
    ),
    # One row for each sentence and head, if the atlas was made with cuts: the loss without that
    # head, whose output is set to 0. Loss and right as in `sentences`.
    "cuts": pa.schema(
        [
            ("sentence", pa.uint64()),
            *_HEAD,
            ("loss", pa.float32()),
            ("right", pa.bool_()),
        ]
    ),
    # One row for each sentence and head: the measures of a head, NaN for an undefined one.
    "heads": pa.schema(
        [("sentence", pa.uint64()), *_HEAD, *((name, pa.float32()) for name in METRICS)]
    ),
}

_EACH = (("name", pa.string()), ("kind", pa.string()), ("layer", pa.int16()), ("head", pa.int16()))
SUMS = pa.schema(
    [
        *_EACH,
        ("what", pa.string()),
        ("other", pa.string()),
        ("at", pa.int32()),
        ("n", pa.int64()),
        ("total", pa.float64()),
        ("squares", pa.float64()),
    ]
)
"""Counts, sums and sums of squares, which pages read; `viz.corpus.sums` lists them."""
PICKED = pa.schema(
    [
        *_EACH,
        ("what", pa.string()),
        ("order", pa.float64()),
        ("sentence", pa.uint64()),
        ("query", pa.uint16()),
        ("key", pa.uint16()),
        ("query_token", pa.string()),
        ("key_token", pa.string()),
        ("weight", pa.float32()),
        ("source", pa.string()),
        ("target", pa.string()),
    ]
)
"""Rows of heads to look at, with their texts, chosen by `viz.corpus.picks`."""

_KEY = b"loupe"
_MOST_METADATA = 1 << 20


class HeadName(NamedTuple):
    """One head of a model."""

    kind: AttentionKind
    layer: int
    head: int


class AtlasError(ValueError):
    """Files that are not an atlas, or of another one; the message says why, and what would work."""


def damaged(path: object, why: object) -> AtlasError:
    """Make the error for files that cannot be read, or that contradict each other."""
    return AtlasError(say("corpus_error.unreadable", path=path, why=shorten(str(why))))


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The provenance of the tables, which is the same in each file of an atlas."""

    format: int
    checkpoint: str
    sha256: str
    """Hash of the weights: the numbers hold for no others."""
    task: str
    drawn: str
    """The name of the sentences."""
    shard: int
    """Number of sentences in a shard."""
    decimals: int | None
    """Decimals of weights and metrics; None if they were not rounded."""
    jobs: tuple[str, ...]
    """The names of `viz.heads.jobs.JOBS` at that time: the tables refer to them by index."""
    versions: Mapping[str, str]
    cuts: bool = False
    """Whether every head was cut in each sentence."""

    def same_work(self, other: Self) -> bool:
        """Return whether the shards of both belong together: all but the versions is equal."""
        return self._work() == other._work()

    def _work(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "versions"}

    def to_metadata(self) -> dict[bytes, bytes]:
        """Return it as the metadata of a file."""
        return {_KEY: json.dumps(asdict(self)).encode()}


def read_origin(schema: pa.Schema) -> Origin:
    """Read the provenance of a table. Raises AtlasError if it has none."""
    data = (schema.metadata or {}).get(_KEY, b"")
    if not data or len(data) > _MOST_METADATA:
        raise AtlasError(say("corpus_error.no_checkpoint"))
    try:
        values = json.loads(data)
        if values["format"] != FORMAT:
            raise AtlasError(
                say("corpus_error.format", wanted=FORMAT, found=shorten(values["format"]))
            )
        known: dict[str, Any] = {field.name: values[field.name] for field in fields(Origin)}
        known["jobs"] = tuple(map(str, known["jobs"]))
        return Origin(**known)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, AtlasError):
            raise
        raise AtlasError(say("corpus_error.origin", why=shorten(str(error)))) from error
