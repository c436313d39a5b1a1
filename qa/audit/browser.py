"""A server of the app, and a browser that may reach nothing else."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
_NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "chrome", "chromium-browser")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PATIENCE = 120.0
"""Seconds that anything may take before the audit gives up: it is no measure of speed."""

SPY = (Path(__file__).parent / "spy.js").read_text("utf-8")
"""Writes down what is drawn as words on each canvas, before any script of the page runs."""


class NoBrowserError(RuntimeError):
    """There is no browser on the path."""


class Served(str):
    """The address of a server that was started."""

    process: int


@contextmanager
def serve(
    logs: Path,
    script: Path = ROOT / "app.py",
    *,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve the app, or another script, on 127.0.0.1; end it and what it has started.

    Args:
        logs: Folder for what the server says.
        script: What Streamlit runs.
        port: Where to listen; without one, where nobody does.
        environment: Variables that are added.
    """
    port = port or _free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    with (logs / f"server-{port}.log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--server.address", "127.0.0.1", "--server.headless", "true"],
            cwd=ROOT,
            env=os.environ | dict(environment or {}),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            address = Served(f"http://127.0.0.1:{port}")
            address.process = server.pid
            _wait_for(server, f"{address}/_stcore/health")
            yield address
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=20)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start a browser. Raises NoBrowserError where there is none."""
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        raise NoBrowserError(f"no browser on the PATH: none of {', '.join(_NAMES)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, prepare: Callable[[Page], None] | None = None) -> Iterator[Page]:
    """Open an empty page with the spy in it, and what `prepare` adds."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1000}, reduced_motion="reduce", accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.add_init_script(SPY)
    if prepare is not None:
        prepare(page)
    yield page
    context.close()


def wait(
    page: Page, condition: str, argument: object = None, *, patience: float = PATIENCE
) -> None:
    """Wait until JavaScript gives something true; the app's policy forbids playwright's own way.

    Raises TimeoutError.
    """
    ends = time.monotonic() + patience
    while not page.evaluate(condition, argument):
        if time.monotonic() > ends:
            raise TimeoutError(f"it never came to {condition}")
        page.wait_for_timeout(50)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    for _ in range(int(PATIENCE * 10)):
        if server.poll() is not None:
            raise RuntimeError("the server ended at once: see its log")
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise TimeoutError("the app did not start")
