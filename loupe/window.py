"""Shows the app in a separate window, with a server that ends when the window is closed.

The window is Chromium, Chrome or Edge without tabs and address bar (`--app`), with a temporary
profile. If none of them is installed, Loupe uses pywebview, or else the default browser. Each start
has its own server, so windows do not share state.
"""

import http.client
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from loupe.module_finder import HOME
from loupe.supervisor import Tied

ADDRESS = "127.0.0.1"
_PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=Translate",
    "--window-size=1400,950",
    "--class=Loupe",
)
_TRIES = 3
"""The number of ports to try, as another program may take a free port first."""
_PATIENCE = 120.0
"""The time limit for a server's first answer, in seconds."""


class _Server(NamedTuple):
    program: Tied
    url: str


def show_window(options: Sequence[str] = (), *, browser: str | None = None) -> int:
    """Show the app until its window is closed or its server ends; return the exit status.

    Args:
        options: Streamlit's options, except the port.
        browser: The program that shows the window; it must accept Chromium's options.
    """
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: sys.exit(128 + number))
    server = None
    try:
        server = _started(options)
        return _shown(server, browser)
    except KeyboardInterrupt:
        return 130
    finally:
        if server:
            server.program.end()


def _started(options: Sequence[str]) -> _Server:
    """Start a server and wait until it answers."""
    _say("starting")
    for _ in range(_TRIES):
        with socket.create_server((ADDRESS, 0)) as probe:
            port = probe.getsockname()[1]
        own = (f"--server.port={port}", "--server.headless=true")
        command = [sys.executable, "-m", "streamlit", "run", "app.py", *options, *own]
        # From its own folder: there Streamlit finds its settings, and Python the app's modules.
        server = Tied(command, cwd=HOME, output=subprocess.DEVNULL)
        try:
            if _answers(server, port):
                return _Server(server, f"http://{ADDRESS}:{port}/")
        except BaseException:
            server.end()
            raise
        server.end()
    sys.exit("loupe: the server did not start")


def _answers(server: Tied, port: int) -> bool:
    """Wait for a server; return False if it ends or does not answer in time."""
    ends = time.monotonic() + _PATIENCE
    while server.status is None and time.monotonic() < ends:
        asked = http.client.HTTPConnection(ADDRESS, port, timeout=5)  # past any proxy
        try:
            asked.request("GET", "/_stcore/health")
            if asked.getresponse().status == http.client.OK:
                return server.status is None
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            asked.close()
    return False


def _shown(server: _Server, browser: str | None) -> int:
    """Open a window on a server and wait until one of the two ends."""
    profile = Path(tempfile.mkdtemp(prefix="loupe-window-"))
    command = _window_command(server.url, profile, browser)
    if command is None:
        profile.rmdir()
        return _in_browser(server)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        window = Tied(command, remove=profile, output=log, errors=log)
        try:
            _say(f"{server.url} is open in a separate window; close it to end Loupe")
            while window.status is None and server.program.status is None:
                time.sleep(0.05)
        finally:
            by_itself = window.status
            window.end()
        if server.program.status is not None:
            _say("the server ended, so the window was closed")
            return 1
        if by_itself:
            log.seek(0)
            _say(f"{command[0]} could not show a window:\n{log.read()[-1000:].rstrip()}")
            if command[0] == sys.executable:  # pywebview, which also needs GTK or Qt
                return _in_browser(server)
        return by_itself or 0


def _window_command(url: str, profile: Path, browser: str | None) -> list[str] | None:
    """Return the command that shows a page in a window; None if there is no such program."""
    if browser is None and not _has_display():
        return None
    program = browser or find_browser()
    if program:
        # Without a new profile, a running browser would take the page, and this one would end.
        own = [f"--user-data-dir={profile}", f"--app={url}"]
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox refuses root
        return [program, *_FLAGS, *own, *(["--no-sandbox"] if is_root else [])]
    if importlib.util.find_spec("webview"):
        return [sys.executable, __file__, url]
    return None


def _has_display() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def find_browser() -> str | None:
    """Find a browser that can open a window without tabs; return the path of its program."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


def _in_browser(server: _Server) -> int:
    """Open the page in the default browser and wait for the server, as a page closes silently."""
    if _has_display() and webbrowser.open(server.url):
        why = "no separate window is available here; Loupe is open in the browser at"
    else:
        why = "no window is available here; open this address in a browser:"
    _say(f"{why} {server.url} - Ctrl+C ends it")
    while server.program.status is None:
        time.sleep(0.2)
    return server.program.status


def _say(text: str) -> None:
    sys.stderr.write(f"loupe: {text}\n")
    sys.stderr.flush()


def _show_in_webview(url: str) -> None:
    """Show a page with pywebview, which needs the main thread of a process."""
    import webview  # pyright: ignore[reportMissingImports]

    webview.create_window("Loupe", url, width=1400, height=950)
    webview.start()


if __name__ == "__main__":
    _show_in_webview(sys.argv[1])
