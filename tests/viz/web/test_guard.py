"""The guard alone, before an app that accepts everything."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from streamlit import config

from tests.loops import finish
from viz.web.guard import Guard
from viz.web.shell import page_routes


async def yes(scope, receive, send):
    await PlainTextResponse("yes")(scope, receive, send)


async def broken(*_):
    raise RuntimeError("it broke")


def ask(guard, path="/", method="GET", **headers) -> tuple[int, dict[str, str], str]:
    given = {"host": "localhost:8501"} | {n.replace("_", "-"): v for n, v in headers.items()}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    try:
        finish(guard(scope, receive, send))
    except RuntimeError:
        assert sent, "nothing was answered"
    start, *rest = sent
    names = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], names, b"".join(part.get("body", b"") for part in rest).decode()


def test_no_way_in_for_a_file_while_no_page_takes_one():
    guard = Guard(yes)
    for method in ("PUT", "POST", "OPTIONS", "DELETE", "GET"):
        assert ask(guard, "/_stcore/upload_file/session/file", method)[0] == 404


def test_a_file_of_at_most_its_size_comes_in_where_a_page_takes_one():
    guard = Guard(yes, uploads=2)
    path = "/_stcore/upload_file/session/file"
    assert ask(guard, path, "PUT", content_length="2000000")[0] == 200
    assert ask(guard, path, "DELETE")[0] == 200
    assert ask(guard, path, "PUT", content_length="2000001")[0] == 413
    assert ask(guard, path, "PUT", content_length="9" * 5000)[0] == 413
    assert ask(guard, path, "PUT", content_length="-1")[0] == 413
    assert ask(guard, path, "PUT", transfer_encoding="chunked")[0] == 413
    assert ask(guard, path, "PUT", content_length="1", origin="http://evil.example")[0] == 403


def test_nothing_else_has_a_body():
    assert ask(Guard(yes), "/", content_length="0")[0] == 200
    assert ask(Guard(yes), "/", content_length="1")[0] == 413
    assert ask(Guard(yes), "/", transfer_encoding="chunked")[0] == 413
    assert ask(Guard(yes), "/", "POST")[0] == 405


def test_an_own_route_is_a_path_that_there_is():
    own = [Route("/own/{name}", yes)]
    assert ask(Guard(yes, own=own), "/own/a.js")[0] == 200
    assert ask(Guard(yes, own=own), "/own/a/b.js")[0] == 404
    assert ask(Guard(yes), "/own/a.js")[0] == 404


def test_what_breaks_behind_it_is_answered_with_the_headers_and_without_a_traceback():
    status, headers, text = ask(Guard(broken))
    assert status == 500
    assert "broke" not in text
    assert headers["x-content-type-options"] == "nosniff"


@pytest.fixture
def _below_loupe():
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", "loupe")
    yield
    config.set_option("server.baseUrlPath", before)


@pytest.mark.usefixtures("_below_loupe")
def test_a_server_below_a_path_of_a_name_answers_below_it_only():
    routes = page_routes()
    assert {route.path for route in routes} >= {"/loupe/masks", "/loupe/attention"}
    guard = Guard(yes, own=routes)
    for path in ("/loupe", "/loupe/", "/loupe/masks", "/loupe/masks/", "/loupe/_stcore/health"):
        assert ask(guard, path)[0] == 200
    for path in ("/", "/masks", "/_stcore/health", "/loupemasks", "/loupe/loupe/masks", ""):
        status, _, text = ask(guard, path)
        assert status == 404
        assert '<a href="/loupe/">' in text
