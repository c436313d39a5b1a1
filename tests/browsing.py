"""Start the app for the tests and drive its pages in a real browser."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocket, expect
from playwright.sync_api import Error as PlaywrightError

from model.checkpoints.checkpoint import load_checkpoint
from qa.audit import browser as serving
from qa.audit.browser import ROOT
from tests.checkpoints import DEFAULT
from texts import say_of
from texts.saying import all_texts
from viz.pages import PLACES
from viz.pages import title as title_of
from viz.pictures.browser_modules import read_modules
from viz.run.making import make_run
from viz.run.record import Run

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


def wait_until(page: Page, expression: str, *, arg: object = None) -> None:
    """Wait until a JavaScript expression is true in the page.

    Playwright's own `wait_for_function` compiles a string in the page, which the app's policy
    forbids.
    """
    ends = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            if page.evaluate(expression, arg):
                return
        except PlaywrightError as error:  # the page is navigating
            if "context was destroyed" not in str(error):
                raise
        assert time.monotonic() < ends, f"it never came to {expression}"
        page.wait_for_timeout(20)


Page.wait_for_function = wait_until


def without_browser(message: str) -> NoReturn:
    """Skip a test whose browser is missing, or fail it in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start a browser. If none is installed, skip the test, or fail it in CI."""
    if not any(map(shutil.which, serving.NAMES)):
        without_browser(f"no browser on the PATH: none of {', '.join(serving.NAMES)}")
    with serving.launched() as started:
        yield started


@contextmanager
def serve(
    folder: Path, environment: dict[str, str], watched_by: Sequence[str] = ()
) -> Iterator[str]:
    """Start the app, with the README's command if the tests run in the project's own `.venv`.

    `watched_by` is a command that starts the app as its child and observes it.
    """
    is_own = Path(sys.prefix) == ROOT / ".venv"
    command = (sys.executable, "start.py") if is_own else (*serving.STREAMLIT, "app.py")
    with serving.serve(folder, (*watched_by, *command), environment=environment) as address:
        yield address


SIZE = {"width": 1280, "height": 900}
_spare: dict[Browser, Page] = {}
"""The last unused page of each browser. Loading the app into a used page takes half the time."""
LEAVE = """() => {
  localStorage.clear();
  sessionStorage.clear();
  History.prototype.pushState.call(history, null, "", "?left");
}"""
"""Clear the page's storage, and the history entries that lie ahead after going back."""
SILENCE = "() => { window.said = WebSocket.prototype.send; WebSocket.prototype.send = () => {} }"
COMPILES = """() => {
  try {
    return !!new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return false;
  }
}"""
"""Whether a page's policy lets it compile the smallest WebAssembly program."""
SPEAK = "() => { WebSocket.prototype.send = window.said }"
"""Undo SILENCE. Between the two, no message of the page reaches Python."""
MOST_ENTRIES = 30
"""The most history entries of a page that is reused; browsers stop counting at fifty."""


@contextmanager
def open_page(browser: Browser, address: str) -> Iterator[Page]:
    """Open a page; fail if it calls another host or reports an error. Its data is cleared."""
    with lent_page(browser) as page:
        page.goto(address)
        settle(page)
        yield page


@contextmanager
def lent_page(browser: Browser) -> Iterator[Page]:
    """Lend a page, watched as in `open_page`, before it loads an address; then close other tabs."""
    page = _spare.pop(browser, None)
    context = page.context if page else browser.new_context(viewport=SIZE, reduced_motion="reduce")
    page = page or context.new_page()
    context.set_default_timeout(PATIENCE_MS)
    with untroubled(context):
        yield page
        for tab in reversed(context.pages):
            tab.evaluate(LEAVE)
            if tab != page:
                tab.close()
        page.mouse.move(0, 0)
        page.unroute_all()
    if browser in _spare or page.evaluate("history.length") > MOST_ENTRIES:
        context.close()
        return
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    _spare[browser] = page


@contextmanager
def open_context(browser: Browser, **options: object) -> Iterator[BrowserContext]:
    """Open a separate browser profile; fail if its pages call another host or report an error."""
    context = browser.new_context(**({"viewport": SIZE, "reduced_motion": "reduce"} | options))
    context.set_default_timeout(PATIENCE_MS)
    with untroubled(context):
        yield context
    context.close()


@contextmanager
def untroubled(context: BrowserContext) -> Iterator[None]:
    """Fail if a page calls another host, reports an error or opens a dialog."""
    trouble: list[str] = []

    def hear(websocket: WebSocket) -> None:
        trouble.extend(outside(websocket.url))

    watching = {
        "console": lambda m: trouble.append(m.text) if m.type == "error" else None,
        "request": lambda request: trouble.extend(outside(request.url)),
        "dialog": lambda dialog: (trouble.append(f"it ran: {dialog.message}"), dialog.dismiss()),
        "weberror": lambda error: trouble.append(str(error.error)),
        "page": lambda tab: tab.on("websocket", hear),
    }
    for tab in context.pages:
        tab.on("websocket", hear)
    for event, watch in watching.items():
        context.on(event, watch)
    yield
    for event, watch in watching.items():
        context.remove_listener(event, watch)
    for tab in context.pages:
        tab.remove_listener("websocket", hear)
    assert trouble == [], trouble


