"""The command `loupe fetch`, tested against a local server in place of the Hub."""

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from loupe import fetching
from model.foreign.hub.cache import find_cached
from model.foreign.hub.names import HubError, read_name
from qa.audit.browser import ROOT
from tests.model.foreign.hub.stand_in import COMMIT, Hub, put_folder, served
from tests.model.foreign.imports.folders import write_gpt2
from tests.processes import until

NAME = "org/tiny-gpt2"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()
    put_folder(made, write_gpt2(tmp_path / "plain"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with served(made):
        monkeypatch.setenv("HF_ENDPOINT", made.address)
        yield made


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Restores interrupts, which background processes of a shell and their children ignore."""


def begun(*asked: str) -> subprocess.Popen[str]:
    command = f"{HEARS}import sys; from loupe.command import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", command, "fetch", *asked],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_download_that_was_killed_is_continued_by_the_same_command(hub, tmp_path):
    data = hub.files["model.safetensors"] = bytes(range(256)) * 50_000
    blobs = tmp_path / "hub" / "models--org--tiny-gpt2" / "blobs"
    part = blobs / f"{hashlib.sha256(data).hexdigest()}.incomplete"
    gone = []

    def hold(name: str, done: int) -> None:
        if name == "model.safetensors" and done > 8_000_000:
            until(lambda: gone)

    def arrived() -> bool:
        return part.exists() and part.stat().st_size > 5_000_000

    hub.during = hold
    first = begun(NAME, "--yes")
    until(arrived)
    first.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
    _, said = first.communicate()
    gone.append(True)
    assert "the same command continues the download" in said
    assert first.returncode == 130
    with pytest.raises(HubError, match="has no model"):
        find_cached(read_name(NAME))
    second = begun(NAME, "--yes")
    _, said = second.communicate()
    assert second.returncode == 0, said
    _, again = hub.got("model.safetensors")
    assert int(again.removeprefix("bytes=").rstrip("-")) > 5_000_000
    found = find_cached(read_name(NAME))
    assert (found.path / "model.safetensors").read_bytes() == data
    assert f"commit {COMMIT}" in said
    assert {path for _, path, _ in hub.asked if "agent" in path} == set()  # no telemetry


def test_nothing_is_downloaded_before_the_size_is_agreed_to(hub, capsys, monkeypatch):
    assert fetching.main([NAME]) == 1
    said = capsys.readouterr().err
    assert "0.1 MB" not in said
    for line in ("52.7 kB  model.safetensors", "56.9 kB to download", "add --yes to accept"):
        assert line in said
    for answer, status in (("", 1), ("n", 1), ("y", 0)):
        terminal = StringIO(answer)
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", terminal)
        assert fetching.main([NAME]) == status
    assert len(hub.got("model.safetensors")) == 1
    assert "to see it: loupe app org/tiny-gpt2" in capsys.readouterr().err


def test_what_is_in_the_cache_needs_no_hub(hub, capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert fetching.main([NAME, "--yes"]) == 1
    assert "Nothing is downloaded, since HF_HUB_OFFLINE" in capsys.readouterr().err
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert fetching.main([NAME, "--yes"]) == 0
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub.asked.clear()
    assert fetching.main([NAME]) == 0
    assert "the Hub could not be reached" in capsys.readouterr().err
    assert hub.asked == []


@pytest.mark.usefixtures("hub")
def test_an_unknown_or_impossible_name_is_said(capsys):
    for name, said in (("org/other", "no model org/other"), ("../x", "is named org/name")):
        assert fetching.main([name, "--yes"]) == 1
        assert said in capsys.readouterr().err
