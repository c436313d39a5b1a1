"""Making an atlas: resumed, interrupted, and with shards that fail."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sample_data.pairs import Pair
from sample_data.tasks import load_held_out
from tests.browsing import ROOT
from tests.checkpoints import SHIPPED
from tests.sham import DEVICES, SHAM, on_device
from tests.viz.corpus.test_inputs import write_parquet
from viz.corpus.__main__ import main
from viz.corpus.cluster import RayMissingError, on_ray
from viz.corpus.inputs import Drawn, Files
from viz.corpus.measure import Measurer
from viz.corpus.shards import MANIFEST, Manifest, check_same, name_of, read_manifest, sum_up
from viz.corpus.store import Store
from viz.corpus.tables import AtlasError, Origin, read_origin
from viz.corpus.work import Order, in_a_loop, in_processes

NAME = "everyday-paper-0"
TYPED = [pair for pair in load_held_out("everyday") if "<" not in pair.source]
"""The held-out pairs that someone could type; only those go into an atlas."""
NO_TARGET = Pair("the cat sleeps .", " ", frozenset())


def make(out: Path, *options: str) -> int:
    return main([NAME, "--out", str(out), "--sentences", "20", "--shard", "8", *options])


def contents(folder: Path) -> dict[str, str]:
    """Return all tables as text by path; of the sums only the latest, with sorted rows."""
    found = {}
    for path in sorted(folder.rglob("*.parquet")):
        frame = pq.read_table(path).to_pandas().astype(object).fillna("none")
        name = str(path.relative_to(folder))
        if name.startswith("all-"):
            name = path.name.rpartition("-")[0]
            frame = frame.sort_values([*frame.columns[:7]], ignore_index=True)
            frame = frame.map(lambda value: round(value, 6) if isinstance(value, float) else value)
        found[name] = frame.to_csv()
    return found


def done(folder: Path) -> dict[int, int]:
    """Return the number of sentences of each shard in the manifest."""
    found = read_manifest(Store.at(folder))
    return {number: shard.sentences for number, shard in found.shards.items()} if found else {}


def origin_of(folder: Path) -> Origin:
    found = read_manifest(Store.at(folder))
    assert found is not None
    return found.origin


def shard_path(folder: Path, table: str, number: int) -> Path:
    return folder / table / name_of(number)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("atlas")
    assert make(out) == 0
    return out / NAME


def test_shards_hold_the_sentences_in_their_order(made):
    assert done(made) == {0: 8, 1: 8, 2: 4}
    told = [pq.read_table(shard_path(made, "sentences", n)).to_pydict() for n in range(3)]
    sources = [source for shard in told for source in shard["source"]]
    assert sources == [pair.source for pair in TYPED[:20]]
    assert [n for shard in told for n in shard["sentence"]] == list(range(20))


def test_each_file_says_where_it_comes_from(made):
    origin = origin_of(made)
    assert origin.checkpoint == NAME
    assert origin.sha256 in (SHIPPED / f"{NAME}.json").read_text()
    assert origin.versions.keys() >= {"torch", "numpy", "loupe", "python", "device"}
    files = list(made.rglob("*.parquet"))
    assert len(files) == 3 * (5 + 2) + 3
    for path in files:
        assert read_origin(pq.read_schema(path)) == origin


def test_it_goes_on_with_what_is_missing(made, tmp_path, capsys):
    """Files that a killed process left behind are removed."""
    out = tmp_path / "again"
    make(out, "--sentences", "16")
    dead = subprocess.Popen([sys.executable, "-S", "-c", ""])
    dead.wait()
    left = out / NAME / "cells" / f".00000.parquet.{dead.pid}.tmp"
    left.write_bytes(b"half")
    before = shard_path(out / NAME, "cells", 0).stat().st_mtime_ns
    assert make(out) == 0
    told = capsys.readouterr().err.split("2 of 3 shards are already there")[1]
    assert "shard 0 of" not in told
    assert "shard 2 of 3: 4 sentences" in told
    assert shard_path(out / NAME, "cells", 0).stat().st_mtime_ns == before
    assert not left.exists()
    assert contents(out / NAME) == contents(made)


def test_shards_that_no_manifest_has_are_found_and_counted_once(made, tmp_path):
    """A process may die between a shard and the manifest, or two may make the same atlas."""
    out = shutil.copytree(made, tmp_path / NAME)
    (out / MANIFEST).unlink()
    shard_path(out, "sums", 1).unlink()  # written last, so the shard is incomplete
    before = shard_path(out, "sums", 0).stat().st_mtime_ns
    assert make(tmp_path) == 0
    assert shard_path(out, "sums", 0).stat().st_mtime_ns == before
    assert contents(out) == contents(made)


def test_a_page_sees_what_is_done_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr("viz.corpus.__main__._SUMMED_UP_S", 0.0)
    seen = []
    real = sum_up
    monkeypatch.setattr(
        "viz.corpus.__main__.sum_up",
        lambda *given: seen.append(real(*given).sentences) or read_manifest(given[0]),
    )
    make(tmp_path)
    assert seen == [8, 16, 20]
    assert done(tmp_path / NAME) == {0: 8, 1: 8, 2: 4}
    kept = {path.stem for path in (tmp_path / NAME).glob("all-sums-*.parquet")}
    assert kept == {"all-sums-2", "all-sums-3"}  # a page may have read that 2 is the latest


def test_sums_alone_are_enough_for_the_pages(made, tmp_path):
    assert make(tmp_path, "--only-sums") == 0
    kept = contents(tmp_path / NAME)
    assert {name.split("/")[0] for name in kept} == {
        "sums", "picks", "all-sums", "all-picks", MANIFEST,
    }  # fmt: skip
    whole = contents(made)
    assert kept == {name: whole[name] for name in kept}


def test_a_short_last_shard_is_made_anew_when_there_are_more_sentences(made, tmp_path):
    make(tmp_path, "--sentences", "10")
    assert done(tmp_path / NAME) == {0: 8, 1: 2}
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
def test_a_shard_that_fails_is_named_and_the_others_go_on(tmp_path, capsys):
    pairs = [Pair("the cat sleeps .", "le chat dort .", frozenset())] * 20
    pairs[9] = NO_TARGET
    write_parquet(tmp_path / "mine.parquet", pairs)
    assert make(tmp_path, "--input", str(tmp_path / "mine.parquet")) == 1
    told = capsys.readouterr().err
    assert "shard 1 failed: ValueError" in told
    assert "each row needs text in source and target" in told
    assert done(tmp_path / NAME) == {0: 8, 2: 4}


def test_texts_that_the_model_cannot_read_are_left_out_and_counted(tmp_path, capsys):
    long = Pair("cat " * 600, "chat", frozenset())
    pairs = [*TYPED[:6], long, *TYPED[6:12], long]
    write_parquet(tmp_path / "mine.parquet", pairs)
    assert make(tmp_path, "--input", str(tmp_path / "mine.parquet")) == 0
    told = capsys.readouterr().err
    assert "12 sentences in 2 shards" in told
    assert "2 texts left out" in told
    read = pq.read_table(tmp_path / NAME / "sentences").to_pylist()
    assert [row["source"] for row in read] == [pair.source for pair in TYPED[:12]]


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_shard(made, tmp_path):
    """If the process of the first finished shard is killed, new ones make the others.

    Processes then make the same files as a loop, and name the shard that fails.
    """
    origin, folder = origin_of(made), Store.at(tmp_path)
    write_parquet(tmp_path / "mine.parquet", [NO_TARGET])
    [failing] = Files((str(tmp_path / "mine.parquet"),), ("source", "target"), 8).portions()
    portions = [*Drawn("everyday", 20, 8).portions(), replace(failing, number=3, first=20)]
    order = Order(SHIPPED / NAME, folder, origin)
    killed, outcomes = [], []
    for outcome in in_processes(1)(order, portions):
        outcomes.append(outcome)
        if not killed:
            killed = children()
            for process in killed:
                os.kill(process, signal.SIGKILL)
    assert killed
    [failed] = [outcome for outcome in outcomes if outcome.failed]
    assert "each row needs text in source and target" in failed.failed
    (tmp_path / "mine.parquet").unlink()
    outcomes.remove(failed)
    sum_up(folder, Manifest(origin, 0, {}), outcomes)
    assert contents(tmp_path) == contents(made)


def children() -> list[int]:
    """Return the processes that this one has spawned to make shards."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = [int(pid) for task in tasks for pid in task.read_text().split()]
    return [p for p in found if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


@pytest.mark.slow
def test_an_interrupt_leaves_no_half_shard_and_no_process(tmp_path):
    command = ["-m", "viz.corpus", NAME, "--sentences", "800", "--shard", "20"]
    process = subprocess.Popen(
        [sys.executable, *command, "--workers", "2", "--out", str(tmp_path)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
    )
    assert "shard" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # like a terminal, which signals the whole group
    _, told = process.communicate()
    assert process.returncode == 130
    assert "the same command continues from there" in told
    assert "Traceback" not in told
    there = done(tmp_path / NAME)
    assert 0 < len(there) < 40
    assert set(there.values()) == {20}
    assert not list(tmp_path.rglob("*.tmp"))


def _hear_interrupts() -> None:
    """Undo that a shell makes its background processes ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_what_belongs_to_something_else_is_not_mixed(made):
    origin, folder = origin_of(made), Store.at(made)
    check_same(folder, replace(origin, versions={"torch": "another"}))
    with pytest.raises(AtlasError, match=r"its sha256 is .*not 12ab\. Choose another"):
        check_same(folder, replace(origin, sha256="12ab"))
    with pytest.raises(AtlasError, match="its shard is 8, not 9"):
        check_same(folder, replace(origin, shard=9))
    order = Order(SHIPPED / NAME, folder, replace(origin, sha256="12ab"))
    [made_one] = in_a_loop(order, Drawn("everyday", 8, 8).portions())
    assert "this file belongs to another atlas" in made_one.failed


def test_the_command_says_what_is_wrong(made, tmp_path, capsys):
    def told(*options: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["--out", str(tmp_path), *options])
        assert ended.value.code == 2
        return capsys.readouterr().err

    assert "ftp://host/x: this cannot be read" in told(NAME, "--out", "ftp://host/x")
    assert "no files were found" in told(NAME, "--input", str(tmp_path / "nowhere"))
    assert "has no model nobody" in told("nobody")
    assert "--sentences must be at least 1, got 0" in told(NAME, "--sentences", "0")
    assert "--workers and --shard must be at least 1" in told(NAME, "--workers", "0")
    assert "this machine and its torch have, such as cpu, got gpu" in told(NAME, "--device", "gpu")
    assert "--ray, which computes on CPUs" in told(NAME, "--device", SHAM, "--ray", "local")
    assert "another atlas: its shard is 8, not 2000" in told(NAME, "--out", str(made.parent))


def test_ray_is_asked_for_by_name_where_it_is_missing(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    order = Order(SHIPPED / NAME, Store.at(tmp_path), origin_of(made))
    with pytest.raises(RayMissingError, match="not installed here: pip install 'ray"):
        list(on_ray("local", 1)(order, Drawn("everyday", 8, 8).portions()))
    assert list(on_ray("local", 1)(order, [])) == []


def test_ray_makes_the_same_shards(made, tmp_path):
    """This runs only if Ray is installed and starts; on a busy machine its own timeouts expire."""
    pytest.importorskip("ray", reason="Ray is not installed, and nothing needs it")
    command = [sys.executable, "-m", "viz.corpus", NAME, "--sentences", "20", "--shard", "8"]
    ended = subprocess.run(
        [*command, "--ray", "local", "--out", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if "a Ray cluster could not be started" in ended.stderr:
        pytest.skip("Ray is installed, but its cluster does not start here")
    assert ended.returncode == 0, ended.stderr
    assert contents(tmp_path / NAME) == contents(made)
