"""Writes `bill.cdx.json`, the bill of materials: every component with version and licence.

Run `python -m release.bill` in an environment that has requirements-dev.txt. The format is
CycloneDX 1.6. Components that the app needs are required, the build of torch for NVIDIA GPUs is
optional, and components that only check the app are excluded. Licences are as each package states
them.
"""

import importlib.metadata
import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).parents[1]
BILL = ROOT / "bill.cdx.json"
REQUIRED, OPTIONAL = ("requirements.lock", "requirements-cpu.lock"), ("requirements-cuda.lock",)
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[\w,]+\])?==([^\s;\\]+)", re.MULTILINE)
_NPM = ROOT / "tests" / "browser" / "package-lock.json"
_VENDOR = ROOT / "viz" / "subjects" / "attention" / "vendor"
TOKENIZERS = "@huggingface/tokenizers"
"""The npm package of which the repository has a copy for its users."""
_VERSION = re.compile(r"v(\d+\.\d+\.\d+)")
_CLASSES = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Licences by their classifier, if that names only one."""
_ELSEWHERE = {
    "colorama": "BSD License",
    "cuda-bindings": "Apache-2.0",
    "cuda-pathfinder": "Apache-2.0",
    "cuda-toolkit": "not stated; it holds nothing but the names of others",
    "httpx2-jsfetch": "BSD-3-Clause",
    "nvidia": "NVIDIA Proprietary Software",
    "nvidia-nvtx": "Apache 2.0",
    "triton": "MIT License",
    "tzdata": "Apache-2.0",
}
"""The stated licences of packages that only machines with an NVIDIA GPU or Windows install."""

Scope = Literal["required", "optional", "excluded"]
Component = dict[str, Any]


def main() -> int:
    """Write the bill; return the exit status."""
    BILL.write_text(json.dumps(make_bill(), indent=1) + "\n", encoding="utf-8")
    return 0


def make_bill() -> dict[str, Any]:
    """Make the bill without a date and with a hash as its number: equal parts give equal bills."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    parts = sorted(
        [*_of_python(), *_of_npm(), *_in_the_repository()],
        key=lambda part: (part["bom-ref"], part["scope"]),
    )
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([project["version"], parts]))
    whole = {
        "type": "application",
        "bom-ref": project["name"],
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "licenses": [{"license": {"id": project["license"]}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {"component": whole},
        "components": parts,
    }


def pins(*names: str) -> set[tuple[str, str]]:
    """Return the names and versions that requirements files pin."""
    return {pin for name in names for pin in PIN.findall((ROOT / name).read_text("utf-8"))}


def _of_python() -> Iterator[Component]:
    seen: set[tuple[str, str]] = set()
    lists: tuple[tuple[Scope, tuple[str, ...]], ...] = (
        ("required", REQUIRED),
        ("optional", OPTIONAL),
        ("excluded", ("requirements-dev.txt",)),
    )
    for scope, names in lists:
        for name, version in sorted(pins(*names) - seen):
            seen.add((name, version))
            yield _component(name, version, f"pkg:pypi/{name}@{version}", _licences(name), scope)


def _of_npm() -> Iterator[Component]:
    for path, entry in json.loads(_NPM.read_text("utf-8"))["packages"].items():
        if not path:  # the list itself
            continue
        name = path.rpartition("node_modules/")[2]
        scope: Scope = (
            "required" if name == TOKENIZERS else "excluded"
        )  # a copy is in the repository
        where = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
        yield _component(name, entry["version"], where, [_named(entry["license"])], scope)


def _in_the_repository() -> Iterator[Component]:
    """List the third-party files in the repository itself."""
    for name, file, licence in (
        ("d3", "d3.min.js", "BSD-3-Clause"),
        ("jquery", "jquery.slim.min.js", "MIT"),
    ):
        version = _VERSION.search((_VENDOR / file).read_text("utf-8")[:300])
        assert version is not None
        where = f"pkg:npm/{name}@{version[1]}"
        yield _component(name, version[1], where, [_named(licence)], "required")


def _component(
    name: str, version: str, where: str, licences: list[Component], scope: Scope
) -> Component:
    package = {"purl": where} if where.startswith("pkg:") else {}
    return {
        "type": "library",
        "bom-ref": where,
        "name": name,
        "version": version,
        "scope": scope,
        "licenses": licences,
        **package,
    }


def _licences(name: str) -> list[Component]:
    """Return the licences of a package, as its own metadata state them."""
    try:
        stated = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        group = _ELSEWHERE.get(name) or _ELSEWHERE.get(name.partition("-")[0])
        if group is None:
            sys.exit(f"{name} is not installed, and its licence not known")
        return [_named(group)]
    if expression := stated.get_all("License-Expression"):
        return [{"expression": expression[0]}]
    classes = _classes(stated.get_all("Classifier") or ())
    if classes:
        return [_named(each) for each in classes]
    [words] = stated.get_all("License") or ["not stated"]
    return [_named(words.strip().splitlines()[0])]


def _classes(classifiers: Iterable[str]) -> list[str]:
    parts = [each.split(" :: ") for each in classifiers if each.startswith("License :: ")]
    return [found[-1] for found in parts if len(found) > 2]


def _named(licence: str) -> Component:
    """Name a licence by its identifier if it has one, else in the words of its package."""
    known = _CLASSES.get(licence, licence)
    if " OR " in known or " AND " in known:
        return {"expression": known}
    kind = "id" if known in _IDENTIFIERS else "name"
    return {"license": {kind: known}}


_IDENTIFIERS = {*_CLASSES.values(), "BSD-3-Clause"}


if __name__ == "__main__":
    sys.exit(main())
