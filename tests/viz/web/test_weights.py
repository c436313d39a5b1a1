"""The weights that the server gives: those that were offered, by the name of their contents."""

import hashlib
from pathlib import Path

import pytest
from starlette.applications import Starlette

from tests.viz.web.asking import Answer, ask
from viz.run.weights import offer_weights
from viz.web.kept_files import kept_routes

NAME = "everyday-paper"


def get(path: str) -> Answer:
    return ask(Starlette(routes=kept_routes()), path)


def test_a_file_is_given_as_it_is_once_it_was_offered(own_checkpoints: Path):
    contents = (own_checkpoints / f"{NAME}.safetensors").read_bytes()
    key = hashlib.sha256(contents).hexdigest()
    offered = offer_weights(NAME)
    assert offered == (key, f"/weights/{key}")
    status, headers, body = get(f"/weights/{key}")
    assert (status, body) == (200, contents)
    assert headers["content-type"] == "application/octet-stream"
    assert "sandbox" in headers["content-security-policy"]
    assert "immutable" in headers["cache-control"]


def test_a_file_that_was_written_anew_is_not_given_under_its_old_name(own_checkpoints: Path):
    offered = offer_weights(NAME)
    assert offered
    (own_checkpoints / f"{NAME}.safetensors").write_bytes(b"other")
    assert get(offered[1])[0] == 404
    (own_checkpoints / f"{NAME}.safetensors").unlink()
    assert get(offered[1])[0] == 404


@pytest.mark.parametrize("name", ["everyday-paper", "0" * 64, "..%2f..%2fapp.py", "../app.py", ""])
def test_nothing_else_is_given(tiny_checkpoints: Path, name: str):
    assert tiny_checkpoints
    assert get(f"/weights/{name}")[0] == 404


def test_too_large_a_file_is_not_offered(tiny_checkpoints: Path, monkeypatch: pytest.MonkeyPatch):
    assert tiny_checkpoints
    monkeypatch.setattr("viz.run.weights.MOST_BYTES", 100)
    assert offer_weights(NAME) is None
