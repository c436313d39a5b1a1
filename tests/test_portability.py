"""Differences on Windows and macOS that Linux can show too: encodings, paths and names."""

import ast
import functools
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest

import start
from qa.audit import browser
from tests.browsing import ROOT
from viz.corpus import store

PACKAGES = ("loupe", "model", "viz", "texts", "release", "sample_data", "qa")
SOURCES = [
    *(path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))),
    *(ROOT / name for name in ("app.py", "start.py", "start_options.py")),
    *sorted((ROOT / ".ci").glob("*.py")),
]
TEXT = {"text", "universal_newlines"}
FILES = {"open", "fdopen", "read_text", "write_text"}
PROCESSES = {"run", "Popen", "check_output"}
SCRIPT = "loupe.explored.script"
"""A module that Streamlit runs for each page and that nothing imports."""
COMMON = "cp1252"
"""The encoding of files and pipes on a Windows system of Western Europe or America."""


@functools.cache
def source_of(path: Path) -> str:
    return path.read_text("utf-8")


def without_encoding(code: str) -> Iterator[tuple[int, str]]:
    """Yield the calls that read or write text in the system's default encoding."""
    if not any(name in code for name in FILES | PROCESSES):
        return
    for call in ast.walk(ast.parse(code)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name not in FILES | PROCESSES:
            continue
        named = {each.arg: each.value for each in call.keywords}
        given = len(call.args)
        modes = [each.value for each in call.args if isinstance(each, ast.Constant)]
        modes += [each.value for each in [named.get("mode")] if isinstance(each, ast.Constant)]
        is_binary = any(isinstance(mode, str) and "b" in mode for mode in modes)
        owner = ast.unparse(call.func).rpartition(".")[0]
        found = (
            (name == "read_text" and not given)
            or (name == "write_text" and given < 2)
            or (name in PROCESSES and owner in ("", "subprocess") and named.keys() & TEXT)
            or (name == "open" and isinstance(call.func, ast.Name) and not is_binary)
            or (name == "open" and re.search("path|file|folder|[(]", owner.lower()) and modes
                and not is_binary)
            or (name == "fdopen" and not is_binary)
        )  # fmt: skip
        if found and "encoding" not in named:
            yield call.lineno, ast.unparse(call)


def test_no_text_is_read_or_written_in_an_encoding_that_the_system_chooses() -> None:
    assert len(SOURCES) > 500
    found = [
        f"{path.relative_to(ROOT)}:{line}: {call}"
        for path in SOURCES
        for line, call in without_encoding(source_of(path))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "path.read_text()",
        "path.write_text(text, newline='')",
        "path.open('w')",
        "open(name)",
        "os.fdopen(handle, 'w')",
        "subprocess.run(command, text=True)",
    ],
)
def test_such_a_call_is_found(code: str) -> None:
    assert list(without_encoding(code))
    given = f"{code[:-1]}{'' if code.endswith('()') else ', '}encoding='utf-8')"
    assert not list(without_encoding(given))


def own_modules() -> list[str]:
    """List all modules that the app or a user of Python imports."""
    paths = [path for name in PACKAGES[:4] for path in (ROOT / name).rglob("*.py")]
    stems = (path.relative_to(ROOT).with_suffix("").parts for path in paths)
    names = {".".join(parts).removesuffix(".__init__") for parts in stems}
    return sorted(name for name in names - {SCRIPT} if "__main__" not in name)


WATCHED = r"""
import importlib, sys, warnings
own = r"(loupe|model|viz|texts|sample_data)(\.|$)"
warnings.filterwarnings("error", category=EncodingWarning, module=own)
for name in sys.argv[1:]:
    importlib.import_module(name)
import loupe
model = loupe.load("everyday-paper-0")
run = loupe.trace(model, "The cat drank the milk.")
run.html()
run.save("run.npz")
loupe.load_run("run.npz")
"""


@pytest.mark.slow
def test_no_import_and_no_run_asks_the_system_for_an_encoding(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "warn_default_encoding", "-c", WATCHED, *own_modules()]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


IN_TURN = r"""
import contextlib, runpy, sys
for line in sys.stdin.read().splitlines():
    print(f"--- {line}", flush=True)
    sys.argv = line.split()
    with contextlib.suppress(SystemExit):
        if sys.argv[0] == "-m":
            del sys.argv[0]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Run several commands in one process, since each imports torch or other large packages."""
