"""Each workflow has a time limit, and runs existing commands with options they accept."""

import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

import start_options
from tests.browsing import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
INSTALLED = {"build", "pip", "playwright", "pytest", "sphinx", "twine", "venv"}
"""Modules of Python packages that a workflow or a script of `.ci` may run."""
PYTHONS = {"python", "python3", ".venv/bin/python"}


def read(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text("utf-8"))


def steps_of(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


COMMANDS = [
    pytest.param(line, id=f"{path.stem}: {line[:60]}")
    for path in WORKFLOWS
    for step in steps_of(path)
    for line in step.get("run", "").splitlines()
]


def fault(line: str) -> str | None:
    """Return what a command needs and the repository lacks, or None."""
    line = re.sub(r"\$\{\{.*?\}\}|\$\{[^}]*\}", "value", line)  # as if a variable were empty
    program, *rest = shlex.split(line)
    if program not in PYTHONS:
        path = ROOT / program
        return None if path.is_file() and os.access(path, os.X_OK) else f"no program {program}"
    if rest[0] == "-m":
        module = rest[1]
        if module not in INSTALLED and (find_spec(module) is None or not is_own(module)):
            return f"no module {module}"
    elif not (ROOT / rest[0]).is_file():
        return f"no file {rest[0]}"
    for option, value in pairwise(rest):
        if option == "-r" and not (ROOT / value).is_file():
            return f"no list {value}"
    if rest[0] == "start.py" and rest[1:2] != ["test"]:
        start_options.read_options([each for each in rest[1:] if each != "value"])
    return None


def is_own(module: str) -> bool:
    return (ROOT / module.partition(".")[0]).is_dir()


@pytest.mark.parametrize("line", COMMANDS)
def test_a_workflow_runs_what_the_repository_has(line: str) -> None:
    assert fault(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "python3 begin.py test",
        "python -m qa.nothing guides",
        "python -m json.tool",
        ".ci/runs",
        "python -m pip install -r docs/nothing.txt",
    ],
)
def test_a_command_that_is_not_there_is_found(line: str) -> None:
    assert fault(line)


def test_an_option_that_is_not_there_is_found() -> None:
    with pytest.raises(SystemExit):
        fault("python3 start.py --instal")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_bounded_and_starts_by_hand(path: Path) -> None:
    flow = read(path)
    assert flow["name"] == path.stem
    assert set(flow[True]) == {"workflow_dispatch"}  # YAML reads `on` as true
    assert "contents" in flow["permissions"]
    assert flow["permissions"]["contents"] == "read"
    assert "group" in flow["concurrency"]
    for job in flow["jobs"].values():
        assert 0 < job["timeout-minutes"] <= 180


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_major_version(path: Path) -> None:
    for each in uses_of(path):
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", each)
    versions = {tuple(each.split("@")) for flow in WORKFLOWS for each in uses_of(flow)}
    assert len({name for name, _ in versions}) == len(versions)  # one version of each action


def uses_of(path: Path) -> list[str]:
    return [step["uses"] for step in steps_of(path) if "uses" in step]


def test_only_a_person_publishes() -> None:
    for name in ("docs", "wheel"):
        job = read(FOLDER / f"{name}.yml")["jobs"]["publish"]
        assert job["if"] == "github.event_name == 'workflow_dispatch' && inputs.publish"
        assert job["permissions"]["id-token"] == "write"
        inputs = read(FOLDER / f"{name}.yml")[True]["workflow_dispatch"]["inputs"]
        assert inputs["publish"]["default"] is False


def test_the_tests_run_on_three_systems_with_the_oldest_and_the_newest_python() -> None:
    jobs = read(FOLDER / "tests.yml")["jobs"]
    about = (ROOT / "pyproject.toml").read_text()
    oldest = re.search(r'requires-python = ">=([\d.]+)"', about)
    assert oldest
    newest = re.findall(r'"Programming Language :: Python :: ([\d.]+)"', about)[-1]
    for job in jobs.values():
        assert job["strategy"]["matrix"]["python"] == [oldest[1], newest]
    assert jobs["desktop"]["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]


@pytest.mark.parametrize("name", ["run", "wheel"])
def test_the_scripts_of_ci_parse(name: str) -> None:
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / name)], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="makes a script for a shell")
def test_a_browser_with_spaces_in_its_name_gets_one_that_the_tests_know(tmp_path: Path) -> None:
    found = find_on_path()
    browser = tmp_path / "Chromium for Testing"
    browser.write_text('#!/bin/sh\necho "asked: $*"\n')
    browser.chmod(0o755)
    folder = found(browser, tmp_path / "made")
    done = subprocess.run([folder / "chromium", "--a b"], capture_output=True, text=True)
    assert done.stdout == "asked: --a b\n"
    chrome = tmp_path / "chrome-win" / "chrome.exe"
    assert found(chrome, tmp_path / "made") == chrome.parent


def find_on_path() -> Any:
    names: dict[str, Any] = {"__name__": "browser"}
    exec((ROOT / ".ci" / "browser.py").read_text("utf-8"), names)
    return names["on_path"]
