"""Downloads from a local server in place of the Hub are found by Hugging Face's own client."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import snapshot_download

from model.foreign.hub import offer as offers
from model.foreign.hub.bounded import StoppedError
from model.foreign.hub.cache import CachedModel, cached_models, find_cached
from model.foreign.hub.download import download
from model.foreign.hub.names import HubError, read_name
from model.foreign.hub.offer import Offer, is_offline, look_up
from model.foreign.imports import folder as folders
from model.foreign.imports.load import open_folder
from tests.model.foreign.hub.stand_in import COMMIT, Hub, put_folder, served
from tests.model.foreign.imports.folders import write_gpt2

NAME = "org/tiny-gpt2"
WANTED = ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gpt2(tmp_path_factory.mktemp("plain"))


@pytest.fixture
def hub(gpt2: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()
    put_folder(made, gpt2)
    for name in ("pytorch_model.bin", "modeling.py", "onnx/model.safetensors", "x.msgpack"):
        made.files[name] = b"not for Loupe"
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    # Another test may have imported the client in offline mode.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    with served(made):
        monkeypatch.setenv("HF_ENDPOINT", made.address)
        yield made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "hub"


def offered(cache: Path, name: str = NAME) -> Offer:
    return look_up(read_name(name), cache)


def fetched(cache: Path, name: str = NAME) -> CachedModel:
    return download(offered(cache, name))


def stopped(offer: Offer, after: float) -> None:
    """Stop a download once so many bytes have arrived."""
    done = []
    with pytest.raises(StoppedError):
        download(offer, lambda there, _: done.append(there), lambda: done[-1] > after)


def weights_of(hub: Hub, size: int) -> bytes:
    """Make the weights so large that an interrupted download can be continued."""
    hub.files["model.safetensors"] = bytes(range(256)) * (size // 256)
    return hub.files["model.safetensors"]


def test_the_size_is_known_before_anything_is_downloaded(hub, cache):
    offer = offered(cache)
    assert [file.name for file in offer.files] == WANTED
    assert offer.size == offer.left == sum(len(hub.files[name]) for name in WANTED)
    assert offer.commit == COMMIT
    assert not cache.exists()


def test_a_model_is_downloaded_pinned_and_opens(hub, cache):
    told = []
    found = download(offered(cache), lambda done, size: told.append((done, size)))
    assert found.name == NAME
    assert sorted(path.name for path in found.path.iterdir()) == sorted(WANTED)
    for name in WANTED:
        assert (found.path / name).read_bytes() == hub.files[name]
    assert open_folder(found.path).info.called == f"{NAME} (commit {COMMIT[:7]})"
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    total = sum(len(hub.files[name]) for name in WANTED)
    assert told[-1] == (total, total)
    assert find_cached(read_name(NAME), cache).path == found.path
    assert Path(snapshot_download(NAME, cache_dir=cache, local_files_only=True)) == found.path


def test_what_is_there_is_not_downloaded_again(hub, cache):
    fetched(cache)
    hub.asked.clear()
    offer = offered(cache)
    assert offer.left == 0
    download(offer)
    assert hub.got("model.safetensors") == []


def test_an_interrupted_download_is_no_model_and_continues(hub, cache):
    data = weights_of(hub, 12_000_000)
    offer = offered(cache)
    stopped(offer, 6e6)
    assert cached_models(cache) == []
    with pytest.raises(HubError, match="has no model"):
        find_cached(read_name(NAME), cache)
    [part] = offer.entry.glob("blobs/*.incomplete")
    begun = part.stat().st_size
    assert 0 < begun < len(data)
    hub.asked.clear()
    found = fetched(cache)
    assert hub.got("model.safetensors") == [f"bytes={begun}-"]
    assert (found.path / "model.safetensors").read_bytes() == data
    assert not list(offer.entry.glob("blobs/*.incomplete"))


def test_a_connection_that_drops_is_taken_up_again(hub, cache):
    data = weights_of(hub, 12_000_000)
    hub.cut["model.safetensors"] = 11_000_000
    found = fetched(cache)
    first, second = hub.got("model.safetensors")
    assert first == ""
    assert second.startswith("bytes=")
    assert (found.path / "model.safetensors").read_bytes() == data


def test_a_server_that_begins_anew_is_followed(hub, cache):
    data = weights_of(hub, 12_000_000)
    offer = offered(cache)
    stopped(offer, 9e6)
    hub.ranges = False
    assert (fetched(cache).path / "model.safetensors").read_bytes() == data


def test_a_part_that_was_damaged_meanwhile_is_thrown_away(hub, cache):
    data = weights_of(hub, 12_000_000)
    offer = offered(cache)
    stopped(offer, 9e6)
    [part] = offer.entry.glob("blobs/*.incomplete")
    part.write_bytes(bytes(part.stat().st_size))
    with pytest.raises(HubError, match=r"model\.safetensors differs from the Hub’s listing"):
        fetched(cache)
    assert cached_models(cache) == []
    assert (fetched(cache).path / "model.safetensors").read_bytes() == data


def test_more_than_was_said_is_not_taken(hub, cache):
    hub.sizes["tokenizer.json"] = 100
    with pytest.raises(HubError, match=r"tokenizer\.json differs from the Hub’s listing"):
        fetched(cache)
    assert cached_models(cache) == []


def test_a_model_of_several_files_comes_with_their_index(hub, cache):
    data = hub.files.pop("model.safetensors")
    for number in (1, 2):
        hub.files[f"model-0000{number}-of-00002.safetensors"] = data
    hub.files["consolidated.safetensors"] = data
    hub.files["model.safetensors.index.json"] = b"{}"
    assert [file.name for file in offered(cache).files][-3:] == [
        "model.safetensors.index.json",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
    ]


@pytest.mark.parametrize(
    "names",
    [("source.spm", "target.spm", "vocab.json"), ("vocab.json", "merges.txt"), ("spiece.model",)],
)
def test_other_vocabularies_come_only_if_there_is_no_tokenizer_json(names, hub, cache):
    hub.files |= dict.fromkeys(names, b"{}")
    with_json = {file.name for file in offered(cache).files}
    assert with_json == {*WANTED, *(name for name in names if name.endswith(".json"))}
    hub.files.pop("tokenizer.json")
    without = {file.name for file in offered(cache).files}
    assert without == {*WANTED, *names} - {"tokenizer.json"}


def test_a_revision_is_downloaded_beside_the_branch(hub, cache):
    fetched(cache)
    hub.commit, hub.refs = "f" * 40, ("refs/pr/1",)
    found = fetched(cache, f"{NAME}@refs/pr/1")
    assert found.name == f"{NAME}@refs/pr/1"
    assert find_cached(read_name(NAME), cache).commit == COMMIT
    assert find_cached(read_name(f"{NAME}@refs/pr/1"), cache).commit == "f" * 40
    commit = fetched(cache, f"{NAME}@{'f' * 40}")
    assert not (commit.path.parent.parent / "refs" / ("f" * 40)).exists()


def configure(files: dict[str, bytes], data: bytes) -> None:
    files["config.json"] = data


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: files.pop("config.json"), "has no config.json"),
        (lambda files: files.pop("tokenizer.json"), "has no tokenizer: neither"),
        (lambda files: files.pop("model.safetensors"), "only in other formats, such as pytorch"),
        (lambda files: files.update({"adapter_config.json": b""}), "is an adapter"),
        (
            lambda files: files.update({"config.json": b'{"auto_map": {"A": "b"}}'}),
            "includes Python code",
        ),
        (
            lambda files: files.update({"config.json": b'{"quantization_config": {"a": 1}}'}),
            "quantised",
        ),
        (lambda files: files.update({"config.json": b"[1]"}), "config.json must be an object"),
    ],
)
def test_what_would_not_open_is_refused_before_it_is_downloaded(change, said, hub, cache):
    change(hub.files)
    with pytest.raises(HubError) as raised:
        offered(cache)
    assert said in str(raised.value)
    assert not cache.exists()


def test_sizes_are_bounded_as_they_are_when_a_folder_is_read(hub, cache, monkeypatch):
    assert offers.SMALL["config.json"] == folders.MOST_CONFIG
    assert offers.SMALL["tokenizer.json"] == folders.MOST_TOKENIZER
    hub.sizes["tokenizer.json"] = folders.MOST_TOKENIZER + 1
    with pytest.raises(HubError, match=r"tokenizer.json has 50 MB, more than Loupe accepts"):
        offered(cache)
    hub.sizes = {"model.safetensors": offers.MOST_WEIGHTS + 1}
    with pytest.raises(HubError, match=r"take 200\.0 GB; Loupe downloads at most 200\.0 GB"):
        offered(cache)
    hub.sizes.clear()
    offer = offered(cache)
    usage = type("Usage", (), {"free": offers.ROOM_LEFT})
    monkeypatch.setattr("model.foreign.hub.offer.shutil.disk_usage", lambda _: usage)
    with pytest.raises(HubError, match=r"needs 0\.1 MB, but only 100 MB are free"):
        download(offer)


def test_a_redirect_to_a_file_of_this_machine_is_not_followed(hub, cache, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(hub.files["tokenizer.json"])
    hub.redirect["tokenizer.json"] = secret.as_uri()
    with pytest.raises(HubError, match="did not answer as expected"):
        fetched(cache)
    assert cached_models(cache) == []


@pytest.mark.parametrize("name", ["../../escaped.json", "/etc/x.json", "a\\..\\x.safetensors"])
def test_names_that_lead_elsewhere_are_not_downloaded(name, hub, cache):
    hub.files[name] = b"{}"
    assert [file.name for file in offered(cache).files] == WANTED


def test_what_the_hub_lacks_is_said(hub, cache):
    with pytest.raises(HubError, match="has no model org/other that you may see"):
        offered(cache, "org/other")
    with pytest.raises(HubError, match="has no branch, tag or commit v9"):
        offered(cache, f"{NAME}@v9")
    hub.status = 418
    with pytest.raises(HubError, match=r"did not answer as expected .*418"):
        offered(cache)


@pytest.mark.usefixtures("hub")
def test_a_hub_that_cannot_be_reached_is_said(cache, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(HubError, match="did not answer as expected"):
        offered(cache)


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_whoever_is_offline_stays_offline(name, hub, cache, monkeypatch):
    offer = offered(cache)
    hub.asked.clear()
    monkeypatch.setenv(name, "1")
    for call in (lambda: offered(cache), lambda: download(offer)):
        with pytest.raises(HubError, match="Nothing is downloaded, since HF_HUB_OFFLINE"):
            call()
    assert hub.asked == []
    assert is_offline({name: "yes"})
    assert not is_offline({name: "0"})


def test_two_downloads_of_a_model_do_not_write_to_the_same_files(hub, cache):
    offer = offered(cache)
    seen = []

    def again(_name: str, _done: int) -> None:
        hub.during = lambda _name, _done: None
        with pytest.raises(HubError, match="Another download of org/tiny-gpt2 is running"):
            download(offer)
        seen.append(True)

    hub.during = again
    download(offer)
    assert seen


@pytest.mark.usefixtures("hub")
def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(HubError, match="cannot write to"):
        download(offered(tmp_path / "file" / "hub"))
