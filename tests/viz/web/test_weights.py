"""The models that the server gives: those that were offered, by the name of their contents."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

import pytest
import safetensors.torch
from starlette.applications import Starlette

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from tests.viz.web.asking import Answer, ask
from viz.models import browser_weights, weights
from viz.models.stamps import stamp
from viz.models.weights import offer_in_parts, offer_model
from viz.run.inputs import Stamp
from viz.web.routes import kept_routes

NAME = "everyday-paper"


def get(path: str) -> Answer:
    return ask(Starlette(routes=kept_routes()), path)


@pytest.mark.parametrize(
    ("ending", "kind"), [("", "application/octet-stream"), (".json", "application/json")]
)
def test_both_files_are_given_as_they_are_once_offered(own_checkpoints: Path, ending, kind):
    files = [(own_checkpoints / f"{NAME}.{name}").read_bytes() for name in ("safetensors", "json")]
    key = hashlib.sha256(b"".join(files)).hexdigest()
    offered = offer_model(stamp(NAME))
    assert offered == {"key": key, "address": f"/weights/{key}"}
    status, headers, body = get(f"/weights/{key}{ending}")
    assert (status, body) == (200, files[bool(ending)])
    assert headers["content-type"] == kind
    assert "sandbox" in headers["content-security-policy"]
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize("name", ["safetensors", "json"])
def test_files_that_were_written_anew_are_not_given_under_their_old_name(
    own_checkpoints: Path, name: str
):
    offered = offer_model(stamp(NAME))
    assert offered
    (own_checkpoints / f"{NAME}.{name}").write_bytes(b"other")
    for ending in ("", ".json"):
        assert get(offered["address"] + ending)[0] == 404
    (own_checkpoints / f"{NAME}.{name}").unlink()
    assert get(offered["address"])[0] == 404


@pytest.mark.parametrize(
    "name", ["everyday-paper", "0" * 64, "..%2f..%2fapp.py", "../app.py", "", ".json"]
)
def test_nothing_else_is_given(tiny_checkpoints: Path, name: str):
    assert tiny_checkpoints
    assert get(f"/weights/{name}")[0] == 404


def test_too_large_a_file_is_not_offered(tiny_checkpoints: Path, monkeypatch: pytest.MonkeyPatch):
    assert tiny_checkpoints
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 100)
    assert offer_model(stamp(NAME)) is None


@pytest.fixture
def few_written(monkeypatch: pytest.MonkeyPatch):
    """Forget what other tests wrote, and write small parts."""
    written = type(weights._written)()
    monkeypatch.setattr(weights, "_written", written)
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
        patched.setattr(weights, "write_parts", None)
        assert in_parts() == offered
    [written] = weights._written.values()
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
    first = next(iter(weights._written.values())).folder.name
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
