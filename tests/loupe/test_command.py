import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from loupe import command
from qa.audit.browser import ROOT, claimed_port, wait_for
from tests.model.foreign.hub.entries import write_entry
from tests.processes import in_session, until


@pytest.fixture
def ran(monkeypatch):
    """Record the processes that the command would run, instead of running them."""
    found = []
    monkeypatch.setattr(command, "_become", lambda arguments, **_: found.append(arguments) or 0)
    monkeypatch.setattr(
        command, "show_window", lambda options, **named: found.append((options, named)) or 0
    )
    for name in ("LOUPE_MODELS", "LOUPE_KEPT"):
        monkeypatch.setenv(name, "before")
    return found


def test_options_of_streamlit_keep_what_is_given_to_them(ran):
    assert command.main(["app", "--server.port", "8600", "--server.headless=true"]) == 0
    [arguments] = ran
    assert arguments[-3:] == ["--server.port", "8600", "--server.headless=true"]


def test_a_folder_comes_first(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    command.main(["app", "mine", "--window", "--theme.base", "dark"])
    assert ran == [(["--theme.base", "dark"], {"browser": None})]
    assert command.os.environ["LOUPE_MODELS"] == str(tmp_path / "mine")


def test_a_model_of_the_hugging_face_cache_may_be_named(ran, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    path = write_entry(tmp_path, "org/name")
    command.main(["app", "org/name", "--server.headless=true"])
    assert ran[0][-1] == "--server.headless=true"
    assert command.os.environ["LOUPE_MODELS"] == str(path)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "give a command"),
        (["app", "nowhere"], "the folder nowhere does not exist"),
        (["app", "--browser", "x"], "--browser needs --window"),
        (["app", "--widow"], "--widow is not an option of this command; did you mean --window?"),
        (["app", "--server.port", "1", "mine"], "mine is not an argument of this command"),
        (["app", "--window", "--server.port", "1"], "omit --server.port"),
    ],
)
@pytest.mark.usefixtures("ran")
def test_what_cannot_be_is_said_in_a_sentence(asked, said, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(asked)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_corpus_is_handed_on_as_it_is(ran):
    command.main(["corpus", "digits-paper", "--help"])
    assert ran == [["-m", "viz.corpus", "digits-paper", "--help"]]


posix = pytest.mark.skipif(os.name != "posix", reason="elsewhere a command only waits")


@contextmanager
def begun(*asked: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a session of its own, so that all its child processes can be found."""
    process = subprocess.Popen(
        [sys.executable, "-m", "loupe", *asked],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for left in in_session(process.pid):
            os.kill(left, signal.SIGKILL)
        process.communicate()


@pytest.mark.slow
@posix
def test_whoever_ends_the_app_ends_its_server():
    command = ("app", "--server.headless", "true", "--server.port")
    with claimed_port() as port, begun(*command, str(port)) as app:
        health = f"http://127.0.0.1:{port}/_stcore/health"
        wait_for(app, health)
        app.terminate()
        until(lambda: not in_session(app.pid))
        with pytest.raises(URLError):
            urlopen(health)


@pytest.mark.slow
@posix
def test_whoever_kills_a_corpus_ends_those_who_make_it(tmp_path):
    many = ("--sentences", "100000", "--shard", "100", "--out", str(tmp_path))
    with begun("corpus", "digits-paper", *many, "--workers", "2") as corpus:
        assert "shard" in corpus.stderr.readline()
        assert len(in_session(corpus.pid)) >= 2
        corpus.kill()
        until(lambda: not in_session(corpus.pid))
