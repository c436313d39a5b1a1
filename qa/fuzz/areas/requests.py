"""Requests: any path, query, host and origin, before the guard and the app's own routes."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.types import Message

from qa.fuzz.area import Area, Verdict, hold
from qa.fuzz.hostile import MARKUP, short_texts, texts
from qa.fuzz.outgoing import check_html
from viz.pages import PAGES
from viz.web import prefetch
from viz.web.guard import Guard
from viz.web.routes import own_routes
from viz.web.shell import SHELL

_HOST = "127.0.0.1:8501"
_HEADERS = {
    "content-security-policy", "cross-origin-resource-policy", "referrer-policy",
    "x-content-type-options", "x-frame-options",
}  # fmt: skip
_KNOWN = {200, 206, 301, 307, 403, 404, 405, 413, 416, 421}
_PATHS = (
    "/", *(f"/{page.URL}" for page in PAGES), "/frame/x", "/media/x", "/index.html",
    "/_stcore/health", "/_stcore/upload_file/x/y",
)  # fmt: skip
_NAMES = ("source", "layer", "head", "kind", "scene", "lang", "checkpoint", "edits", "lines")


def open_area(place: Path) -> Area:
    """Draw a method, a path, a query and headers, as the bytes that arrive at a socket."""
    del place
    routes = own_routes()
    guard = Guard(Starlette(routes=routes), own=routes)
    step = st.one_of(short_texts(), st.sampled_from(("..", "%2e%2e", "", ".", "\\", "etc/passwd")))
    path = st.one_of(
        st.sampled_from(_PATHS),
        st.builds(lambda path, more: f"{path}/{more}", st.sampled_from(_PATHS), step),
        st.lists(step, max_size=5).map(lambda steps: "/" + "/".join(steps)),
        st.lists(step, max_size=3).map(lambda steps: "//" + "/".join(steps)),
    )
    pair = st.builds(
        lambda name, text: f"{name}={quote(text, errors='replace')}",
        st.one_of(st.sampled_from(_NAMES), st.sampled_from(MARKUP).map(quote)),
        texts(),
    )
    query = st.one_of(
        st.lists(pair, max_size=4).map("&".join),
        st.binary(max_size=30).map(lambda data: data.decode("latin-1")),
    )
    named = st.one_of(st.just(_HOST), st.just(_HOST), _hosts())
    origins = st.one_of(st.none(), st.none(), st.just(f"http://{_HOST}"), _origins())
    methods = st.sampled_from(("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "FUZZ"))
    more = st.dictionaries(
        st.sampled_from(("accept-language", "content-length", "transfer-encoding", "range")),
        st.one_of(st.sampled_from(("0", "-1", "1e9", "chunked", "bytes=0-", "fr")), short_texts()),
        max_size=2,
    )
    drawn = st.tuples(methods, path, query, named, origins, more)
    return Area("requests", drawn, lambda given: check(guard, given), share=1_200)


def _hosts() -> st.SearchStrategy[str]:
    foreign = ("fuzz.invalid", "127.0.0.1.fuzz.invalid")
    known = ("localhost", "[::1]:1", *foreign, "", "[", "0", "a" * 300)
    return st.one_of(st.sampled_from(known), short_texts())


def _origins() -> st.SearchStrategy[str]:
    known = ("null", "http://fuzz.invalid", f"https://{_HOST}", "http://127.0.0.1:8502", "file://")
    return st.one_of(st.sampled_from(known), short_texts())


def check(guard: Guard, given: tuple[Any, ...]) -> Verdict:
    """Send it, and check that the answer is one of ours, has its headers and stays on this host."""
    method, path, query, host, origin, more = given
    headers = {"host": host, **more} | ({} if origin is None else {"origin": origin})
    scope = {
        "type": "http",
        "method": method,
        "path": path.encode(errors="replace").decode(errors="replace"),
        "raw_path": quote(path, errors="replace").encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": query.encode(errors="replace"),
        "headers": [(n.encode(), v.encode("latin-1", "replace")) for n, v in headers.items()],
        "server": ("127.0.0.1", 8501),
    }
    start, *rest = _finished(_answer(guard, scope))
    status = start["status"]
    sent = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    hold(status in _KNOWN, f"the answer is {status}")
    hold(sent.keys() >= _HEADERS, f"an answer without {_HEADERS - sent.keys()}")
    for name, value in sent.items():
        hold(not set(value) & set("\r\n\0"), f"the header {name} has a line end")
    where = sent.get("location", "/")
    below = where.removeprefix(f"http://{host}")  # the guard drops a last slash
    hold(below.startswith("/") and not below.startswith(("//", "/\\")), f"it leads to {where[:60]}")
    hold(status == 421 or _is_ours(host), "a foreign host is answered")
    own = (None, f"http://{host}", f"https://{host}")  # behind a proxy with TLS
    hold(status in (421, 403) or origin in own, "a foreign page is answered")
    body = b"".join(part.get("body", b"") for part in rest).decode(errors="replace")
    if "html" in sent.get("content-type", "") and SHELL[:200] not in body:
        check_html(body, "an answer", scripts=True)
    return "accepted" if status < 400 else "refused"


def _is_ours(host: str) -> bool:
    ours, name = {"127.0.0.1", "localhost", "[::1]"}, host.lower()
    return not ours.isdisjoint((name, name.rpartition(":")[0]))


def _finished(answer: Coroutine[Any, Any, list[Message]]) -> list[Message]:
    """Run it to its end in a thread, because the caller may be in a running event loop.

    The run that a page's address starts belongs to it. The page reports errors with a message. This
    thread wakes up regularly, so that the time limit of an input can end the wait.
    """

    def run() -> list[Message]:
        messages = asyncio.run(answer)
        with suppress(ValueError):
            prefetch.finish()
        return messages

    pool = ThreadPoolExecutor(1)
    found = pool.submit(run)
    pool.shutdown(wait=False)
    while not found.done():
        wait((found,), timeout=0.05)
    return found.result()


async def _answer(guard: Guard, scope: dict[str, Any]) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await guard(scope, receive, send)
    return sent
