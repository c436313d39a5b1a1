"""Making an atlas: resumed, stopped, and with shards that fail."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sample_data.pairs import Pair, write_tsv
from sample_data.tasks import is_held_out, load_held_out
from tests.browsing import ROOT
from tests.checkpoints import SHIPPED
from tests.sham import DEVICES, SHAM, on_device
from viz.corpus.__main__ import main
from viz.corpus.cluster import RayMissingError, on_ray
from viz.corpus.measure import Measurer
from viz.corpus.sentences import Drawn
from viz.corpus.shards import check_same, done_shards, find_origin, shard_path
from viz.corpus.tables import AtlasError
from viz.corpus.work import Order, in_processes

NAME = "everyday-paper-0"
TYPED = [pair for pair in load_held_out("everyday") if "<" not in pair.source]
"""The held-out pairs that someone could type, which are those that an atlas is made of."""


def make(out: Path, *options: str) -> int:
    return main([NAME, "--out", str(out), "--sentences", "20", "--shard", "8", *options])


def contents(folder: Path) -> dict[tuple[str, str], str]:
    return {
        (table, path.name): pq.read_table(path).to_pandas().astype(object).fillna("none").to_csv()
        for table in find_origin(folder).tables
        for path in sorted((folder / table).iterdir())
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("atlas")
    assert make(out) == 0
    return out / NAME


def test_shards_hold_the_sentences_in_their_order(made):
    assert done_shards(made) == {0: 8, 1: 8, 2: 4}
    told = [pq.read_table(shard_path(made, "sentences", n)).to_pydict() for n in range(3)]
    sources = [source for shard in told for source in shard["source"]]
    assert sources == [pair.source for pair in TYPED[:20]]
    assert [n for shard in told for n in shard["sentence"]] == list(range(20))


def test_each_file_says_where_it_comes_from(made):
    origin = find_origin(made)
    assert origin.checkpoint == NAME
    assert origin.sha256 in (SHIPPED / f"{NAME}.json").read_text()
    assert origin.versions.keys() >= {"torch", "numpy", "loupe", "python"}
    for table in origin.tables:
        assert b"loupe" in pq.read_schema(shard_path(made, table, 1)).metadata


def test_it_goes_on_with_what_is_missing(made, tmp_path, capsys):
    out = tmp_path / "again"
    make(out, "--sentences", "12")
    before = shard_path(out / NAME, "heads", 0).stat().st_mtime_ns
    shard_path(out / NAME, "heads", 1).unlink()
    assert make(out) == 0
    assert "shard 0 of" not in capsys.readouterr().err.split("1 of 3")[1]
    assert shard_path(out / NAME, "heads", 0).stat().st_mtime_ns == before
    assert contents(out / NAME) == contents(made)


def test_a_short_last_shard_is_made_anew_when_there_are_more_sentences(made, tmp_path):
    make(tmp_path, "--sentences", "10")
    assert done_shards(tmp_path / NAME) == {0: 8, 1: 2}
    make(tmp_path)
    assert contents(tmp_path / NAME) == contents(made)


@pytest.mark.parametrize("device", DEVICES)
def test_the_model_runs_on_the_device_that_is_asked_for(tmp_path, monkeypatch, device):
    ran = []
    monkeypatch.setattr(Measurer, "__call__", lambda self, *_: ran.append(self.opened))
    with on_device(device):
        make(tmp_path, "--device", device)
    assert {opened.model.device.type for opened in ran} == {device}


@pytest.mark.slow
def test_processes_make_the_same_files(made, tmp_path):
    assert make(tmp_path, "--workers", "2") == 0
    assert contents(tmp_path / NAME) == contents(made)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_shard_that_fails_is_named_and_the_others_go_on(tmp_path, capsys, workers):
    pairs = [Pair("the cat sleeps .", "le chat dort .", frozenset())] * 20
    pairs[9] = Pair("cat " * 600, "chat", frozenset())
    write_tsv(tmp_path / "mine.tsv", pairs)
    assert make(tmp_path, "--pairs", str(tmp_path / "mine.tsv"), "--workers", workers) == 1
    told = capsys.readouterr().err
    assert "shard 1 failed: ValueError: sentence 9 must have at most 512 tokens" in told
    assert done_shards(tmp_path / NAME) == {0: 8, 2: 4}


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_shard(made, tmp_path):
    """The process of the first shard that is done is killed: the others are made by new ones."""
    origin = find_origin(made)
    order = Order(SHIPPED / NAME, tmp_path, origin)
    killed = []
    for _ in in_processes(1)(order, Drawn("everyday", 20).shards(8)):
        if not killed:
            killed = children()
            for process in killed:
                os.kill(process, signal.SIGKILL)
    assert killed
    assert contents(tmp_path) == contents(made)


def children() -> list[int]:
    """Processes that this one has spawned to make shards."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = [int(pid) for task in tasks for pid in task.read_text().split()]
    return [p for p in found if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


@pytest.mark.slow
def test_an_interrupt_leaves_no_half_shard_and_no_process(tmp_path):
    command = ["-m", "viz.corpus", NAME, "--sentences", "4000", "--shard", "100"]
    process = subprocess.Popen(
        [sys.executable, *command, "--workers", "2", "--out", str(tmp_path)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
    )
    assert "shard" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to all of them
    _, told = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on from there" in told
    assert "Traceback" not in told
    done = done_shards(tmp_path / NAME)
    assert 0 < len(done) < 40
    assert set(done.values()) == {100}
    assert not list(tmp_path.rglob("*.tmp"))


def _hear_interrupts() -> None:
    """Undo what a shell does to all that it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_what_a_killed_process_left_is_taken_away(made, tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / NAME / "cells" / f".00000.parquet.{dead.pid}.tmp"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    assert make(tmp_path) == 0
    assert not left.exists()
    assert contents(tmp_path / NAME) == contents(made)


def test_what_belongs_to_something_else_is_not_mixed(made):
    origin = find_origin(made)
    check_same(made, replace(origin, versions={"torch": "another"}))
    with pytest.raises(AtlasError, match=r"its sha256 is .*asked for is 12ab\. Choose another"):
        check_same(made, replace(origin, sha256="12ab"))
    with pytest.raises(AtlasError, match="its shard is 8, asked for is 9"):
        check_same(made, replace(origin, shard=9))


def test_the_command_says_what_is_wrong(made, tmp_path, capsys):
    def told(*options: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["--out", str(tmp_path), *options])
        assert ended.value.code == 2
        return capsys.readouterr().err

    assert "--out: must be a folder of this machine, got s3://bucket/x" in told(
        NAME, "--out", "s3://bucket/x"
    )
    assert "no such file" in told("nobody")
    assert "sentences must be at least 1, got 0" in told(NAME, "--sentences", "0")
    assert "--workers and --shard must be at least 1" in told(NAME, "--workers", "0")
    assert "this machine and its torch have, such as cpu, got gpu" in told(NAME, "--device", "gpu")
    assert "--ray computes on processors" in told(NAME, "--device", SHAM, "--ray", "local")
    assert "atlas of something else: its shard is 8, asked for is 2000" in told(
        NAME, "--out", str(made.parent)
    )


@pytest.mark.slow
def test_sentences_are_held_out_first_and_then_others_once_each():
    pairs = list(Drawn("everyday", 1050).pairs())
    assert pairs[: len(TYPED)] == TYPED
    assert len({pair.source for pair in pairs}) == 1050
    assert not any("<" in pair.source for pair in pairs)
    assert not all(is_held_out(pair.source) for pair in pairs)
    assert list(Drawn("everyday", 1020).pairs()) == pairs[:1020]
    held = list(Drawn("everyday", 1030, held_out=True).pairs())
    assert held[: len(TYPED)] == TYPED
    assert all(is_held_out(pair.source) for pair in held)
    assert len({pair.source for pair in held}) == 1030


def test_ray_is_asked_for_by_name_where_it_is_missing(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    order = Order(SHIPPED / NAME, tmp_path, find_origin(made))
    with pytest.raises(RayMissingError, match="not installed here: pip install 'ray"):
        list(on_ray("local", 1)(order, Drawn("everyday", 8).shards(8)))
    assert list(on_ray("local", 1)(order, [])) == []


def test_ray_makes_the_same_shards(made, tmp_path):
    """Where Ray is installed and starts: on a busy machine its own limits of time run out."""
    pytest.importorskip("ray", reason="Ray is not installed, and nothing needs it")
    command = [sys.executable, "-m", "viz.corpus", NAME, "--sentences", "20", "--shard", "8"]
    ended = subprocess.run(
        [*command, "--ray", "local", "--out", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if "no cluster of Ray could be started" in ended.stderr:
        pytest.skip("Ray is installed, but its cluster does not start here")
    assert ended.returncode == 0, ended.stderr
    assert contents(tmp_path / NAME) == contents(made)


def test_a_damaged_count_of_sentences_is_refused_in_words(tmp_path):
    for table in ("heads", "sentences"):
        path = shard_path(tmp_path, table, 0)
        path.parent.mkdir()
        path.write_bytes(b"")
    with pytest.raises(AtlasError, match="cannot be read"):
        done_shards(tmp_path)
