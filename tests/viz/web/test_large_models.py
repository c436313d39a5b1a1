"""Large models on the server: in parts, which are written only when a browser asks for them."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

import pytest
import safetensors.torch

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.errors import CheckpointError
from tests.checkpoints import SHIPPED
from tests.viz.web.test_weights import get
from viz.models import browser_weights, large_models
from viz.models.browser_weights import Bits, BrowserModelError
from viz.models.large_models import Opener, offer_in_parts
from viz.run.inputs import Stamp
from viz.run.wire import WireModel


@pytest.fixture
def few_written(monkeypatch: pytest.MonkeyPatch):
    """Forget the models of other tests, and write small parts."""
    written = type(large_models._written)()
    monkeypatch.setattr(large_models, "_written", written)
    monkeypatch.setattr(large_models, "_keys", type(large_models._keys)())
    monkeypatch.setattr(browser_weights, "PART_BYTES", 400_000)
    yield
    for made in written.values():
        made.folder.cleanup()


def open_it():
    model = load_checkpoint(SHIPPED / "everyday-paper-0").model
    return model, {"config": model.config.to_dict()}


def in_parts(written: int = 1, open_it: Opener = open_it, bits: Bits = 8):
    return offer_in_parts(Stamp("some folder", written, foreign=True), open_it, bits)


def fault_of(offered: WireModel) -> str:
    status, _, body = get(f"{offered['address']}.json")
    assert status == 200
    assert get(f"{offered['address']}.0")[0] == 404
    return json.loads(body)["fault"]


@pytest.mark.usefixtures("few_written")
def test_a_model_in_parts_is_written_once_somebody_asks_for_it():
    offered = in_parts()
    assert not large_models._written
    assert offered.get("in_parts")
    status, headers, body = get(f"{offered['address']}.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    about = json.loads(body)
    assert about["bits"] == 8
    assert about["config"]["tying"] == "all"
    files = [get(f"{offered['address']}.{i}") for i in range(len(about["parts"]))]
    assert len(files) == 3
    for part, (status, headers, contents) in zip(about["parts"], files, strict=True):
        assert (status, headers["content-type"]) == (200, "application/octet-stream")
        assert part == {
            "bytes": len(contents),
            "sha256": hashlib.sha256(contents).hexdigest(),
        }
    assert safetensors.torch.load(b"".join(contents for *_, contents in files))
    for other in ("", ".3", ".00", ".-1", ".json.0", ".0.json", "./0"):
        assert get(offered["address"] + other)[0] == 404


@pytest.mark.usefixtures("few_written")
def test_it_is_written_once_and_damaged_parts_are_not_given(monkeypatch: pytest.MonkeyPatch):
    offered = in_parts()
    assert get(f"{offered['address']}.1")[0] == 200
    with monkeypatch.context() as patched:
        patched.setattr(large_models, "write_parts", None)
        assert in_parts() == offered
        assert get(f"{offered['address']}.1")[0] == 200
    [written] = large_models._written.values()
    path = written.offer.files[".1"].path
    whole, state = path.read_bytes(), path.stat()
    path.write_bytes(bytes(len(whole)))
    assert get(f"{offered['address']}.1")[0] == 404
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # as if the file had not changed
    assert get(f"{offered['address']}.1")[0] == 404
    path.write_bytes(whole)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert get(f"{offered['address']}.1")[0] == 200


@pytest.mark.usefixtures("few_written")
def test_the_oldest_of_three_goes_with_its_files_and_is_written_again():
    offers = [in_parts(1), in_parts(2), in_parts(1, bits=16)]
    assert len({offered["key"] for offered in offers}) == 3
    bodies = [get(f"{offered['address']}.0")[2] for offered in offers[:2]]
    first = next(iter(large_models._written.values())).folder.name
    assert bodies[0] == bodies[1]
    assert get(f"{offers[2]['address']}.0")[2] != bodies[0]
    assert not Path(first).exists()
    assert len(large_models._written) == 2
    assert get(f"{offers[0]['address']}.0")[2] == bodies[0]
    assert len(large_models._written) == 2


@pytest.mark.usefixtures("few_written")
def test_a_model_that_is_too_large_says_so_and_leaves_no_part(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(browser_weights, "MOST_BYTES", 1000)
    assert fault_of(in_parts()) == "large"
    [written] = large_models._written.values()
    assert [path.name for path in Path(written.folder.name).iterdir()] == ["model.json"]


@pytest.mark.usefixtures("few_written")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BrowserModelError("it has rules of its own", "tokenizer"), "tokenizer"),
        (CheckpointError("its folder is gone"), "missing"),
    ],
)
def test_a_model_that_cannot_be_opened_says_why(error: Exception, reason: str):
    def fail():
        raise error

    assert fault_of(in_parts(open_it=fail)) == reason


@pytest.mark.usefixtures("few_written")
def test_no_folder_is_left_if_the_disk_is_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(large_models, "write_parts", fail)
        offered = in_parts()
        assert get(f"{offered['address']}.json")[0] == 404
        assert not list(tmp_path.iterdir())
    assert get(f"{offered['address']}.json")[0] == 200
