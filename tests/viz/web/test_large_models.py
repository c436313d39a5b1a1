"""The large models that the server gives: in parts, by the names of their contents."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

import pytest
import safetensors.torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from tests.viz.web.test_weights import get
from viz.models import browser_weights, large_models
from viz.models.large_models import offer_in_parts
from viz.run.inputs import Stamp


@pytest.fixture
def few_written(monkeypatch: pytest.MonkeyPatch):
    """Forget what other tests wrote, and write small parts."""
    written = type(large_models._written)()
    monkeypatch.setattr(large_models, "_written", written)
    monkeypatch.setattr(browser_weights, "PART_BYTES", 400_000)
    yield
    for made in written.values():
        made.folder.cleanup()


def in_parts(written: int = 1, **options: object):
    model = load_checkpoint(SHIPPED / "everyday-paper-0").model
    found = Stamp("some folder", written, foreign=True)
    return offer_in_parts(found, model, {"config": model.config.to_dict()}, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.usefixtures("few_written")
def test_a_model_in_parts_is_given_under_the_name_of_what_is_said_of_it():
    offered = in_parts()
    assert offered.get("in_parts")
    status, headers, body = get(f"{offered['address']}.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert hashlib.sha256(body).hexdigest() == offered["key"]
    about = json.loads(body)
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
    with monkeypatch.context() as patched:
        patched.setattr(large_models, "write_parts", None)
        assert in_parts() == offered
    [written] = large_models._written.values()
    path = written.offer.files[".1"].path
    whole, state = path.read_bytes(), path.stat()
    path.write_bytes(bytes(len(whole)))
    assert get(f"{offered['address']}.1")[0] == 404
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # as if nothing had been written
    assert get(f"{offered['address']}.1")[0] == 404
    path.write_bytes(whole)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert get(f"{offered['address']}.1")[0] == 200


@pytest.mark.usefixtures("few_written")
def test_the_oldest_of_three_goes_with_its_files():
    offers = [in_parts(i) for i in range(2)]
    assert offers[0]["key"] == offers[1]["key"]  # the same contents
    first = next(iter(large_models._written.values())).folder.name
    other = in_parts(1, bits=16)
    assert other["key"] != offers[0]["key"]
    assert not Path(first).exists()
    assert get(f"{other['address']}.0")[0] == 200
    assert get(f"{offers[1]['address']}.0")[0] == 200
    in_parts(2)
    in_parts(3)
    assert get(f"{other['address']}.0")[0] == 404


@pytest.mark.usefixtures("few_written")
def test_no_folder_is_left_of_a_model_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(browser_weights, "MOST_BYTES", 1000)
    with pytest.raises(browser_weights.BrowserModelError):
        in_parts()
    assert not list(tmp_path.iterdir())
