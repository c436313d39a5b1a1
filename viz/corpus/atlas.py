"""An atlas to query: sums over all its sentences, and rows of heads to look at."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import pyarrow as pa

from texts import say
from viz.corpus.shards import MANIFEST, name_of_all, read_manifest
from viz.corpus.store import Store, inside
from viz.corpus.tables import PICKED, SUMS, AtlasError, HeadName, Origin, damaged, read_origin
from viz.run.axes import KINDS, AttentionKind

_MOST_BYTES = 200_000_000
"""Most bytes of a table; for a model like GPT-2 it has about 20 MB, whatever the corpus."""


class Sum(NamedTuple):
    """A count with its sums: a row of `viz.corpus.sums`."""

    what: str
    other: str
    at: int
    n: int
    total: float
    squares: float


class Pick(NamedTuple):
    """A row of a head, with its texts: one of `viz.corpus.picks`."""

    what: str
    order: float
    sentence: int
    query: int
    key: int
    query_token: str
    key_token: str
    weight: float
    source: str
    target: str


R = TypeVar("R", Sum, Pick)
_Place = tuple[str, str, int, int]
"""Name, kind, layer and head."""


class Atlas:
    """The sums of one checkpoint's shards. Threads may share it.

    Raises AtlasError for a folder without an atlas, or with files of another one.
    """

    def __init__(self, folder: Store) -> None:
        self.folder = folder
        manifest = read_manifest(folder)
        if manifest is None:
            raise AtlasError(say("corpus_error.none", path=folder))
        self.origin: Origin = manifest.origin
        self.sums = self._read(name_of_all("sums", manifest.serial), SUMS)
        self.picks = self._read(name_of_all("picks", manifest.serial), PICKED)
        self._sums = _by_place(self.sums, Sum)
        self._picks = _by_place(self.picks, Pick)
        self.sentences = manifest.sentences
        if sum(row.n for row in self.of("sentences")) != self.sentences:
            raise AtlasError(say("corpus_error.apart", path=folder))

    def _read(self, name: str, schema: pa.Schema) -> pa.Table:
        path = inside(self.folder, name)
        table = path.table(most=_MOST_BYTES)
        if not table.schema.equals(schema):
            raise AtlasError(say("corpus_error.columns", path=path, table=name))
        if not read_origin(table.schema).same_work(self.origin):
            raise AtlasError(say("corpus_error.mixed", path=path))
        if any(column.null_count for column in table.columns):
            raise damaged(path, say("corpus_error.hole"))
        return table

    def of(
        self, name: str, head: HeadName | None = None, kind: AttentionKind | None = None
    ) -> Sequence[Sum]:
        """Return the sums of a name: of a head, of a whole kind, or of everything."""
        of, layer, number = head or (kind or "", -1, -1)
        return self._sums.get((name, of, layer, number), ())

    def picked(self, name: str, head: HeadName) -> Sequence[Pick]:
        """Return the rows of a head stored under a name, in their order."""
        return self._picks.get((name, head.kind, head.layer, head.head), ())

    @property
    def translates(self) -> bool:
        """Whether its model reads one text and writes another."""
        return any(head.kind == "cross-attention" for head in self.heads)

    @cached_property
    def held_out(self) -> int:
        """Count the sentences that no training set contains."""
        return sum(row.n for row in self.of("sentences") if row.at)

    @cached_property
    def heads(self) -> tuple[HeadName, ...]:
        """List the heads, sorted by kind, layer and number."""
        found = [HeadName(*place) for name, *place in self._sums if name == "read"]  # type: ignore[arg-type]
        known = (head for head in found if head.kind in KINDS)
        return tuple(sorted(known, key=lambda head: (KINDS.index(head.kind), *head[1:])))


def atlases_in(folder: Store) -> dict[str, Store]:
    """Return the atlases in a folder, by the name of their checkpoint."""
    found = {name: folder / name for name in folder.folders()}
    return {name: atlas for name, atlas in found.items() if (atlas / MANIFEST).stamp()}


def _by_place(table: pa.Table, kind: type[R]) -> Mapping[_Place, list[R]]:
    found: dict[_Place, list[R]] = defaultdict(list)
    names = ("name", "kind", "layer", "head", *kind._fields)
    for name, of, layer, head, *values in zip(
        *(table[column].to_pylist() for column in names), strict=True
    ):
        found[name, of, layer, head].append(kind(*values))
    return dict(found)
