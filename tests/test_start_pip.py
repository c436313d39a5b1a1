"""The progress of the first start: pip's output, and pip itself on a folder of small wheels."""

import io
import sys
import zipfile
from pathlib import Path

import pytest

import start
import start_pip

OLD = """\
Looking in indexes: https://mirror.example.org/simple
Collecting pandas==3.1.1 (from -r requirements.txt (line 9))
  Downloading pandas-3.1.1-cp311-cp311-manylinux_2_24_x86_64.whl (12.4 MB)
Processing /mirror/numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (from -r r.txt (line 8))
Collecting torch==2.13.0
  Downloading https://index.example.org/torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl (191.8 MB)
Requirement already satisfied: six in /somewhere (1.0)
Collecting docopt
  Using cached docopt-0.6.2.tar.gz (25 kB)
  Preparing metadata (setup.py): started
Installing collected packages: docopt, numpy, pandas, torch
Successfully installed docopt-0.6.2 numpy-2.4.6 pandas-3.1.1 torch-2.13.0+cpu
"""
"""The output of pip 23 if an index gives no separate metadata."""
NEW = """\
Collecting pandas==3.1.1 (from -r requirements.txt (line 9))
  Downloading pandas-3.1.1-cp311-cp311-manylinux_2_24_x86_64.whl.metadata (79 kB)
Collecting numpy>=2 (from pandas==3.1.1->-r requirements.txt (line 9))
  Using cached numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl.metadata (6.6 kB)
Collecting scikit-learn
  Downloading scikit_learn-1.9.1-cp311-cp311-linux_x86_64.whl.metadata (1 kB)
Downloading pandas-3.1.1-cp311-cp311-manylinux_2_24_x86_64.whl (12.4 MB)
Progress 0 of 12400000
Progress 6200000 of 12400000
Progress 12400000 of 12400000
Using cached numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (16.9 MB)
Downloading scikit_learn-1.9.1-cp311-cp311-linux_x86_64.whl (9.3 MB)
Installing collected packages: numpy, pandas, scikit-learn
"""
"""The output of pip 24 and newer if it does."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def begun(printed: str, expected: int | None = None) -> list[str]:
    """Return the lines that stay on the screen for an output of pip."""
    progress = start_pip.Progress(expected)
    read = map(progress.read, printed.splitlines())
    return [said for said, begins in read if begins]


def test_each_package_has_a_line_with_its_place():
    assert begun(OLD, 6) == [
        "1 of about 6: pandas 3.1.1, 12.4 MB",
        "2 of about 6: numpy 2.4.6",
        "3 of about 6: torch 2.13.0+cpu, 191.8 MB",
        "4 of about 6: docopt 0.6.2, 25 kB",
        "everything is downloaded; installing 4 packages",
    ]


def test_without_a_guess_the_packages_are_counted():
    assert begun(OLD)[:2] == ["1: pandas 3.1.1, 12.4 MB", "2: numpy 2.4.6"]


def test_what_pip_found_replaces_the_guess():
    assert begun(NEW, 98) == [
        "1 of 3: pandas 3.1.1, 12.4 MB",
        "2 of 3: numpy 2.4.6, 16.9 MB",
        "3 of 3: scikit-learn 1.9.1, 9.3 MB",
        "everything is downloaded; installing 3 packages",
    ]


def test_a_large_file_shows_how_much_has_arrived():
    progress = start_pip.Progress(None)
    said = [progress.read(line)[0] for line in NEW.splitlines()]
    assert "1 of 3: pandas 3.1.1, 6.2 of 12.4 MB" in said
    assert said[0] == "looking for packages: pandas"


def test_lines_that_are_not_known_change_nothing():
    strange = [
        "",
        "Collecting",
        "Downloading",
        "Progress 1 of 0",
        "Progress x",
        "\x1b[31mhm\x1b[0m",
    ]
    assert begun("\n".join(strange), 5) == []


def test_a_terminal_rewrites_one_line(monkeypatch):
    monkeypatch.setenv("COLUMNS", "31")
    line = start_pip.Line(terminal := Terminal())
    line.show("a first text that is far too long", lasting=False)
    line.show("a second", lasting=True)
    line.leave("ERROR: no room\n")
    line.leave()
    written = terminal.getvalue()
    first, second = written.split("\r")[1:]
    assert first == "loupe: a first text that is fa"
    assert second == f"{'loupe: a second':30}\nERROR: no room\n"


def test_elsewhere_a_line_follows_another():
    line = start_pip.Line(file := io.StringIO())
    line.show("a passing text", lasting=False)
    line.show("a package", lasting=True)
    line.leave()
    assert file.getvalue() == "loupe: a package\n"


def write_wheel(folder: Path, name: str, *needs: str) -> None:
    """Write the smallest wheel that pip installs."""
    info = f"{name}-1.0.dist-info"
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0"]
    lines += [f"Requires-Dist: {each}" for each in needs]
    files = {
        f"{name}.py": "",
        f"{info}/METADATA": "\n".join(lines) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        for path, text in (*files.items(), (f"{info}/RECORD", record)):
            wheel.writestr(path, text)


@pytest.fixture
def wheels(tmp_path):
    """Write a folder of wheels; return a new site folder and pip's options to install into it."""
    write_wheel(tmp_path, "loupe_first", "loupe-second")
    write_wheel(tmp_path, "loupe_second")
    site = tmp_path / "site"
    return site, ["--isolated", "--no-index", f"--find-links={tmp_path}", f"--target={site}"]


