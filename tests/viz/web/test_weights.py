"""Models on the server: only those that were offered, addressed by the hash of their contents."""

import hashlib
from pathlib import Path

import pytest
from starlette.applications import Starlette

from tests.viz.web.asking import Answer, ask
from viz.models.stamps import stamp
from viz.models.weights import offer_model
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