@contextmanager
def open_file(
    browser: Browser, file: Path, place: str = "", scheme: str = "light"
) -> Iterator[Page]:
    """Open a file from disk in a browser that is offline; fail if the page requests anything."""
    with open_context(browser, offline=True, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(file.as_uri() + place)
        page.locator("#cell_words .cell-line").first.wait_for()
        yield page


LIBRARY = "http://library.invalid"
"""The host of the modules for a page without the app. Requests to it are answered by the test."""


@contextmanager
def library(
    browser: Browser, body: str, script: str, *, until: str, **context: object
) -> Iterator[Page]:
    """Open a page without the app, as `open_library` does, and wait until an expression is true."""
    with open_context(browser, **context) as opened:
        page = opened.new_page()
        open_library(page, body, script)
        page.wait_for_function(f"() => Boolean({until})")
        yield page


def open_library(page: Page, body: str, script: str) -> None:
    """Fill a page with HTML and a script that may import viz's modules by their paths."""
    modules = read_modules(ROOT / "viz")
    english = json.dumps({"en": dict(all_texts("en"))}).replace("<", "\\u003c")
    teach = f'import {{ learn }} from "/pictures/browser/say.js"; learn({english});'
    scripts = "".join(f'<script type="module">{code}</script>' for code in (teach, script))
    shell = f"<!doctype html>{body}{scripts}"

    def answer(route: Route) -> None:
        name = urlparse(route.request.url).path.removeprefix("/")
        if not name:
            route.fulfill(body=shell, content_type="text/html; charset=utf-8")
        elif name in modules:
            route.fulfill(body=modules[name], content_type="text/javascript; charset=utf-8")
        else:
            route.fulfill(status=404 if name != "favicon.ico" else 204)

    page.route(f"{LIBRARY}/**", answer)
    page.goto(f"{LIBRARY}/")


def outside(url: str) -> list[str]:
    parts = urlparse(url)
    local = parts.scheme in ("data", "blob", "file") or url.startswith(LIBRARY)
    local |= parts.hostname == "127.0.0.1"
    return [] if local else [f"request to another host: {url}"]


AT_REST = """([quiet, most]) => new Promise((say) => {
  const begun = performance.now();
  let latest = begun;
  const seen = new MutationObserver(() => { latest = performance.now(); });
  seen.observe(document, { attributes: true, childList: true, subtree: true });
  const look = () => {
    const now = performance.now();
    const app = document.querySelector("[data-testid=stApp]");
    const isIdle = app?.dataset.testScriptState === "notRunning";
    if (!isIdle) latest = now;
    if (now - latest < quiet && now - begun < most) return setTimeout(look, 20);
    seen.disconnect();
    say(isIdle);
  };
  look();
})"""
QUIET_MS, MOST_MS = 200, 2000
NO_PAUSE = """() => {
  const later = setTimeout;
  window.setTimeout = (act, wait, ...more) => (wait === 1500 ? 0 : later(act, wait, ...more));
}"""
"""Keep a pause in typing from running the sentence, so that only Enter does."""


def settle(page: Page) -> None:
    """Wait until no script runs and the page is still, or for at most MOST_MS milliseconds."""
    wait_until(page, AT_REST, arg=[QUIET_MS, MOST_MS])


def seen_run(folder: Path, name: str = "everyday-paper", source: str = DEFAULT) -> Run:
    """Compute in this process the run that the page shows."""
    return make_run(load_checkpoint(folder / name), source)


def chosen(page: Page) -> dict:
    """Return what is selected in the page."""
    names = ("kind", "layer", "head", "query", "key", "step")
    selection = page.evaluate("loupe.selection")
    return {name: selection[name] for name in names}


def expect_chosen(page: Page, **values: object) -> None:
    page.wait_for_function(
        "wanted => Object.entries(wanted).every(([n, v]) => window.loupe?.selection?.[n] === v)",
        arg=values,
    )


def expect_in_link(page: Page, **values: object) -> None:
    page.wait_for_function(
        """wanted => Object.entries(wanted).every(
             ([n, v]) => new URLSearchParams(location.search).get(n) === String(v))""",
        arg=values,
    )


def open_menu(page: Page) -> None:
    """Open the menu in the sidebar."""
    menu = page.locator(".st-key-side_menu details")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    settle(page)


def turn_to(page: Page, url: str) -> None:
    """Go to a view as a user does: to its section, then to its tab."""
    place, views = next(each for each in PLACES.items() if url in [view.URL for view in each[1]])
    view = next(view for view in views if url == view.URL)
    tab = page.locator(".st-key-views").get_by_role("link", name=title_of(view), exact=True)
    if not tab.count():
        page.locator(".st-key-places").get_by_role("link", name=say_of("place", place)).click()
    if len(views) > 1:
        tab.click()
    page.wait_for_function("title => document.title.startsWith(title)", arg=title_of(view))
    settle(page)


def ready(page: Page) -> None:
    page.wait_for_function("() => Boolean(window.loupe?.run?.())")
    settle(page)


def type_source(page: Page, text: str) -> None:
    field = page.get_by_label("English source", exact=True)
    field.fill(text)
    field.press("Enter")


def centre(page: Page, row: int, column: int) -> tuple[float, float]:
    """Return where the centre of a cell of the large map is on the screen, in pixels."""
    over = page.locator(".loupe-head .loupe-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    shape = over.evaluate("node => node.parentElement.shape")
    assert box
    return (
        box["x"] + shape["x"] + (column + 0.5) * shape["cell"],
        box["y"] + shape["y"] + (row + 0.5) * shape["high"],
    )


def saved(page: Page, what: str, kind: str) -> bytes:
    """Save a picture from the menu at its corner, or the whole view if `what` is empty."""
    page.get_by_role("button", name=f"Save {what}".strip(), exact=True).focus()
    page.keyboard.press("Enter")
    item = page.locator(".loupe-save-menu:popover-open").get_by_role("menuitem")
    with page.expect_download() as download:
        item.filter(has_text=kind).click()
    settle(page)
    name = download.value.suggested_filename
    assert not set(name) & set('<>:"|?*/\\'), name
    return Path(download.value.path()).read_bytes()