COMMANDS = (
    "start.py --help",
    "start.py test --help",
    "-m loupe --help",
    "-m loupe app --help",
    "-m loupe fetch --help",
    "-m model.foreign.imports --help",
    "-m viz.corpus --help",  # what `loupe corpus` runs; next, `loupe site`
    "-m viz.site --help",
    "-m viz.site {folder}/site --model digits-paper --lang fr",
)


@pytest.mark.slow
def test_commands_speak_in_the_letters_of_an_older_terminal(tmp_path: Path) -> None:
    given = [each.format(folder=tmp_path) for each in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-c", IN_TURN],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": COMMON, "PYTHONUTF8": "0"},
        input="\n".join(given).encode(COMMON),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode(COMMON)
    found = re.split(r"^--- (.*)\r?\n", done.stdout.decode(COMMON), flags=re.MULTILINE)[1:]
    assert found[::2] == given
    assert all(found[1::2])


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    if listed.returncode:
        pytest.skip("this is not a repository of git")
    return listed.stdout.rstrip("\0").split("\0")


def test_names_of_files_are_names_everywhere() -> None:
    names = tracked()
    assert [name for name, count in Counter(map(str.lower, names)).items() if count > 1] == []
    parts = {part for name in names for part in name.split("/")}
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
    assert [part for part in parts if reserved.fullmatch(part)] == []
    assert [part for part in parts if re.search(r'[<>:"\\|?*]|[ .]$', part)] == []
    assert max(map(len, names)) < 140  # Windows allows 260 with the folders above


def test_a_checkout_has_the_same_bytes_everywhere() -> None:
    attributes = (ROOT / ".gitattributes").read_text("utf-8")
    assert "* text=auto eol=lf" in attributes
    binary = {
        line.split()[0].removeprefix("*") for line in attributes.splitlines() if "binary" in line
    }
    for name in tracked():
        path = ROOT / name
        if path.is_file() and b"\r\n" in path.read_bytes():
            assert path.suffix in binary, name


class _WindowsPath(PureWindowsPath):
    """A Windows path that Linux does not resolve."""

    def expanduser(self) -> "_WindowsPath":
        return self

    def absolute(self) -> "_WindowsPath":
        return self


def test_an_atlas_on_windows_is_named_as_arrow_lists_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "Path", _WindowsPath)
    place = store.Store.at(r"C:\Users\me\atlas")
    assert str(place / "heads.parquet") == "C:/Users/me/atlas/heads.parquet"
    assert place.name == "atlas"


def test_a_server_ends_with_what_it_started_on_windows_too(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(browser.subprocess, "run", lambda command, **_: asked.append(command))
    monkeypatch.setattr(sys, "platform", "win32")
    leader = type("Leader", (), {"pid": 12})()
    browser.end(leader)
    assert asked == [["taskkill", "/T", "/F", "/PID", "12"]]


MISSING_ON_WINDOWS = {
    "os": {"fork", "killpg", "getpgid", "setsid", "geteuid", "getuid", "sysconf", "mkfifo"},
    "signal": {"SIGKILL", "SIGHUP", "SIGALRM", "pthread_sigmask", "setitimer", "alarm"},
}
MODULES_OF_POSIX = {"fcntl", "resource", "pwd", "grp", "termios", "pty"}
GUARDED = {
    "loupe/supervisor.py": "os.name",
    "loupe/window.py": "hasattr",
    "model/files/lock.py": "except ImportError",
    "model/foreign/imports/memory.py": "AttributeError",
    "model/foreign/imports/tokenizer_process.py": "except ImportError",
    "model/memory/allocator.py": "_is_glibc",
    "viz/corpus/work.py": 'sys.platform == "win32"',
}
"""Files that use names missing on Windows, and the words with which they check first."""


def of_posix(code: str) -> set[str]:
    """Return the POSIX names that a module uses."""
    found = set()
    if not any(name in code for name in MODULES_OF_POSIX.union(*MISSING_ON_WINDOWS.values())):
        return found
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in MISSING_ON_WINDOWS.get(node.value.id, ()):
                found.add(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names} & MODULES_OF_POSIX
    return found


def test_what_windows_lacks_is_asked_for_first() -> None:
    own = [path for path in SOURCES if path.relative_to(ROOT).parts[0] != "qa"]
    texts = {path.relative_to(ROOT).as_posix(): source_of(path) for path in own}
    assert {name for name, text in texts.items() if of_posix(text)} == GUARDED.keys()
    assert all(words in texts[name] for name, words in GUARDED.items())


def test_programs_of_the_environment_are_found_by_the_system() -> None:
    expected = "Scripts" if sys.platform == "win32" else "bin"
    assert expected == start.PROGRAMS.name
