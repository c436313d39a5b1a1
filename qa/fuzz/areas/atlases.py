"""Atlases: a folder of Parquet files, one of them damaged, opened and asked all its questions."""

import contextlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from hypothesis import strategies as st

from qa.fuzz.area import Area, Verdict
from qa.fuzz.damage import byte_edits, damaged, edited, json_edits
from qa.fuzz.models import load
from qa.fuzz.outgoing import check_html, check_message
from sample_data.pairs import Pair
from viz.corpus import costs, examples, reading, roles, spread
from viz.corpus.atlas import Atlas
from viz.corpus.measure import Measurer
from viz.corpus.shards import done_shards, find_origin, shard_path, write_shard
from viz.corpus.tables import FORMAT, TABLES, AtlasError, Origin
from viz.pictures import tokens
from viz.run.jobs import JOBS

_MODEL = "english-french-paper-0"
_PAIRS = (
    ("the cat sleeps .", "le chat dort ."),
    ("the dog sees the cat .", "le chien voit le chat ."),
    ("the small black cat sleeps .", "le petit chat noir dort ."),
)


def open_area(place: Path) -> Area:
    """Make a small atlas; draw a file of it, and what is done to its bytes or to its metadata."""
    original = place / "original"
    origin = _write(original)
    about = json.loads(origin.to_metadata()[b"loupe"])
    tables = st.sampled_from(TABLES)
    drawn = st.one_of(
        st.tuples(tables, st.just("bytes"), byte_edits()),
        st.tuples(tables, st.just("metadata"), json_edits(about)),
        st.tuples(tables, st.just("table"), tables),
        st.tuples(tables, st.sampled_from(("gone", "link", "pipe")), st.none()),
    )
    return Area("atlases", drawn, lambda given: check(place, about, given), share=100, seconds=20.0)


def _write(folder: Path) -> Origin:
    origin = Origin(
        format=FORMAT, checkpoint=_MODEL, sha256="0" * 64, task="english-french", drawn="file/x",
        shard=8, decimals=None, jobs=tuple(job.name for job in JOBS), versions={"loupe": "1"},
        cuts=True,
    )  # fmt: skip
    pairs = [Pair(source, target, frozenset()) for source, target in _PAIRS]
    write_shard(folder, 0, Measurer(load(_MODEL), None, cuts=True)(pairs, 0), origin)
    return origin


def check(place: Path, about: Any, given: tuple[Any, str, Any]) -> Verdict:
    """Open the damaged atlas as the page does, and ask what the page asks."""
    table, what, how = given
    folder = place / "atlas"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(place / "original", folder)
    path = shard_path(folder, table, 0)
    if what == "bytes":
        path.write_bytes(damaged(path.read_bytes(), how))
    elif what == "metadata":
        data = json.dumps(edited(about, how)).encode()
        pq.write_table(pq.read_table(path).replace_schema_metadata({b"loupe": data}), path)
    elif what == "table":
        path.write_bytes(shard_path(place / "original", how, 0).read_bytes())
    else:
        path.unlink()
        if what == "link":
            path.symlink_to(shard_path(place / "original", table, 0))
        elif what == "pipe":
            os.mkfifo(path)
    try:
        find_origin(folder)
        done_shards(folder)
        _ask(Atlas(folder))
    except AtlasError as error:
        check_message(error)
        check_html(tokens.notice("x", str(error)), "a refusal")
        return "refused"
    return "accepted"


def _ask(atlas: Atlas) -> None:
    head = atlas.heads[0]
    with contextlib.redirect_stderr(io.StringIO()):
        _ = atlas.sentences, atlas.held_out
        roles.find_roles(atlas)
        for ask in (
            reading.distances,
            reading.classes,
            reading.words_read,
            reading.words_that_read,
        ):
            ask(atlas, head)
        for found in examples.examples(atlas, head, "weight", which="all").bands:
            check_html(tokens.note(str(found)), "an example")
        spread.spread_of(atlas, head, "entropy")
        costs.costs(atlas)
