"""The files of `deploy/`: the proxy in front of several servers, and the container's recipe."""

import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection
from websockets.sync.server import serve as serve_stream

import start
import start_torch
from qa.audit.browser import answering, claimed_port
from tests.processes import until

ROOT = Path(__file__).parents[1]
PROXY = ROOT / "deploy" / "haproxy.cfg"
NAME = "loupe.example.org"


class Named(BaseHTTPRequestHandler):
    """Reports which server it is and the cookie it received; answers only to its own host name."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        ours = self.headers["Host"].partition(":")[0] == NAME
        said = f"{self.server.server_port}|{self.headers['Cookie'] or ''}".encode()
        self.send_response(200 if ours else 421)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def run_proxy(folder: Path, *servers: int) -> Iterator[int]:
    program = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        pytest.skip("no haproxy here")
    text = PROXY.read_text()
    for usual, ours in zip((8501, 8502), servers, strict=True):
        assert f"127.0.0.1:{usual}" in text
        text = text.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{ours}")
    file = folder / "haproxy.cfg"
    with claimed_port() as port:
        file.write_text(text.replace("bind :8080", f"bind 127.0.0.1:{port}"))
        proxy = subprocess.Popen([program, "-f", str(file)], stderr=subprocess.DEVNULL)
        try:
            until(lambda: is_up(port))
            yield port
        finally:
            proxy.terminate()
            proxy.wait(timeout=60)


def is_up(port: int) -> bool:
    with suppress(OSError):
        return ask(port)[0] == 200
    return False


def ask(port: int, **headers: str) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/", headers={"Host": NAME} | headers)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Set-Cookie") or "", answer.read().decode()
    finally:
        connection.close()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[int]:
    one, other = (ThreadingHTTPServer(("127.0.0.1", 0), Named) for _ in range(2))
    with (
        answering(one),
        answering(other),
        run_proxy(tmp_path, one.server_port, other.server_port) as port,
    ):
        yield port


def test_a_browser_stays_with_the_server_that_it_met_first(proxy: int):
    met = set()
    for _ in range(6):
        status, cookie, said = ask(proxy)
        assert status == 200
        assert "HttpOnly" in cookie
        met.add(server := said.partition("|")[0])
        kept = cookie.partition(";")[0]
        for _ in range(5):
            _, again, said = ask(proxy, Cookie=f"{kept}; _streamlit_xsrf=its-own")
            assert again == ""
            assert said == f"{server}|_streamlit_xsrf=its-own"
    assert len(met) == 2  # all requests come from one address, yet they do not all reach one server


def test_the_websocket_goes_to_the_server_of_its_browser(tmp_path: Path):
    def answer(stream: ServerConnection) -> None:
        assert stream.request
        stream.send(f"{stream.local_address[1]} {stream.request.headers['Host']}")

    def healthy(stream: ServerConnection, request):
        return None if "Upgrade" in request.headers else stream.respond(200, "well")

    servers = [serve_stream(answer, "127.0.0.1", 0, process_request=healthy) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    ports = [server.socket.getsockname()[1] for server in servers]
    try:
        with run_proxy(tmp_path, *ports) as port:
            for name, ours in zip(("one", "two", "one"), (*ports, ports[0]), strict=True):
                with (
                    socket.create_connection(("127.0.0.1", port)) as end,
                    connect(
                        f"ws://{NAME}/_stcore/stream",
                        sock=end,
                        additional_headers={"Cookie": f"loupe_server={name}"},
                    ) as stream,
                ):
                    assert stream.recv() == f"{ours} {NAME}"
    finally:
        for server in servers:
            server.shutdown()


def test_a_container_gets_all_that_the_app_is_made_of():
    text = (ROOT / "deploy" / "Containerfile").read_text()
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.M) for name in line.split()}
    assert {"app.py", ".streamlit", "model", "viz", "texts", "sample_data"} <= copied
    assert all((ROOT / name).exists() for name in copied)
    allowed = (ROOT / "deploy" / "Containerfile.dockerignore").read_text().split()
    assert {f"!{name}" for name in copied} <= set(allowed)
    assert re.search(r"^USER (?!root)", text, re.M)


@pytest.mark.parametrize(
    ("told", "asks"),
    [
        ("", ["--extra-index-url", start.CPU_INDEX]),
        ("https://mirror.example.org/cpu", ["--extra-index-url", "https://mirror.example.org/cpu"]),
        (start_torch.NONE, []),
    ],
)
def test_a_container_asks_for_the_build_for_cpus_unless_told(told, asks, tmp_path, monkeypatch):
    """A shell runs the command of the file, with a pip that prints its arguments."""
    text = (ROOT / "deploy" / "Containerfile").read_text()
    [command] = re.findall(r"^RUN (index=(?:.*\\\n)*.*)$", text, re.M)
    (tmp_path / "pip").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    (tmp_path / "pip").chmod(0o700)
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("TORCH_INDEX", told)
    said = subprocess.check_output(["sh", "-c", command], cwd=ROOT, text=True).split()
    assert said == ["install", "--no-cache-dir", *asks, "--requirement", "requirements.txt"]
