"""Files that the server offers: only these, by exact name, cached for good and from memory."""

import gzip
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.viz.web.asking import Answer, ask
from viz.pictures.served import address
from viz.subjects.lecture.shipped_decks import PICTURES, shipped_decks
from viz.web.files import Files

VIZ = Path(__file__).parents[3] / "viz"
LIBRARY = "pictures/browser/explorer.js"
STATIC = Path(st.__file__).parent / "static"


async def left(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("left to the app", 404)(scope, receive, send)


def get(path: str, accepts: str = "") -> Answer:
    return ask(Files(left), path, accepts)


def of_streamlit(suffix: str) -> tuple[str, bytes]:
    """Return the address and the contents of Streamlit's largest file of a kind."""
    file = max(STATIC.rglob(f"*{suffix}"), key=lambda path: path.stat().st_size)
    return f"/{file.relative_to(STATIC).as_posix()}", file.read_bytes()


def test_a_module_is_served_as_it_is_and_kept_for_good():
    status, headers, body = get(address(LIBRARY))
    assert (status, body) == (200, (VIZ / LIBRARY).read_bytes())
    assert headers["content-type"].startswith("text/javascript")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_browser_that_can_unpack_gets_it_packed():
    status, headers, body = get(address(LIBRARY), accepts="gzip, deflate, br")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(body) == (VIZ / LIBRARY).read_bytes()
    assert len(body) < (VIZ / LIBRARY).stat().st_size / 2


def test_a_picture_of_a_ready_slide_is_served_as_it_is_and_kept_for_good():
    [deck] = shipped_decks("fr")
    picture = next(iter(deck["pictures"].values()))["dark"]
    status, headers, body = get(f"/{picture}")
    assert (status, body) == (200, (PICTURES / "inside1.fr.dark.svg").read_bytes())
    assert headers["content-type"] == "image/svg+xml"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    for other in (picture.replace("inside1", "inside99"), picture.replace("/inside1", "x/inside1")):
        assert get(f"/{other}")[0] == 404


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [(".js", "text/javascript"), (".css", "text/css"), (".woff2", "font/woff2")],
)
def test_the_files_of_streamlit_are_what_is_on_the_disk(suffix: str, kind: str):
    path, code = of_streamlit(suffix)
    status, headers, body = get(path)
    assert (status, body) == (200, code)
    assert headers["content-type"].startswith(kind)
    status, headers, body = get(path, accepts="gzip")
    packed = headers.get("content-encoding") == "gzip"
    assert packed == (suffix != ".woff2")
    assert (gzip.decompress(body) if packed else body) == code


def test_a_file_is_read_once(monkeypatch: pytest.MonkeyPatch):
    files, (path, code) = Files(left), of_streamlit(".css")
    assert ask(files, path)[2] == code

    def gone(_: Path) -> bytes:
        raise AssertionError("it was read again")

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert ask(files, path)[2] == code


NOT_FILES: Sequence[str] = (
    "",
    "script.py",
    "pictures/browser_modules.py",
    "pictures/loupe.css",
    "pictures/browser/types.d.ts",
    "pictures/browser/../browser_modules.py",
    "../app.py",
    "/etc/passwd",
    "pictures/browser",
    "subjects/attention/vendor/d3.min.js",
)


@pytest.mark.parametrize("name", NOT_FILES)
def test_nothing_else_is_served(name: str):
    assert get(address() + name)[0] == 404
    assert get(f"/static/{name}")[0] == 404


def test_what_may_change_is_left_to_the_app():
    for path in ("/", "/index.html", "/manifest.json", "/favicon.png", "/_stcore/health"):
        assert get(path)[2] == b"left to the app"


def test_another_hash_is_not_served():
    assert get(re.sub("[0-9a-f]{16}", "0" * 16, address(LIBRARY)))[0] == 404


def test_files_stand_below_the_base_path(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/some/place/"}.get)
    path, code = of_streamlit(".css")
    assert get(f"/some/place{path}")[2] == code
    assert get(path)[0] == 404
