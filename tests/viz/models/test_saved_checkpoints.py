import errno
import io
import os
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from texts import speaking
from viz.models import saved_checkpoints as kept
from viz.models.own_checkpoints import kept_names
from viz.models.places import kept_folder
from viz.models.saved_checkpoints import KeptFolderFullError, keep, pack, why_unwritable


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LOUPE_KEPT", str(tmp_path / "kept"))


@pytest.fixture(scope="session")
def snapshot(checkpoint, tmp_path_factory) -> Path:
    """Write a checkpoint of step 12 of a training. No test changes it."""
    path = tmp_path_factory.mktemp("trained") / "tiny-000012"
    info = replace(checkpoint.info, name=path.name, training={"step": 12})
    save_checkpoint(path, checkpoint.model, info)
    return path


def test_what_is_kept_loads_and_has_its_own_name(snapshot):
    assert kept_names() == []
    name = keep(snapshot)
    assert name == "tiny-000012-step-12"
    assert kept_names() == [name]
    found = load_checkpoint(kept_folder() / name)
    assert found.info.name == name
    before = load_checkpoint(snapshot).model.state_dict()
    assert all(tensor.equal(before[key]) for key, tensor in found.model.state_dict().items())


def test_two_kept_at_the_same_moment_are_both_there(snapshot, tmp_path, monkeypatch):
    found = load_checkpoint(snapshot)
    paths = {title: tmp_path / title / snapshot.name for title in ("one", "two")}
    for title, path in paths.items():
        save_checkpoint(path, found.model, replace(found.info, title=title))
    together = threading.Barrier(2)

    def load(path):
        together.wait(timeout=60)  # both have already listed the kept checkpoints
        return load_checkpoint(path)

    monkeypatch.setattr(kept, "load_checkpoint", load)
    with ThreadPoolExecutor(2) as threads:
        names = list(threads.map(keep, paths.values()))
    assert sorted(names) == ["tiny-000012-step-12", "tiny-000012-step-12-2"] == kept_names()
    titles = [load_checkpoint(kept_folder() / name).info.title for name in names]
    assert titles == ["one", "two"]


def test_what_could_not_be_kept_leaves_no_name_taken(snapshot, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(kept, "save_checkpoint", full)
        with pytest.raises(OSError, match="No space left"):
            keep(snapshot)
    assert list(kept_folder().iterdir()) == []
    (kept_folder() / "tiny-000012-step-12.json").write_text("{}")  # a user's file without weights
    assert keep(snapshot) == "tiny-000012-step-12-2"


@pytest.mark.parametrize(
    ("number", "english", "french"),
    [
        (errno.ENOSPC, "is full", "est plein"),
        (errno.EROFS, "may not write", "pas le droit"),
        (errno.EACCES, "may not write", "pas le droit"),
        (errno.ENOTDIR, "is a file, but Loupe needs", "Un fichier occupe"),
        (errno.EIO, "Input/output error", "Input/output error"),
    ],
)
def test_why_a_folder_cannot_be_written_is_said_to_the_reader(number, english, french):
    error = OSError(number, os.strerror(number), "/kept/.name.json.123.tmp")
    for language, words in (("en", english), ("fr", french)):
        with speaking(language):
            said = why_unwritable(error, Path("/kept"))
        assert words in said
        assert "/kept" in said


def test_a_file_in_place_of_the_folder_is_named(snapshot):
    kept_folder().write_text("a file")
    with pytest.raises(OSError, match="exists") as refused:
        keep(snapshot)
    assert "is a file, but Loupe needs" in why_unwritable(refused.value, kept_folder())


KEEPER = """
import sys
from pathlib import Path
from viz.models import saved_checkpoints

saved_checkpoints.MOST_KEPT = 1_000_000
print("ready", flush=True)
while True:
    print(saved_checkpoints.keep(Path(sys.argv[1])), flush=True)
"""


@pytest.mark.slow
def test_servers_that_share_a_folder_and_are_killed_in_a_save_leave_whole_pairs(snapshot):
    command = [sys.executable, "-c", KEEPER, str(snapshot)]
    servers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = []
    for server in servers:
        told += [server.stdout.readline() for _ in range(4)][1:]  # after both are ready
    for server in servers:
        server.kill()
    for server in servers:
        told += server.stdout.read().splitlines(keepends=True)
        server.wait()
        server.stdout.close()
    told = [line.strip() for line in told if line.endswith("\n")]
    assert len(told) >= 6
    assert len(set(told)) == len(told)  # no name was given to two saves
    assert set(told) <= set(kept_names())
    for name in kept_names():
        assert load_checkpoint(kept_folder() / name).info.name == name
    for left in kept_folder().glob("*.safetensors"):  # a killed save's are not listed
        assert left.stem in kept_names() or not left.with_suffix(".json").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "MOST_KEPT", len(told) + 10)
        assert keep(snapshot) not in told
    assert not list(kept_folder().glob("*.tmp"))


def test_only_so_many_are_kept(snapshot, monkeypatch):
    monkeypatch.setattr(kept, "MOST_KEPT", 1)
    keep(snapshot)
    with pytest.raises(KeptFolderFullError, match="holds 1 checkpoints, and the limit is 1"):
        keep(snapshot)


def test_the_archive_holds_a_checkpoint_that_loads(snapshot, tmp_path):
    with zipfile.ZipFile(io.BytesIO(pack(snapshot))) as files:
        files.extractall(tmp_path)
    assert load_checkpoint(tmp_path / "tiny-000012").info.training["step"] == 12


def test_the_folder_is_the_users_own(monkeypatch):
    monkeypatch.delenv("LOUPE_KEPT")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert kept_folder() == Path("/data/loupe/checkpoints")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert kept_folder() == Path.home() / ".local/share/loupe/checkpoints"
