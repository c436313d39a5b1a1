"""What the server gives of the browser's modules: these by exact name, for good, nothing else."""

import asyncio
import gzip
import re
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.types import Message

from viz.pictures.component import picture
from viz.pictures.served import address, hash_of, read_modules, routes

VIZ = Path(__file__).parents[3] / "viz"
LIBRARY = "pictures/browser/explorer.js"


def get(path: str, accepts: str = "") -> tuple[int, dict[str, str], bytes]:
    """Ask the routes alone, with a path as it comes from the wire."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(b"accept-encoding", accepts.encode())],
    }
    asyncio.run(Starlette(routes=routes())(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(m.get("body", b"") for m in sent[1:])


def test_a_module_is_served_as_it_is_and_kept_for_good():
    status, headers, body = get(address(LIBRARY))
    assert (status, body) == (200, (VIZ / LIBRARY).read_bytes())
    assert headers["content-type"].startswith("text/javascript")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["x-content-type-options"] == "nosniff"


def test_a_browser_that_can_unpack_gets_it_packed():
    status, headers, body = get(address(LIBRARY), accepts="gzip, deflate, br")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(body) == (VIZ / LIBRARY).read_bytes()
    assert len(body) < (VIZ / LIBRARY).stat().st_size / 2


@pytest.mark.parametrize(
    "name",
    [
        "",
        "script.py",
        "pictures/served.py",
        "pictures/loupe.css",
        "pictures/browser/wire.d.ts",
        "pictures/browser/../served.py",
        "../app.py",
        "/etc/passwd",
        "pictures/browser",
        "subjects/attention/vendor/d3.min.js",
    ],
)
def test_nothing_else_is_served(name: str):
    assert get(address() + name)[0] == 404


def test_another_hash_is_not_served():
    assert get(re.sub("[0-9a-f]{16}", "0" * 16, address(LIBRARY)))[0] == 404


def test_every_import_leads_to_a_module_that_is_served():
    modules = read_modules(VIZ)
    assert len(modules) > 40
    for name, code in modules.items():
        for wanted in re.findall(r'from "(\.[^"]+)"', code.decode()):
            path = (VIZ / name).parent.joinpath(wanted).resolve().relative_to(VIZ).as_posix()
            assert path in modules, f"{name} imports {wanted}"


def test_another_content_or_name_has_another_hash():
    one = {"a.js": b"let a;", "b.js": b""}
    assert hash_of(one) == hash_of(dict(reversed(one.items())))
    assert len({hash_of(m) for m in (one, one | {"a.js": b"let b;"}, {"a.js": b"let a;"})}) == 3


def test_the_address_stands_below_the_base_path(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/some/place/"}.get)
    assert address(LIBRARY).startswith("/some/place/loupe/")
    assert get(address(LIBRARY))[0] == 200


def test_a_picture_of_a_module_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"must be one of those served, got 'no\.js'"):
        picture("nothing", "no.js")