def test_pip_installs_a_folder_of_wheels_with_its_progress_shown(wheels, capfd):
    site, options = wheels
    assert start_pip.run_pip([sys.executable], site, [*options, "loupe-first"], 2) == 0
    assert (site / "loupe_second.py").is_file()
    assert capfd.readouterr().err.splitlines() == [
        "loupe: 1 of about 2: loupe-first 1.0",
        "loupe: 2 of about 2: loupe-second 1.0",
        "loupe: everything is downloaded; installing 2 packages",
    ]


def test_what_pip_misses_is_its_last_word_and_its_status(wheels, capfd):
    site, options = wheels
    assert start_pip.run_pip([sys.executable], site, [*options, "loupe-third"]) == 1
    assert "No matching distribution found for loupe-third" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("versions", "bar"), [(["23.2.1"], "off"), (["24.2"], "raw"), (["25.0b1"], "raw"), ([], "off")]
)
def test_only_a_pip_that_knows_it_is_asked_for_its_bytes(versions, bar, tmp_path):
    site = tmp_path / "site-packages"
    for version in versions:
        (site / f"pip-{version}.dist-info").mkdir(parents=True)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/asked\n')
    program.chmod(0o700)
    assert start_pip.run_pip([str(program)], site, ["one"]) == 0
    asked = (tmp_path / "asked").read_text().split()
    assert asked[asked.index("--progress-bar") + 1] == bar
    assert asked[-1] == "one"


def test_installed_packages_are_told_by_their_folders(tmp_path, monkeypatch):
    """The pip here is a program that installs one package and waits for a signal file."""
    site, told = tmp_path / "site", tmp_path / "told"
    code = (
        "import pathlib, time\n"
        "print('Installing collected packages: a-b, c', flush=True)\n"
        f"pathlib.Path({str(site)!r}, 'a_b-1.2.dist-info').mkdir(parents=True)\n"
        f"while not pathlib.Path({str(told)!r}).exists(): time.sleep(0.01)\n"
    )

    class Telling(Terminal):
        def write(self, text: str) -> int:
            if "1 of 2 installed: a-b 1.2" in text:
                told.touch()
            return super().write(text)

    monkeypatch.setattr(start_pip.sys, "stderr", Telling())
    assert start_pip.run_pip([sys.executable, "-c", code], site, []) == 0
    assert told.exists()


def test_the_locks_count_about_what_comes():
    for build, size in (("cpu", 2), ("cuda", 20)):
        locks = [start.HERE / "requirements.lock", start.HERE / f"requirements-{build}.lock"]
        lines = [line for lock in locks for line in lock.read_text("utf-8").splitlines()]
        names = {line.partition("==")[0] for line in lines if line[:1].isalnum()}
        assert start_pip.count_locked(*locks) == len(names) > size
    assert start_pip.count_locked(locks[0], start.HERE / "no.lock") is None


def test_the_size_is_said_beforehand():
    assert "about 0.4 GB to download, about 3 minutes" in start_pip.download(
        "requirements.txt", is_small=True
    )
    assert "about 3.0 GB" in start_pip.download("requirements.txt", is_small=False)
