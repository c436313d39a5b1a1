"""A run lists its skipped tests by reason, and CI runs those that a package unlocks."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.browsing import ROOT
from tests.skips import KEY

TESTS = """
import pytest

pytestmark = pytest.mark.filterwarnings("default")

@pytest.mark.parametrize("n", range(3))
@pytest.mark.skipif(True, reason="no moon tonight")
def test_a(n): ...

def test_b(): pytest.skip("cheese is not installed")

def test_c(): pytest.importorskip("no_such_package")

def test_d(): ...
"""
ALONE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""The environment of a run without other packages' pytest plug-ins, which are slow to import."""
MODULE = 'import pytest\npytest.importorskip("green", reason="green is not installed")\n'


@pytest.fixture(
    scope="module",
    params=[(), pytest.param(("-p", "xdist", "-n", "2"), marks=pytest.mark.slow)],
    ids=["alone", "two processes"],
)
def ran(request, tmp_path_factory) -> tuple[str, dict[str, str]]:
    """Return what a run of some tests prints, and what it caches."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_some.py").write_text(TESTS, "utf-8")
    (folder / "test_green.py").write_text(MODULE, "utf-8")
    hook = "from tests.skips import pytest_terminal_summary as pytest_terminal_summary\n"
    (folder / "conftest.py").write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{hook}")
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *request.param]
    done = subprocess.run(
        [*command, str(folder)], cwd=folder, env=ALONE, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout, json.loads((folder / ".pytest_cache" / "v" / KEY).read_text("utf-8"))


def test_they_are_told_by_their_reasons(ran) -> None:
    told = ran[0].split("skipped tests, by reason")[1]
    lines = re.findall(r"^ +(\d+)  (.*?)  \((.*)\)$", told, re.MULTILINE)
    assert lines[0] == ("3", "no moon tonight", "test_some.py")
    assert ("1", "cheese is not installed", "test_some.py") in lines
    assert ("1", "green is not installed", "test_green.py") in lines
    assert len(lines) == 4
    assert "test_d" not in told


def test_they_are_told_without_a_cache_too(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS, "utf-8")
    plugins = ("-p", "tests.skips", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, str(tmp_path)], cwd=ROOT, env=ALONE, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "no moon tonight" in done.stdout


def test_those_that_a_package_unlocks_are_run(ran, optional) -> None:
    assert sorted(optional["unlocked"](ran[1])) == [
        "test_green.py",
        "test_some.py::test_b",
        "test_some.py::test_c",
    ]


@pytest.fixture
def optional(tmp_path: Path) -> dict[str, Any]:
    names = runpy.run_path(str(ROOT / ".ci" / "optional.py"))
    names["main"].__globals__.update(ROOT=tmp_path, ENVIRONMENT=tmp_path / "environment")
    return names["main"].__globals__


def keep(folder: Path, skipped: dict[str, str]) -> None:
    path = folder / "v" / KEY
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(skipped), "utf-8")


def test_without_a_record_it_says_what_makes_one(optional, capsys) -> None:
    assert optional["main"]() == 1
    assert "python3 start.py test" in capsys.readouterr().err


def test_nothing_is_installed_if_no_package_would_help(optional, tmp_path, capsys) -> None:
    keep(tmp_path / ".pytest_cache", {"tests/a.py::b": "no GPU of NVIDIA here"})
    optional["install"] = lambda: pytest.fail("it installs")
    assert optional["main"]() == 0
    assert "no test was skipped for want of a package" in capsys.readouterr().err


def test_packages_that_cannot_be_installed_are_a_failure_in_words(
    optional, tmp_path, capsys
) -> None:
    keep(tmp_path / ".pytest_cache", {"a": "x is not installed", "b": "y is not installed"})
    optional["LIST"] = tmp_path / "nothing.txt"
    optional["ALONE"] = ()
    assert optional["main"]() == 1
    said = capsys.readouterr().err
    assert "nothing.txt cannot be installed from the index, so 2 tests that need them" in said


@pytest.mark.parametrize(("left", "status"), [({}, 0), ({"a": "its cluster does not start"}, 1)])
def test_a_test_that_stays_skipped_is_a_failure(
    left, status, optional, tmp_path, capsys, monkeypatch
) -> None:
    keep(tmp_path / ".pytest_cache", {"a": "x is not installed"})
    keep(tmp_path / "environment" / "cache", left)
    optional["install"] = lambda: True
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(optional["subprocess"], "run", lambda *_, **__: done)
    assert optional["main"]() == status
    assert ("its cluster does not start" in capsys.readouterr().err) == bool(left)


def test_its_packages_are_those_that_guides_and_extras_name(optional) -> None:
    guide = (ROOT / "docs" / "real-models.md").read_text("utf-8")
    for pin in optional["ALONE"]:
        assert f"pip install --no-deps {pin}" in guide
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [allowed] = map(Requirement, extras["optional-dependencies"]["ray"])
    lines = (ROOT / ".ci" / "optional.txt").read_text("utf-8").splitlines()
    [pin] = [Requirement(line) for line in lines if line.startswith("ray")]
    [version] = pin.specifier
    assert pin.extras == allowed.extras
    assert allowed.specifier.contains(Version(version.version))
