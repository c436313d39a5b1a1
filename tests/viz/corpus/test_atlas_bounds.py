"""An atlas from a stranger: Loupe reads its own files and nothing else, whatever they contain."""

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from sample_data.pairs import Pair
from tests.viz.corpus.test_questions import build
from viz.corpus.atlas import Atlas, atlases_in
from viz.corpus.roles import find_roles
from viz.corpus.shards import MANIFEST
from viz.corpus.store import Store
from viz.corpus.tables import AtlasError

NAME = "everyday-paper-0"
SUMS, PICKS = "all-sums-1.parquet", "all-picks-1.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("atlas") / "it's [one]*"
    build(folder, NAME, [Pair("the cat sleeps .", "le chat dort .", ())])
    return folder


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    return shutil.copytree(whole, tmp_path / whole.name)


def opened(folder: Path) -> Atlas:
    return Atlas(Store.at(folder))


def test_it_is_read_as_it_is_named(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert opened(folder).sentences == opened(Path(folder.name)).sentences == 1
    assert atlases_in(Store.at(tmp_path)) == {folder.name: Store.at(tmp_path) / folder.name}
    assert atlases_in(Store.at(tmp_path / "nowhere")) == {}


def test_what_each_head_did_need_not_be_there(folder):
    for table in ("cells", "heads", "sentences", "tokens", "jobs", "sums", "picks"):
        shutil.rmtree(folder / table)
    assert find_roles(opened(folder)).sentences == 1


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
@pytest.mark.parametrize("name", [MANIFEST, SUMS, PICKS])
def test_what_is_no_file_of_the_folder_is_refused_in_words(folder, tmp_path, name):
    path = folder / name
    elsewhere = tmp_path / "elsewhere.parquet"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(AtlasError, match="a link to a file outside the folder"):
        opened(folder)
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(AtlasError, match=r"cannot be read|no atlas here"):
        opened(folder)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(AtlasError, match=r"not a regular file|no atlas here"):
        opened(folder)


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_inside_the_folder_is_followed_and_so_is_one_to_it(folder, tmp_path):
    (folder / SUMS).rename(folder / "kept.parquet")
    (folder / SUMS).symlink_to(folder / "kept.parquet")
    (tmp_path / "link").symlink_to(folder)
    assert opened(tmp_path / "link").sentences == 1


@pytest.mark.parametrize("name", [MANIFEST, SUMS, PICKS])
def test_a_file_that_is_damaged_is_refused_in_words(folder, name):
    path = folder / name
    whole = path.read_bytes()
    for data in (whole[:4] + bytes(200) + whole[204:], whole[:-20], b"PAR1<script>", b""):
        path.write_bytes(data)
        with pytest.raises(AtlasError, match="cannot be read"):
            opened(folder)


def change(path: Path, table: pa.Table) -> None:
    pq.write_table(table.replace_schema_metadata(pq.read_schema(path).metadata), path)


@pytest.mark.parametrize("name", [MANIFEST, SUMS, PICKS])
def test_other_columns_and_holes_are_refused_in_words(folder, name):
    path = folder / name
    table = pq.read_table(path)
    change(path, table.drop_columns(table.column_names[-1:]))
    with pytest.raises(AtlasError, match="its columns must be those of"):
        opened(folder)
    if name != MANIFEST:
        last = table.schema.field(table.num_columns - 1)
        missing = pa.nulls(len(table), last.type)
        change(path, table.set_column(table.num_columns - 1, last, missing))
        with pytest.raises(AtlasError, match="cannot be read: a number is missing"):
            opened(folder)


def test_sums_of_something_else_are_refused(folder, tmp_path):
    other = tmp_path / "other"
    build(other, NAME, [Pair("the cat sleeps .", "le chat dort .", ())] * 2, size=1)
    shutil.copy(other / SUMS, folder / SUMS)
    with pytest.raises(AtlasError, match="this file belongs to another atlas"):
        opened(folder)


@pytest.mark.parametrize("wrong", ["sentences", "job_hits"])
def test_sums_that_do_not_fit_together_are_refused(folder, wrong):
    table = pq.read_table(folder / SUMS)
    of = pc.equal(table["name"], wrong)
    more = pc.if_else(of, pa.scalar(10**6), table["n"])
    at = table.schema.get_field_index("n")
    change(folder / SUMS, table.set_column(at, table.schema.field("n"), more))
    with pytest.raises(AtlasError, match="do not fit together"):
        find_roles(opened(folder))


def test_a_sum_too_large_to_read_is_not_read(folder, monkeypatch):
    monkeypatch.setattr("viz.corpus.atlas._MOST_BYTES", 1000)
    with pytest.raises(AtlasError, match="at most 1,000 bytes"):
        opened(folder)


def test_a_uri_that_nothing_reads_is_refused_in_words():
    with pytest.raises(AtlasError, match="ftp://"):
        Store.at("ftp://somewhere/else")


def test_threads_of_arrow_hold_no_file_of_python(folder, monkeypatch):
    """A Python file that a thread of Arrow closes while Python exits would abort the process."""
    read, kinds = pq.read_table, []

    def watched(file: object, **how: object) -> pa.Table:
        kinds.append(type(file))
        return read(file, **how)

    monkeypatch.setattr(pq, "read_table", watched)
    [sums] = (Store.at(path) for path in folder.rglob(SUMS))
    assert sums.table(pc.field("layer") == 0).num_rows <= sums.table().num_rows
    assert kinds == [pa.NativeFile] * 2
