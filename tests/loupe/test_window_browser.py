"""The app in a window of its own, with a pretend browser and with Chromium."""

import http.client
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from loupe import window
from loupe.supervisor import Tied
from qa.audit.browser import FLAGS, ROOT, WITH_WINDOWS
from tests.loupe.test_supervisor import said_pid
from tests.processes import is_running, until

STANDS_IN = """#!{python}
import os, sys, time
from pathlib import Path
folder = Path({folder!r})
(folder / "arguments").write_text("\\n".join(sys.argv[1:]))
(folder / "pid").write_text(str(os.getpid()))
while not (folder / "close").exists():
    time.sleep(0.02)
sys.exit(int((folder / "close").read_text()))
"""
SERVES = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
port = next(option for option in sys.argv if option.startswith("--server.port="))
HTTPServer(("127.0.0.1", int(port.split("=")[1])), Answer).serve_forever()
"""
"""A server that replaces Streamlit and only answers."""
START = 120.0
"""Seconds that a server and Chromium may take to start beside the other tests."""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")


class Shown(NamedTuple):
    """An open window."""

    folder: Path
    browser: int

    def answers(self) -> bool:
        """Return whether the window's server answers."""
        lines = (self.folder / "arguments").read_text().splitlines()
        url = next(line for line in lines if line.startswith("--app="))
        asked = http.client.HTTPConnection("127.0.0.1", int(url.split(":")[2].strip("/")))
        try:
            asked.request("GET", "/_stcore/health")
            return asked.getresponse().status == 200
        except OSError:
            return False
        finally:
            asked.close()

    def wait_until_gone(self) -> None:
        """Wait until server, browser and profile are gone."""
        until(lambda: not is_running(self.browser))
        until(lambda: not (self.answers() or list(self.folder.glob("loupe-window-*"))))


def executable(file: Path, text: str) -> Path:
    file.write_text(text)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def launch(browser: Path, folder: Path, **variables: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "loupe", "app", "--window", "--browser", str(browser)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder), **variables},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch) -> Path:
    """Write a program that acts as a browser until a file gives its exit status."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = STANDS_IN.format(python=sys.executable, folder=str(tmp_path))
    return executable(tmp_path / "browser", text)


def serving(seconds: float) -> Iterator[window._Server]:
    """Start a process that acts as the server."""
    program = Tied([sys.executable, "-c", f"import time; time.sleep({seconds})"])
    yield window._Server(program, "http://127.0.0.1:1/")
    program.end()


def show(browser: Path, *, served: float = 60, closed: str = "") -> int:
    """Show a page until the window closes or the server ends; return the exit status."""
    if closed:
        (browser.parent / "close").write_text(closed)
    with contextmanager(serving)(served) as server:
        return window._shown(server, str(browser))


def test_closing_the_window_ends_all(stand_in: Path) -> None:
    assert show(stand_in, closed="0") == 0
    folder = stand_in.parent
    given = (folder / "arguments").read_text().splitlines()
    assert "--app=http://127.0.0.1:1/" in given
    assert [line for line in given if line.startswith(f"--user-data-dir={folder}/loupe-window-")]
    assert not list(folder.glob("loupe-window-*"))


def test_a_window_that_cannot_open_is_said(stand_in: Path, capsys) -> None:
    assert show(stand_in, closed="3") == 3
    assert "could not show a window" in capsys.readouterr().err
    assert show(stand_in.with_name("nothing")) == 1
    assert "No such file" in capsys.readouterr().err


def test_the_end_of_the_server_closes_the_window(stand_in: Path) -> None:
    assert show(stand_in, served=0.5) == 1
    browser = said_pid(stand_in.parent / "pid")
    until(lambda: not is_running(browser))
    assert not list(stand_in.parent.glob("loupe-window-*"))


def test_killing_the_launcher_leaves_nothing(stand_in: Path) -> None:
    folder = stand_in.parent
    (folder / "streamlit.py").write_text(SERVES)
    with launch(stand_in, folder, PYTHONPATH=str(folder)) as launcher:
        shown = Shown(folder, said_pid(folder / "pid"))
        assert shown.answers()
        assert list(folder.glob("loupe-window-*"))
        launcher.send_signal(signal.SIGKILL)
    shown.wait_until_gone()


@pytest.fixture
def chromium(tmp_path: Path) -> Path:
    """Write a program that starts Chromium without a display."""
    path = next((found for name in WITH_WINDOWS if (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no browser on the PATH")
        pytest.skip("no browser on the PATH")
    options = " ".join((*FLAGS, "--remote-debugging-port=0", "--headless=new"))
    return executable(tmp_path / "browser", f'#!/bin/sh\nexec "{path}" {options} "$@"\n')


@pytest.fixture
def short() -> Iterator[Path]:
    """Make a folder with a short name: Chromium's socket path has at most 107 letters."""
    with tempfile.TemporaryDirectory(prefix="loupe-") as name:
        yield Path(name)


def debugged(folder: Path) -> str:
    """Return the debugging address of the browser in a window."""
    until(lambda: list(folder.glob("loupe-window-*/DevToolsActivePort")), START)
    found = list(folder.glob("loupe-window-*/DevToolsActivePort"))
    return f"http://127.0.0.1:{found[0].read_text().splitlines()[0]}"


def test_chromium_shows_the_app_until_it_is_closed(
    chromium: Path, short: Path, browser: Browser
) -> None:
    with launch(chromium, short) as launcher:
        try:
            seen = browser.browser_type.connect_over_cdp(debugged(short))
            [page] = seen.contexts[0].pages
            page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
            assert "Loupe" in page.title()
            assert page.evaluate("matchMedia('(display-mode: standalone)').matches")
            seen.new_browser_cdp_session().send("Browser.close")
            _, said = launcher.communicate(timeout=START)
        finally:
            launcher.kill()
    assert launcher.returncode == 0, said
    assert not list(short.glob("loupe-window-*"))


def test_without_a_display_or_a_browser_the_page_is_named(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(window, "find_browser", lambda: None)
    monkeypatch.setattr(window.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setenv("DISPLAY", ":1")
    assert window._window_command("http://127.0.0.1:1/", tmp_path, None) is None
    monkeypatch.setattr(window.importlib.util, "find_spec", lambda _name: True)
    by_webview = window._window_command("http://127.0.0.1:1/", tmp_path, None)
    assert by_webview == [sys.executable, window.__file__, "http://127.0.0.1:1/"]
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert window._window_command("http://127.0.0.1:1/", tmp_path, None) is None
