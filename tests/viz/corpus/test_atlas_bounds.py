"""An atlas of a stranger: its own files are read, and nothing else, whatever they are."""

import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.pairs import Pair
from tests.checkpoints import SHIPPED
from viz.corpus.__main__ import main
from viz.corpus.atlas import Atlas, atlases_in
from viz.corpus.measure import Measurer
from viz.corpus.shards import MOST_SHARDS, done_shards, find_origin, shard_path, write_shard
from viz.corpus.tables import FORMAT, TABLES, AtlasError, Origin
from viz.run.jobs import job_names

NAME = "everyday-paper-0"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "it's [one]*"
    checkpoint = load_checkpoint(SHIPPED / NAME)
    origin = Origin(
        format=FORMAT, checkpoint=NAME, sha256="", task="everyday", drawn="", shard=1,
        decimals=None, jobs=job_names(checkpoint.info), versions={},
    )  # fmt: skip
    pair = Pair("the cat sleeps .", "le chat dort .", ())
    write_shard(folder, 0, Measurer(checkpoint)([pair], 0), origin)
    return folder


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    return shutil.copytree(whole, tmp_path / whole.name)


def test_a_question_reads_the_atlas_and_cannot_reach_anything_else(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("a\n1\n")
    atlas = Atlas(folder)
    assert atlas.sentences == 1
    assert Atlas(Path(folder.name)).sentences == 1  # as it is named on the command line
    shard = str(shard_path(folder, "cells", 0)).replace("'", "''")
    for sql in (
        "select * from read_csv('/etc/passwd')",
        "select content from read_blob('/etc/passwd')",
        "select * from glob('/etc/*')",
        "select * from 'other.csv'",
        f"select * from read_csv('{tmp_path}/other.csv')",
        f"copy (select 1) to '{tmp_path}/written.csv'",
        f"copy (select 1) to '{shard}.csv'",
        f"attach '{tmp_path}/written.db'",
        f"export database '{tmp_path}/written'",
        "install httpfs",
        "load httpfs",
        "select * from read_parquet('http://127.0.0.1:9/x.parquet')",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "set lock_configuration = false",
        "set memory_limit = '1TB'",
    ):
        with pytest.raises(AtlasError, match=r"Permission Error|Cannot change"):
            atlas.ask(sql)
    assert not list(tmp_path.glob("written*"))
    assert atlas.count("select count(*) from cells") > 0


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
@pytest.mark.parametrize("table", TABLES[:4:3])
def test_what_is_no_file_of_the_folder_is_refused_in_words(folder, tmp_path, table):
    path = shard_path(folder, table, 0)
    elsewhere = tmp_path / "elsewhere.parquet"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(AtlasError, match="a link to a file outside the folder"):
        Atlas(folder)
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(AtlasError, match="cannot be read"):
        Atlas(folder)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(AtlasError, match="no regular file"):
        Atlas(folder)


def test_a_file_that_is_damaged_before_its_footer_is_refused_in_words(folder):
    path = shard_path(folder, "cells", 0)
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(200) + whole[204:])
    with pytest.raises(AtlasError, match="cannot be read"):
        Atlas(folder).ask("select * from cells")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
def test_the_first_look_waits_for_no_pipe_either(folder, tmp_path):
    for table in ("heads", "sentences"):
        shard_path(folder, table, 0).unlink()
        os.mkfifo(shard_path(folder, table, 0))
    assert atlases_in(tmp_path)
    with pytest.raises(AtlasError, match="no regular file"):
        find_origin(folder)
    assert done_shards(folder) == {}


def test_a_link_inside_the_folder_is_followed_and_so_is_one_to_it(folder, tmp_path):
    path = shard_path(folder, "cells", 0)
    path.rename(folder / "kept.parquet")
    path.symlink_to(folder / "kept.parquet")
    (tmp_path / "link").symlink_to(folder)
    assert Atlas(tmp_path / "link").count("select count(*) from cells") > 0


def test_more_shards_than_are_read_are_neither_read_nor_made(folder, tmp_path, capsys):
    for number in range(1, MOST_SHARDS + 1):
        shard_path(folder, "heads", number).touch()
    for look in (find_origin, done_shards, Atlas):
        with pytest.raises(AtlasError, match="it has 1001 files of each table, at most 1000"):
            look(folder)
    with pytest.raises(SystemExit):
        main([NAME, "--sentences", "1001", "--shard", "1", "--out", str(tmp_path / "out")])
    assert "--shard must be at least 2" in capsys.readouterr().err
    assert pq.read_metadata(shard_path(folder, "heads", 0)).num_rows > 0
