"""What the ordinary command's server answers, and to whom."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from websockets.exceptions import ConnectionClosed

from tests.browsing import open_page
from tests.viz.web.served import Server, drain, run_script
from viz.pages import PAGES

HEADERS = {
    "content-security-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "referrer-policy",
    "x-content-type-options",
    "x-frame-options",
}


@pytest.mark.slow
def test_every_answer_carries_the_headers(server: Server):
    answers = {
        "/": 200,
        "/masks": 200,
        "/masks/": 301,
        "/attention": 200,
        "/start": 307,
        "/?layer=1": 307,
        "/favicon.png": 200,
        "/_stcore/health": 200,
        "/_stcore/host-config": 200,
        "/media/nothing.csv": 404,
        "/frame/nothing": 404,
        "/nowhere": 404,
    }
    for path, status in answers.items():
        found, headers, _ = server.ask(path)
        assert (path, found) == (path, status)
        assert headers.keys() >= HEADERS
        assert headers["x-content-type-options"] == "nosniff"
    for method, more in (("POST", {}), ("GET", {"Host": "evil.example"})):
        assert server.ask(method=method, **more)[1].keys() >= HEADERS


def test_the_pages_may_run_nothing_but_the_apps_own_code(server: Server):
    policies = [server.ask(path)[1]["content-security-policy"] for path in ("/", "/masks")]
    for policy in policies:
        rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
        scripts = rules["script-src"].split()
        assert [s for s in scripts if not s.startswith("'sha256-")] == [
            "'self'",
            "blob:",
            "'wasm-unsafe-eval'",
        ]
        assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
        assert rules["connect-src"] == rules["frame-src"] == "'self'"
        assert "http" not in policy
        assert "*" not in policy


def test_there_is_no_page_at_an_address_without_one(server: Server):
    for path in (
        "/docs",
        "/nowhere",
        "/masks/deeper",
        "/index.html",
        "/.git/config",
        "//a.example/",
    ):
        status, _, text = server.ask(path)
        assert (path, status) == (path, 404)
        assert '<a href="/">' in text
    for page in PAGES[1:]:
        assert server.ask(f"/{page.URL}")[0] == 200


@pytest.mark.parametrize(
    ("asked", "leads"),
    [
        ("/start", "/"),
        ("/start?scene=mix&guess=1", "/?scene=mix&guess=1"),
        ("/start?source=a%20b", "/?source=a%20b&scene="),
        ("/?head=1&source=a%20b", "/attention?head=1&source=a%20b"),
        ("/?kind=encoder+self-attention&layer=1", "/attention?kind=encoder+self-attention&layer=1"),
        ("/?source=%C3%A9%0d%0aX:%201&scenes=1", "/attention?source=%C3%A9%0d%0aX:%201&scenes=1"),
        ("/?source=//evil.example", "/attention?source=//evil.example"),
        ("/?presenter=true", "/attention?presenter=true"),
        ("/?utm_source=a&below=BertViz", "/attention?utm_source=a&below=BertViz"),
    ],
)
def test_old_links_to_the_root_lead_to_the_page_that_was_there(server: Server, asked, leads):
    status, headers, _ = server.ask(asked)
    assert (status, headers["location"]) == (307, leads)


@pytest.mark.parametrize(
    "path", ["/", "/?", "/?scene=mix", "/?source=a&scene=", "/?tour=3", "/?utm_source=a"]
)
def test_the_root_is_the_start(server: Server, path):
    status, headers, text = server.ask(path)
    assert status == 200
    assert "location" not in headers
    assert "Loading a small transformer" in text


def test_the_root_answers_no_other_host_and_no_other_page(server: Server):
    assert server.ask("/?layer=1", Host="evil.example")[0] == 421
    assert server.ask("/?layer=1", Origin="http://evil.example")[0] == 403
    assert server.ask("/?layer=1", "POST")[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/script-health-check",
        "/_stcore/agent/openapi.json",
        "/_stcore/upload_file/session/file",
        "/auth/login",
    ],
)
def test_what_the_app_does_not_need_is_closed(server: Server, path):
    for method in ("GET", "PUT", "POST"):
        assert server.ask(path, method, b"x" * 1000 if method != "GET" else None)[0] == 404


def test_answers_to_its_own_names_only(server: Server):
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert server.ask(Host=f"{name}:{server.port}")[0] == 200
        own = f"{name}:{server.port}"
        assert server.handshake(host=own, origin=f"http://{own}") == 101
    for name in ("evil.example", "localhost.evil.example", "192.168.1.1"):
        status, _, text = server.ask("/masks", Host=name)
        assert status == 421
        assert "--server.allowedHosts" in text
        assert server.handshake(host=name, origin=f"http://{name}") == 421


def test_a_foreign_page_is_refused_and_nothing_is_looked_up_for_it(server: Server):
    foreign = ["http://evil.example", f"http://127.0.0.1:{server.port + 1}", "http://127.0.0.1"]
    for origin in (*foreign, "null", f"http://localhost:{server.port}"):
        assert server.handshake(origin=origin) == 403
        assert server.ask("/_stcore/health", Origin=origin)[0] == 403
        assert server.ask("/", "POST", b"x", Origin=origin)[0] == 403
    with server.stream(origin=server.address) as stream:
        run_script(stream)
    noted = server.log.read_text().splitlines()
    assert any(line.endswith("bound") for line in noted), "nothing was watched"
    outward = [line for line in noted if not line.endswith("bound") and "127.0.0.1" not in line]
    assert outward == []


def test_a_message_larger_than_any_of_the_browser_ends_its_connection_alone(server: Server):
    with (
        server.stream(origin=server.address) as other,
        server.stream(origin=server.address) as stream,
    ):
        stream.send(b"\x00" * 8_000_000)
        with pytest.raises(ConnectionClosed) as closed:
            drain(stream)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        assert run_script(other)


def test_nobody_waits_for_a_search_for_garbage_but_the_first(server: Server):
    with server.stream(origin=server.address) as stream:
        run_script(stream)
        before = server.collections
        for _ in range(3):
            run_script(stream)
        run_script(stream, "attention")
        assert server.collections == before > 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads what inotify watches from /proc")
def test_watches_no_folder(server: Server):
    with server.stream(origin=server.address) as stream:
        run_script(stream)
        pids = {line.split()[0] for line in server.log.read_text().splitlines() if "bound" in line}
        assert pids
        assert [pid for pid in pids if is_watching(pid)] == []


def is_watching(pid: str) -> bool:
    descriptors = Path(f"/proc/{pid}/fdinfo").iterdir()
    return any("inotify wd" in descriptor.read_text() for descriptor in descriptors)


@pytest.mark.slow
def test_bertviz_draws_and_is_cut_off_from_the_app(browser: Browser, server: Server):
    link = f"{server.address}/?below=BertViz&kind=encoder+self-attention"
    with open_page(browser, link) as page:
        frame = page.frame_locator("iframe").frame_locator("iframe[title*='BertViz']")
        frame.locator("svg").first.wait_for()
        inner = [frame for frame in page.frames if frame.parent_frame and not frame.child_frames]
        assert [frame.evaluate("origin") for frame in inner] == ["null"]


@pytest.mark.slow
def test_no_script_that_is_put_into_a_page_runs(browser: Browser, server: Server):
    page = browser.new_page()
    page.goto(f"{server.address}/masks")
    page.wait_for_selector("[data-testid=stApp]")
    ran = page.evaluate(
        """async () => {
          const script = document.createElement("script");
          script.textContent = "window.ran = 'inline'";
          document.body.append(script);
          const image = document.createElement("img");
          image.setAttribute("onerror", "window.ran = 'handler'");
          image.src = "data:,";
          document.body.append(image);
          // from a timer: a driver's own code may make code of text
          setTimeout(() => (window.ran = new Function("return 'made of text'")()));
          await new Promise((done) => setTimeout(done, 300));
          return window.ran ?? null;
        }"""
    )
    assert ran is None
    page.close()
