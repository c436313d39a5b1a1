"""The lists of a release agree: requirements, locks, bill of materials and metadata."""

import ast
import json
import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from release import bill, lock
from tests.browsing import ROOT
from viz.run.version import version

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
SHOWN = ("app", "bertviz")
"""The extras that the README's command installs."""
LOCKS = [path.name for path in (lock.LOCK, lock.CPU, lock.CUDA)]


def requirements(name: str) -> dict[str, Requirement]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    found = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {canonicalize_name(each.name): each for each in found}


def locked(name: str) -> list[tuple[Requirement, list[str]]]:
    """Read the entries of a lock file: each pinned package and the hashes of its files."""
    whole = re.sub(r"^#.*\n", "", (ROOT / name).read_text("utf-8")).replace(" \\\n    ", " ")
    entries = [line.split(" --hash=") for line in whole.splitlines()]
    return [(Requirement(first), hashes) for first, *hashes in entries]


@pytest.mark.parametrize("name", LOCKS)
def test_each_file_of_a_lock_is_known_by_its_hash(name: str) -> None:
    entries = locked(name)
    assert entries
    for pin, hashes in entries:
        assert str(pin.specifier).startswith("=="), pin
        assert hashes, pin
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes)
        assert len(set(hashes)) == len(hashes)


def test_what_is_required_is_locked_at_its_version() -> None:
    pinned = requirements("requirements.txt")
    for kind in (lock.CPU, lock.CUDA):
        held = {(pin.name, str(pin.specifier)) for pin, _ in locked(lock.LOCK.name)}
        held |= {(pin.name, str(pin.specifier)) for pin, _ in locked(kind.name)}
        assert {(name, str(one.specifier)) for name, one in pinned.items()} <= held


def test_the_two_builds_of_torch_share_no_file_on_linux() -> None:
    [usual] = [hashes for pin, hashes in locked(lock.CUDA.name) if pin.name == "torch"]
    elsewhere, without = (hashes for _, hashes in locked(lock.CPU.name))
    assert elsewhere == usual  # macOS and Windows have only one build
    assert not set(without) & set(usual)
    assert "torch" not in {pin.name for pin, _ in locked(lock.LOCK.name)}


def test_the_ranges_of_the_wheel_hold_what_the_tests_ran_with() -> None:
    wanted = [*PROJECT["dependencies"], *(one for name in SHOWN for one in EXTRAS[name])]
    ranges = {canonicalize_name(one.name): one for one in map(Requirement, wanted)}
    pinned = requirements("requirements.txt")
    assert ranges.keys() == pinned.keys()
    held = pinned | requirements("requirements-dev.txt")
    for one in map(Requirement, [*wanted, *EXTRAS["huggingface"], *EXTRAS["notebook"]]):
        [pin] = held[canonicalize_name(one.name)].specifier
        assert one.specifier.contains(Version(pin.version)), one


def imported() -> dict[str, set[str]]:
    """Return the imported packages, each with the folders that import it."""
    own = {"loupe", "model", "viz", "sample_data", "texts"}
    found: dict[str, set[str]] = defaultdict(set)
    for path in (path for folder in own for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            for name in (name.partition(".")[0] for name in names):
                if name not in own | sys.stdlib_module_names:
                    found[name].add(path.relative_to(ROOT).parts[0])
    return found


@pytest.mark.slow
def test_every_imported_package_is_declared() -> None:
    extras = {one for name in EXTRAS for one in EXTRAS[name]}
    core, all_of_them = (
        {canonicalize_name(one.name) for one in map(Requirement, wanted)}
        for wanted in (PROJECT["dependencies"], {*PROJECT["dependencies"], *extras})
    )
    by_module = packages_distributions() | {"ray": ["ray"], "webview": ["pywebview"]}
    found = imported()
    for module, folders in found.items():
        names = {canonicalize_name(name) for name in by_module[module]}
        assert names & all_of_them, f"{module}, imported in {folders}"
    assert {name for name in core if name not in found} == set()


def test_the_versions_of_python_are_those_of_the_locked_builds_of_torch() -> None:
    prefix = "Programming Language :: Python :: 3."
    named = [each.removeprefix(prefix) for each in PROJECT["classifiers"] if prefix in each]
    oldest = PROJECT["requires-python"].removeprefix(">=3.")
    assert named == [str(int(oldest) + i) for i in range(len(named))]
    _, (_, builds) = locked(lock.CPU.name)
    assert len(builds) == 2 * len(named)  # for two processor types


def test_all_extras_are_in_all() -> None:
    [whole] = map(Requirement, EXTRAS["all"])
    assert whole.name == PROJECT["name"]
    assert whole.extras == EXTRAS.keys() - {"all"}


def test_the_bill_names_every_package_at_its_version() -> None:
    parts = json.loads(bill.BILL.read_text("utf-8"))["components"]
    named = {(part["name"], part["version"]) for part in parts}
    for name in (*LOCKS, "requirements-dev.txt"):
        assert bill.pins(name) <= named, name
    assert {pin.name for pin, _ in locked(lock.LOCK.name)} <= {name for name, _ in named}
    assert {"typescript", "axe-core", "d3", "jquery"} <= {name for name, _ in named}
    assert {part["scope"] for part in parts if part["name"] == bill.TOKENIZERS} == {"required"}
    assert all(part["licenses"] for part in parts)


def test_the_bill_is_the_one_that_the_command_writes(monkeypatch) -> None:
    # Licences are read from installed packages, which differ between machines.
    monkeypatch.setattr(bill, "_licences", lambda _name: [])
    written = json.loads(bill.BILL.read_text("utf-8"))
    made = bill.make_bill()
    for whole in (written, made):
        whole.pop("serialNumber")
        for part in whole["components"]:
            part.pop("licenses")
    assert made == written


def test_the_newest_entry_of_the_changelog_is_the_version() -> None:
    told = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(
        r"^## \[(\d+\.\d+\.\d+(?:rc\d+)?)\] - (\d{4}-\d{2}-\d{2})$", told, re.MULTILINE
    )
    assert versions[0][0] == PROJECT["version"] == version()
    assert [each for each, _ in versions] == sorted(
        (each for each, _ in versions), key=Version, reverse=True
    )
