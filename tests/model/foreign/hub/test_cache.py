"""Models that Loupe finds in a Hugging Face cache, and that Hugging Face's client also finds."""

from pathlib import Path

import pytest
from huggingface_hub import constants, snapshot_download

from model.foreign.errors import FolderError
from model.foreign.finding import find_models, name_of
from model.foreign.hub.cache import cached_models, find_cached, hub_cache, origin_of, snapshot_in
from model.foreign.hub.names import HubError, read_name
from model.foreign.imports.load import open_folder
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.hub.stand_in import COMMIT
from tests.model.foreign.imports.folders import write_gpt2

OTHER = "f" * 40


def find(typed: str, root: Path) -> str:
    found = find_cached(read_name(typed), root)
    return f"{found.name} {found.short_commit}"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/b"}, "/old"),
        ({"HF_HOME": "/b", "XDG_CACHE_HOME": "/c"}, "/b/hub"),
        ({"HF_HOME": "~/x"}, str(Path("~/x/hub").expanduser())),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"HF_HUB_CACHE": ""}, str(Path("~/.cache/huggingface/hub").expanduser())),
        ({}, str(Path("~/.cache/huggingface/hub").expanduser())),
    ],
)
def test_the_cache_is_where_the_client_of_the_hub_has_it(environment, found):
    assert hub_cache(environment) == Path(found)


def test_in_this_environment_the_client_says_the_same(monkeypatch):
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", constants.HF_HOME)
    assert str(hub_cache()) == constants.default_cache_path


def test_a_name_leads_to_the_commit_of_its_branch(tmp_path):
    main = write_entry(tmp_path, "org/name")
    other = write_entry(tmp_path, "org/name", commit=OTHER, refs=("v1.0", "refs/pr/1"))
    assert find("org/name", tmp_path) == f"org/name {COMMIT[:7]}"
    for revision in ("v1.0", "refs/pr/1", OTHER, OTHER[:7]):
        assert find(f"org/name@{revision}", tmp_path) == f"org/name@refs/pr/1 {OTHER[:7]}"
    assert find_cached(read_name("org/name@v1.0"), tmp_path).path == other
    for revision, path in (("main", main), ("v1.0", other)):
        theirs = snapshot_download(
            "org/name", revision=revision, cache_dir=tmp_path, local_files_only=True
        )
        assert Path(theirs) == path


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("gpt3", "has no model gpt3. To download it from the Hub: loupe fetch gpt3"),
        ("name", "has no model name; it has org/name. To download it"),
        ("ORG/Name", "it has org/name"),
        ("org/name@v9", "does not have the revision v9 of org/name; it has main"),
        ("org/name@0123", "does not have the revision 0123"),
        ("org/part", "only a part of org/part: model.safetensors is missing"),
        ("org/words", "only a part of org/words: tokenizer.json is missing"),
        ("org/empty", "does not have the revision main of org/empty; it has -"),
    ],
)
def test_what_is_not_there_is_said_with_how_to_get_it(typed, said, tmp_path):
    write_entry(tmp_path, "org/name")
    write_entry(tmp_path, "org/part", without=("model.safetensors",))
    write_entry(tmp_path, "org/words", without=("tokenizer.json",))
    (tmp_path / "models--org--empty" / "snapshots").mkdir(parents=True)
    with pytest.raises(HubError) as raised:
        find_cached(read_name(typed), tmp_path)
    assert said in str(raised.value)


@pytest.mark.parametrize("said", ["../../elsewhere", "..", "", "a/b", "\0", "x" * 300, "\u202e"])
def test_a_branch_leads_to_no_folder_but_a_snapshot(said, tmp_path):
    snapshot = write_entry(tmp_path, "org/name", refs=())
    ref = snapshot.parent.parent / "refs" / "main"
    ref.parent.mkdir()
    ref.write_text(said)
    with pytest.raises(HubError, match="does not have the revision main"):
        find_cached(read_name("org/name"), tmp_path)


def test_a_cache_is_listed_a_line_for_each_model(tmp_path):
    write_gpt2(tmp_path / "plain")
    write_entry(tmp_path, "org/one", folder=tmp_path / "plain")
    write_entry(tmp_path, "org/one", folder=tmp_path / "plain", commit=OTHER, refs=("v1",))
    late = write_entry(tmp_path, "two", folder=tmp_path / "plain", refs=())
    (tmp_path / "datasets--org--three" / "snapshots" / COMMIT).mkdir(parents=True)
    (tmp_path / "models--org--four").mkdir()
    assert [each.name for each in cached_models(tmp_path)] == ["org/one", f"two@{COMMIT[:7]}"]
    found = find_models(tmp_path)
    assert [name_of(path) for path in found] == ["plain", "org/one", "two"]
    assert find_models(late.parent.parent) == find_models(late) == [late]


def test_a_snapshot_has_the_name_of_its_model_and_never_the_hash(tmp_path):
    write_gpt2(tmp_path / "plain")
    snapshot = write_entry(tmp_path, "org/name", folder=tmp_path / "plain")
    for path in (snapshot, snapshot_in(snapshot.parent.parent)):
        info = open_folder(path).info
        assert (info.name, info.commit) == ("org/name", COMMIT)
        assert info.called == f"org/name (commit {COMMIT[:7]})"
    assert origin_of(tmp_path / "plain") is None
    (snapshot / "model.safetensors").unlink()
    with pytest.raises(FolderError, match=r"^org/name: it has no .*; .*`loupe fetch org/name`"):
        open_folder(snapshot)


def test_a_link_leads_into_the_same_models_blobs_and_nowhere_else(tmp_path):
    write_gpt2(tmp_path / "plain")
    snapshot = write_entry(tmp_path, "org/name", folder=tmp_path / "plain")
    stranger = write_entry(tmp_path, "org/other", folder=tmp_path / "plain")
    open_folder(snapshot)
    for target in (stranger / "config.json", tmp_path / "plain" / "config.json"):
        (snapshot / "config.json").unlink()
        (snapshot / "config.json").symlink_to(target)
        with pytest.raises(
            FolderError, match=r"org/name: config\.json is a link to a file outside"
        ):
            open_folder(snapshot)


def test_blobs_that_are_a_link_themselves_are_not_followed(tmp_path):
    write_gpt2(tmp_path / "plain")
    snapshot = write_entry(tmp_path, "org/name", folder=tmp_path / "plain")
    blobs = snapshot.parent.parent / "blobs"
    blobs.rename(tmp_path / "elsewhere")
    blobs.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FolderError, match="is a link to a file outside the folder"):
        open_folder(snapshot)
