"""The sentences of an atlas, drawn or read from files, each once however the files are cut."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

from sample_data.one_text.tasks import load_held_out_texts
from sample_data.pairs import Pair, write_tsv
from sample_data.tasks import is_held_out, load_held_out
from viz.corpus.__main__ import main
from viz.corpus.atlas import Atlas, atlases_in
from viz.corpus.inputs import Drawn, Files
from viz.corpus.store import Store
from viz.corpus.tables import AtlasError

NAME = "everyday-paper-0"
TYPED = [pair for pair in load_held_out("everyday") if "<" not in pair.source]
"""The held-out pairs that someone could type; only those go into an atlas."""
BOTH = ("source", "target")
PAIRS = [Pair(f"{n} été {'x' * (n % 7)}", f"target {n}", frozenset()) for n in range(50)]


def write_parquet(path: Path, pairs: list[Pair], rows: int = 7) -> None:
    columns = {name: [getattr(pair, name) for pair in pairs] for name in BOTH}
    pq.write_table(pa.table(columns), path, row_group_size=rows)


def write(path: Path, pairs: list[Pair]) -> None:
    """Write pairs in the format that the file's suffix names."""
    if path.suffix == ".parquet":
        write_parquet(path, pairs)
    elif path.suffix == ".tsv":
        write_tsv(path, pairs)
    elif path.suffix == ".jsonl":
        lines = [json.dumps({"source": pair.source, "target": pair.target}) for pair in pairs]
        path.write_text("\r\n".join(lines), encoding="utf-8")
    else:
        path.write_text("\n\n".join(pair.source for pair in pairs), encoding="utf-8")


def read(found: Drawn | Files) -> list[Pair]:
    return [pair for portion in found.portions() for pair in portion.read()]


@pytest.mark.slow
def test_drawn_sentences_are_held_out_ones_first_and_then_others():
    known = len(TYPED)
    pairs = read(Drawn("everyday", known + 30, 600))
    assert pairs[:known] == TYPED
    assert len(pairs) == known + 30
    assert len({pair.source for pair in pairs[600:]}) == known + 30 - 600
    assert not any("<" in pair.source for pair in pairs)
    assert not all(is_held_out(pair.source) for pair in pairs)
    assert read(Drawn("everyday", known + 10, 600)) == pairs[: known + 10]
    held = read(Drawn("everyday", known + 10, 600, held_out=True))
    assert held[:known] == TYPED
    assert all(is_held_out(pair.source) for pair in held)
    assert not {pair.source for pair in held[known:]} & {pair.source for pair in TYPED}


def test_a_portion_is_drawn_without_those_before_it():
    *_, last = Drawn("brackets", 700, 300).portions()
    assert (last.number, last.first, len(last.read())) == (2, 600, 100)
    texts = [text.text for text in load_held_out_texts("brackets")]
    assert [pair.source for pair in Drawn("brackets", 700, 300).read(0, 300)] == texts[:300]
    assert not {pair.source for pair in last.read()} & set(texts)
    assert {pair.target for pair in last.read()} == {""}


@pytest.mark.parametrize("kind", ["parquet", "tsv", "jsonl", "txt"])
@pytest.mark.parametrize("size", [1, 3, 16, 1000])
def test_each_sentence_of_a_file_is_read_once_however_it_is_cut(tmp_path, monkeypatch, kind, size):
    monkeypatch.setattr("viz.corpus.inputs._USUAL_LINE", 11)  # so that some lines are cut in two
    write(tmp_path / f"mine.{kind}", PAIRS)
    wanted = [Pair(p.source, "", frozenset()) for p in PAIRS] if kind == "txt" else PAIRS
    columns = ("text",) if kind == "txt" else BOTH
    found = Files((str(tmp_path / f"mine.{kind}"),), columns, size)
    portions = list(found.portions())
    assert read(found) == wanted
    assert len(portions) > 1 or size == 1000
    assert [portion.number for portion in portions] == list(range(len(portions)))
    for portion, later in itertools.pairwise(portions):
        assert portion.first + len(portion.read()) <= later.first
    few = Files((str(tmp_path / f"mine.{kind}"),), columns, size, most=23)
    assert read(few) == wanted[:23]


