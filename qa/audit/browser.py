"""A server of the app or of plain files, and a browser that can reach nothing else."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
WITH_WINDOWS = ("chromium", "google-chrome", "chrome", "chromium-browser")
NAMES = ("chromium-headless-shell", *WITH_WINDOWS)
"""The first draws no windows around its pages, which saves a third of the time."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
STREAMLIT = (sys.executable, "-m", "streamlit", "run")
PATIENCE = 120.0
"""The number of seconds after which the audit gives up, not a measure of speed."""

PORTS = (10_000, 32_000)
"""The first port, and the one after the last, of a range that no system assigns by itself."""

SPY = (Path(__file__).parent / "spy.js").read_text("utf-8")
"""The script that records all text drawn on a canvas, before any script of the page runs."""


_POLL = 0.01
"""How often a server looks whether it should stop, in seconds; the default is half a second."""


class Served(str):
    """The address of a running server."""

    process: int


@contextmanager
def serve(
    logs: Path,
    command: Sequence[str] = (*STREAMLIT, "app.py"),
    *,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve the app, or the site of another command, on 127.0.0.1; end it with all its processes.

    The server's output goes into the folder of logs. Without a port, it gets a free one.
    """
    if port is None:
        with claimed_port() as free, serve(logs, command, port=free, environment=environment) as it:
            yield it
        return
    options = {"port": str(port), "address": "127.0.0.1", "headless": "true"}
    given = [part for name, value in options.items() for part in (f"--server.{name}", value)]
    address = Served(f"http://127.0.0.1:{port}")
    with (logs / f"server-{port}.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [*command, *given],
            cwd=ROOT,
            env=os.environ | dict(environment or {}),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            address.process = server.pid
            wait_for(server, f"{address}/_stcore/health")
            yield address
        finally:
            end(server)
            server.wait(timeout=60)


@contextmanager
def claimed_port() -> Iterator[int]:
    """Find a free port of 127.0.0.1, and keep other processes from using it.

    A server binds its port seconds after it gets the number. Two tests with the same number would
    both talk to the first server. So the owner of a port holds the UDP port of that number.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as claim:
        while True:
            port = random.randrange(*PORTS)
            with suppress(OSError), socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
                claim.bind(("127.0.0.1", port))
                break
        yield port


def end(leader: subprocess.Popen[bytes]) -> None:
    """End a process that leads a session, and all that it has started."""
    if sys.platform == "win32":  # Windows has no sessions but knows the children of a process
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(leader.pid)], check=False)
    else:
        os.killpg(leader.pid, signal.SIGTERM)


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serve_files(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of 127.0.0.1."""
    handler = partial(_Quiet, directory=folder)
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def answering(server: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    """Let a server answer in a thread until the block ends, and close it at once."""
    threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serve_site(folder: Path, models: Iterable[str]) -> Iterator[str]:
    """Write a site of plain files of some models into a folder, and serve it."""
    named = [part for name in models for part in ("--model", name)]
    command = [sys.executable, "-m", "viz.site", str(folder), *named]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with serve_files(folder) as address:
        yield address


@contextmanager
def launched() -> Iterator[Browser]:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    """Open an empty page with the spy in it."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1000}, reduced_motion="reduce", accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.add_init_script(SPY)
    yield page
    context.close()


def wait(page: Page, condition: str, argument: object = None) -> None:
    """Wait until JavaScript returns a true value; the app's policy forbids Playwright's own way."""
    ends = time.monotonic() + PATIENCE
    while not page.evaluate(condition, argument):
        if time.monotonic() > ends:
            raise TimeoutError(f"it never came to {condition}")
        page.wait_for_timeout(50)


def wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    ends = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < ends:
        with suppress(URLError, TimeoutError, ConnectionError), urlopen(url, timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("the app did not start: see its log")
