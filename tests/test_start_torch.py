"""The index from which the first start installs torch; a local server replaces PyTorch's."""

import json
import platform
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import start_torch
from qa.audit.browser import answering

TORCH = "torch==2.13.0"
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
WHEEL = f"torch-2.13.0%2Bcpu-{TAG}-{TAG}{sys.abiflags}-manylinux_2_28_{platform.machine()}.whl"
PIP = [sys.executable, "-c", "import sys; sys.stdout.write('')"]
"""A pip without settings."""


class Index(BaseHTTPRequestHandler):
    """A package index that answers as its server's `mode` says."""

    def do_GET(self) -> None:
        asked.append(self.path)
        mode, released = self.server.mode, self.server.released
        if mode == "silent":
            released.wait()
            return
        if mode == "missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        if mode == "slow":
            self.wfile.write(b"<a>")
            released.wait()
            return
        self.wfile.write(f'<a href="/whl/cpu/{mode}#sha256=0">{mode}</a>'.encode())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


asked: list[str] = []


@pytest.fixture
def index(monkeypatch):
    """Replace PyTorch's server by a local one, on Linux without an NVIDIA driver."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    server.mode, server.released = WHEEL, threading.Event()
    server.address = f"http://127.0.0.1:{server.server_port}/whl/cpu"
    monkeypatch.setattr(start_torch.sys, "platform", "linux")
    monkeypatch.setattr(start_torch, "has_nvidia", lambda: False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    asked.clear()
    with answering(server):
        yield server
        server.released.set()


def test_pytorchs_index_is_taken_if_it_has_the_build(index):
    chosen, said = start_torch.choose_index(None, index.address, PIP, f"{TORCH}  # a remark")
    assert chosen == index.address
    assert "0.2 GB to download instead of 2.7 GB" in said
    assert asked == ["/whl/cpu/torch/"]


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("missing", "answered with status 404"),
        ("silent", "did not answer within 0.3 seconds"),
        ("slow", "did not answer within 0.3 seconds"),
        (WHEEL.replace("2.13.0", "2.12.0"), "does not list torch 2.13.0 for this Python"),
        (WHEEL.replace(TAG, "cp300"), "does not list torch 2.13.0 for this Python"),
        (WHEEL.replace(platform.machine(), "pdp11"), "does not list torch 2.13.0"),
    ],
)
def test_any_trouble_leaves_the_usual_index_and_is_said_in_one_line(mode, said, index, monkeypatch):
    monkeypatch.setattr(start_torch, "PATIENCE", 0.3 if "0.3" in said else 60.0)
    index.mode = mode
    chosen, why = start_torch.choose_index(None, index.address, PIP, TORCH)
    assert chosen is None
    assert said in why
    assert "2.7 GB" in why
    assert "\n" not in why


def test_an_index_that_refuses_the_connection_is_said(index):
    index.shutdown()
    index.server_close()
    chosen, why = start_torch.choose_index(None, index.address, PIP, TORCH)
    assert chosen is None
    assert "cannot be reached" in why


def test_a_name_server_that_hangs_is_not_waited_for(index, monkeypatch):
    def hang(*_, **__):
        index.released.wait()
        raise OSError

    monkeypatch.setattr(start_torch, "PATIENCE", 0.3)
    monkeypatch.setattr(start_torch, "urlopen", hang)
    assert "did not answer" in start_torch.choose_index(None, index.address, PIP, TORCH)[1]


def test_what_the_user_names_decides(index):
    assert start_torch.choose_index("there", index.address, PIP, TORCH) == ("there", "")
    assert start_torch.choose_index("none", index.address, PIP, TORCH) == (None, "")
    assert asked == []


def test_other_systems_and_a_driver_leave_the_usual_index(index, monkeypatch):
    for system in ("darwin", "win32"):
        monkeypatch.setattr(start_torch.sys, "platform", system)
        assert start_torch.choose_index(None, index.address, PIP, TORCH) == (None, "")
    monkeypatch.setattr(start_torch.sys, "platform", "linux")
    monkeypatch.setattr(start_torch, "has_nvidia", lambda: True)
    assert start_torch.choose_index(None, index.address, PIP, TORCH) == (None, "")
    assert asked == []


@pytest.mark.parametrize(
    ("settings", "decide"),
    [
        ({"PIP_INDEX_URL": "https://mirror.example.org/simple"}, True),
        ({"PIP_NO_INDEX": "1"}, True),
        (
            {"PIP_NO_INDEX": "0", "PIP_EXTRA_INDEX_URL": "https://mirror.example.org/simple"},
            False,
        ),
    ],
)
def test_pips_own_index_is_respected(settings, decide, index, monkeypatch):
    """Here pip itself reads the settings."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_INDEX_URL", "PIP_NO_INDEX", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    pip = [sys.executable, "-m", "pip"]
    chosen, said = start_torch.choose_index(None, index.address, pip, TORCH)
    assert (chosen is None) is decide
    assert ("an index is set for pip" in said) is decide
    assert (asked == []) is decide


def test_the_version_is_the_one_of_the_list():
    listed = (Path(start_torch.__file__).parent / "requirements.txt").read_text("utf-8")
    line = start_torch.pinned_torch(Path(start_torch.__file__).parent / "requirements.txt")
    assert re.search(rf"^{re.escape(line)}$", listed, re.M)


@pytest.mark.parametrize(
    ("build", "system", "lists"),
    [
        ("2.13.0+cpu", "linux", ["requirements.lock", "requirements-cpu.lock"]),
        ("2.13.0", "linux", ["requirements.lock", "requirements-cuda.lock"]),
        ("2.13.0", "darwin", ["requirements.lock", "requirements-cpu.lock"]),
        ("2.13.0", "win32", ["requirements.lock", "requirements-cpu.lock"]),
    ],
)
def test_what_is_locked_is_chosen_by_the_build_of_torch(build, system, lists, monkeypatch):
    called = []

    def answer(command, **_):
        called.extend(map(str, command))
        report = {"install": [{"metadata": {"name": "torch", "version": build}}]}
        return subprocess.CompletedProcess(command, 0, json.dumps(report))

    monkeypatch.setattr(start_torch.subprocess, "run", answer)
    monkeypatch.setattr(start_torch.sys, "platform", system)
    found = start_torch.locks(["pip"], ["--extra-index-url", "somewhere"], TORCH)
    assert found == (lists, build)
    assert called[0] == "pip"
    assert called[-2:] == ["somewhere", TORCH]