def test_all_files_of_a_folder_are_read_in_their_order(tmp_path):
    for place, name in enumerate(("a.tsv", "b/c.jsonl", "d.parquet")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, PAIRS[place * 10 : place * 10 + 10])
    (tmp_path / ".hidden.tsv").write_text("no pair")
    found = Files((str(tmp_path),), BOTH, 4)
    assert read(found) == PAIRS[:30]
    assert read(Files((str(tmp_path),), BOTH, 4, most=25)) == PAIRS[:25]
    before = found.name
    write(tmp_path / "d.parquet", PAIRS)
    assert found.name != before


@pytest.mark.parametrize(
    ("name", "contents", "told"),
    [
        ("x.csv", b"a,b", "its name must end in .parquet, .jsonl, .tsv, .txt"),
        ("x.tsv", b"one\n", "must have 2 or 3 tab-separated fields"),
        ("x.tsv", b"\xff\xfe\tb\n", "must be UTF-8"),
        ("x.tsv", b"a" * 70_000 + b"\tb", "at most 65536 bytes"),
        ("x.jsonl", b"[1]\n", "must be a JSON object"),
        ("x.jsonl", b"{\n", "must be a JSON object"),
        ("x.jsonl", b"[" * 60_000, "must be a JSON object"),
        ("x.jsonl", b'{"source": 1, "target": "b"}', "needs text in source and target"),
        ("x.parquet", b"PAR1", "cannot be read"),
    ],
)
def test_what_is_no_sentence_is_refused_in_words(tmp_path, name, contents, told):
    (tmp_path / name).write_bytes(contents)
    with pytest.raises(ValueError, match=told):
        read(Files((str(tmp_path / name),), BOTH, 10))


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Yield the query of a URI that reaches a bucket of an S3 server on this machine."""
    server = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer(
        ip_address="127.0.0.1", port=0
    )
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server.start()
        host, port = server.get_host_and_port()
        asked = f"?endpoint_override={host}:{port}&scheme=http"
        system, _ = pafs.FileSystem.from_uri(f"s3://bucket{asked}&allow_bucket_creation=true")
        system.create_dir("bucket")
        yield asked
        server.stop()


@pytest.mark.slow
def test_a_bucket_holds_sentences_and_atlas_as_a_folder_does(bucket, tmp_path, capsys):
    write(tmp_path / "mine.parquet", TYPED[:20])
    table = pq.read_table(tmp_path / "mine.parquet")
    (Store.at(f"s3://bucket/in{bucket}") / "mine.parquet").write(table)
    for where, given in (
        (f"s3://bucket/out{bucket}", f"s3://bucket/in{bucket}"),
        (str(tmp_path / "out"), str(tmp_path / "mine.parquet")),
    ):
        options = ["--input", given, "--out", where, "--shard", "8"]
        assert main([NAME, *options, "--sentences", "16", "--compact"]) == 0
        assert "2 shards" in capsys.readouterr().err
        [there], [here] = atlases_in(Store.at(where)).values(), [Store.at(where) / NAME]
        assert there == here
    remote, local = (
        Atlas(Store.at(where) / NAME) for where in (f"s3://bucket/out{bucket}", tmp_path / "out")
    )
    assert remote.sentences == local.sentences == 16
    assert remote.sums.equals(local.sums)
    assert remote.picks.equals(local.picks)
    assert [*remote.folder.listed()] == [*local.folder.listed()]


@pytest.mark.slow
def test_what_says_who_asks_is_told_to_nobody():
    for place in ("s3://key:secret@nowhere/x?scheme=secret", "s3://nowhere/x?secret_key=secret"):
        with pytest.raises(AtlasError, match="s3://nowhere/x: this cannot be read") as told:
            Store.at(place)
        assert "secret@" not in str(told.value)
        assert "=secret" not in str(told.value)
    assert str(Store("s3://key:secret@bucket/x?scheme=http") / "y") == "s3://bucket/x/y"


def test_a_model_whose_task_is_not_here_needs_sentences():
    with pytest.raises(ValueError, match="give sentences with --input"):
        Drawn("somebody's", 10, 10)
