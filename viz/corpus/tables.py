"""The tables of an atlas: their columns, and what each file says of where it comes from."""

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
"""Of the tables: what is of another one is not read."""
TableName = Literal["sentences", "tokens", "jobs", "cells", "cuts", "heads"]
TABLES: tuple[TableName, ...] = get_args(TableName)
"""What is measured of each sentence: facts that are kept for whoever asks them."""
SPECIAL, OTHER = "special", "other"
"""Classes of what has no part of speech: <s> and </s>, and words of which none is known."""

_TEXT = pa.dictionary(pa.int32(), pa.string())
_HEAD = (("kind", _TEXT), ("layer", pa.uint8()), ("head", pa.uint8()))

SCHEMAS: Mapping[TableName, pa.Schema] = {
    # One row for each sentence. Right: each token of the target is the likeliest one, given those
    # before it. Loss: mean nats of a target token.
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
    # One row for each cell that a head reads if it does a job: by number, of `Origin.jobs`.
    "jobs": pa.schema(
        [
            ("sentence", pa.uint64()),
            ("job", pa.uint8()),
            ("query", pa.uint16()),
            ("key", pa.uint16()),
        ]
    ),
    # One row for each sentence, head and query: the key with the largest weight. Gold: whether that
    # is aligned with what the row writes, null where nothing is. Entropy: of the whole row, bits.
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
    # One row for each sentence and head, in an atlas that was asked for it: what the model does
    # without that head, whose output is set to 0. Loss and right as of the sentences.
    "cuts": pa.schema(
        [
            ("sentence", pa.uint64()),
            *_HEAD,
            ("loss", pa.float32()),
            ("right", pa.bool_()),
        ]
    ),
    # One row for each sentence and head: the numbers of a head, NaN where one has no meaning.
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
"""What pages read: counts, sums and sums of squares by what `viz.corpus.sums` names."""
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
"""Rows of heads to look at, with their texts: what `viz.corpus.picks` chooses."""

_KEY = b"loupe"
_MOST_METADATA = 1 << 20


class HeadName(NamedTuple):
    """One head of a model."""

    kind: AttentionKind
    layer: int
    head: int


class AtlasError(ValueError):
    """Files that are no atlas, or another one; the message says which, and what would work."""


def damaged(path: object, why: object) -> AtlasError:
    """Make the error of files whose contents cannot be read, or do not fit together."""
    return AtlasError(say("corpus_error.unreadable", path=path, why=shorten(str(why))))


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where the tables come from: the same in each file of an atlas."""

    format: int
    checkpoint: str
    sha256: str
    """Of the weights: the numbers hold for no others."""
    task: str
    drawn: str
    """Which sentences these are."""
    shard: int
    """Sentences of a shard."""
    decimals: int | None
    """To which weights and metrics were rounded; None where they were not."""
    jobs: tuple[str, ...]
    """The names of `viz.heads.jobs.JOBS` when it was made: the tables say them by number."""
    versions: Mapping[str, str]
    cuts: bool = False
    """Whether each head was cut in each sentence."""

    def same_work(self, other: Self) -> bool:
        """Return whether shards of both belong together: made of the same, whatever made them."""
        return self._work() == other._work()

    def _work(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "versions"}

    def to_metadata(self) -> dict[bytes, bytes]:
        """Return it as a file's metadata."""
        return {_KEY: json.dumps(asdict(self)).encode()}


def read_origin(schema: pa.Schema) -> Origin:
    """Read where a table comes from. Raises AtlasError where it does not say."""
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
