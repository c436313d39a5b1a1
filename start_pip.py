"""Runs pip and shows its progress: a line per package, rewritten on a terminal.

`start.py` installs the packages with it, so it needs nothing but Python. pip's report would name
all packages at once, but pip writes it when all are downloaded. So this module reads the lines that
pip prints. A line that it does not know changes nothing.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TextIO
from urllib.parse import unquote

MEGABYTES = {"requirements.txt": 245, "requirements-dev.txt": 420}
"""The download for each list without torch, on Linux with Python 3.11."""
TORCH, TORCH_FOR_CPU = 2730, 190
"""The download of torch for Linux, with CUDA and without; for other systems, it is smaller."""

_COLLECTING = re.compile(r"Collecting ([A-Za-z0-9][\w.-]*)")
_FILE = re.compile(
    r"( *)(Downloading|Using cached|Processing) (\S+?\.(?:whl|tar\.gz|zip))(?=[\s#]|$)"
    r"(?:.*\((\d[\d.]* [kMG]?B)\))?"
)
_BYTES = re.compile(r"Progress (\d+) of (\d+)$")
_INSTALLING = re.compile(r"Installing collected packages: (.+)")
_FIRST_RAW = (24, 1)
"""The first version of pip that tells how much of a file has arrived."""


def download(requirements: str, *, is_small: bool) -> str:
    """Say how much a list downloads, and how long that takes."""
    megabytes = MEGABYTES[requirements] + (TORCH_FOR_CPU if is_small else TORCH)
    minutes = round(megabytes * 8 / 50 / 60) + 2
    return (
        f"about {megabytes / 1000:.1f} GB to download, about {minutes} minutes at 50 Mbit/s; "
        "only this once"
    )


def count_locked(*locks: Path) -> int | None:
    """Return about how many packages locked lists install; None if one of them is missing."""
    if not all(lock.is_file() for lock in locks):
        return None
    text = "\n".join(lock.read_text(encoding="utf-8") for lock in locks)
    return len(set(re.findall(r"^([\w.-]+)==", text, re.M)))


class Progress:
    """What pip has done so far, read from its lines."""

    def __init__(self, expected: int | None) -> None:
        self._total = f"about {expected}" if expected else None
        self._collected, self._fetched, self._installed = set[str](), set[str](), set[str]()
        self._current = ""

    def read(self, line: str) -> tuple[str, bool]:
        """Return a text about a line of pip, or none, and whether it begins a package."""
        if found := _COLLECTING.match(line):
            self._collected.add(_as_name(found[1]))
            return f"looking for packages: {found[1]}", False
        if found := _FILE.match(line):
            return self._begin(*found.groups()), True
        if found := _BYTES.match(line):
            done, size = (int(each) / 1e6 for each in found.groups())
            return f"{self._current}, {done:.1f} of {size:.1f} MB" if size else "", False
        if found := _INSTALLING.match(line):
            self._total = str(len(found[1].split(", ")))
            return f"everything is downloaded; installing {self._total} packages", True
        return "", False

    def installed(self, names: set[str]) -> str:
        """Say which package pip has just installed; `names` are all that it has installed."""
        new, self._installed = names - self._installed, names
        if not new:
            return ""
        name, _, version = max(new).partition("-")
        title = name.replace("_", "-")
        return f"{len(names)} of {self._total} installed: {title} {version}"

    def _begin(self, indent: str, verb: str, file: str, size: str | None) -> str:
        title, version = _name_of(unquote(file).rpartition("/")[2])
        self._collected.add(_as_name(title))
        self._fetched.add(_as_name(title))
        if not indent and verb != "Processing":  # pip has found all, and now downloads them
            self._total = str(len(self._collected))
        of = f" of {self._total}" if self._total else ""
        self._current = f"{len(self._fetched)}{of}: {title} {version}"
        return self._current + (f", {size}" if size else "")


class Line:
    """The line that shows the progress: rewritten on a terminal, one after another elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._is_terminal = stream, stream.isatty()
        self._is_open = False

    def show(self, text: str, *, lasting: bool) -> None:
        """Show a text. Where lines cannot be rewritten, only a lasting one is shown."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r{f'loupe: {text}'[:width]:{width}}")
            self._is_open = True
        elif lasting:
            self._stream.write(f"loupe: {text}\n")
        self._stream.flush()

    def leave(self, text: str = "") -> None:
        """End the line, and show a text below it."""
        self._stream.write("\n" * self._is_open + text)
        self._stream.flush()
        self._is_open = False


def run_pip(
    python: Sequence[str], site: Path, options: Sequence[str], expected: int | None = None
) -> int:
    """Run `pip install` with its progress shown; return its exit status.

    Args:
        python: The command that runs the Python of an environment.
        site: The folder in which pip installs.
        options: Options of `pip install`.
        expected: About how many packages come.
    """
    bar = "raw" if _pip_version(site) >= _FIRST_RAW else "off"
    asked = ("--progress-bar", bar, "--disable-pip-version-check", *options)
    before = _installed(site)
    process = subprocess.Popen(
        [*python, "-m", "pip", "install", *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    progress, line = Progress(expected), Line(sys.stderr)
    try:
        for is_error, text in _lines(process):
            if is_error:
                line.leave(text)
                continue
            said, begins = progress.read(text)
            if not text:
                said = progress.installed(_installed(site) - before)
            if said:
                line.show(said, lasting=begins)
        return process.wait()
    except KeyboardInterrupt:  # pip has heard of it as well
        process.wait()
        return 130
    finally:
        line.leave()


def _lines(process: subprocess.Popen[str]) -> Iterator[tuple[bool, str]]:
    """Yield the lines of both outputs, as an error or not; an empty one whenever none comes."""
    heard = SimpleQueue[tuple[bool, str] | None]()

    def hear(stream: IO[str], is_error: bool) -> None:
        with stream:
            for text in stream:
                heard.put((is_error, text))
        heard.put(None)

    for heard_on in ((process.stdout, False), (process.stderr, True)):
        threading.Thread(target=hear, args=heard_on, daemon=True).start()
    left = 2
    while left:
        try:
            text = heard.get(timeout=0.2)
        except Empty:
            yield False, ""
            continue
        if text is None:
            left -= 1
        else:
            yield text


def _installed(site: Path) -> set[str]:
    return {path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info")}


def _pip_version(site: Path) -> tuple[int, ...]:
    names = [name for name in _installed(site) if name.startswith("pip-")]
    return tuple(map(int, re.findall(r"\d+", names[0])))[:2] if names else (0,)


def _name_of(file: str) -> tuple[str, str]:
    """Return the name and the version of a package from the name of its file."""
    if file.endswith(".whl"):
        name, version = file.split("-")[:2]
        return name.replace("_", "-"), version
    name, _, version = re.sub(r"\.(tar\.gz|zip)$", "", file).rpartition("-")
    return name, version


def _as_name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()
