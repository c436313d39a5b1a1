"""Limits how many lines of the project a module reaches, and how small a module may be."""

import ast
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("model", "viz", "sample_data", "texts", "loupe")
MOST = {
    "viz.run.view": 5_000,
    "viz.address.link": 5_000,
    "viz.address.history": 3_000,
}
MOST_OF_A_PAGE = 12_000
"""The most lines that the median page may reach."""
SMALL, SMALL_SECTION, LARGE = 50, 30, 300
"""A module, or a section, with fewer lines belongs in its caller; the most lines of a file."""
IN_EACH_ROOM = ("__init__", "__main__", "actions", "as_python", "cache", "figures", "page", "wire")
STAYS_SMALL = {
    "sample_data.everyday.phrases": "each table of words has a module that reads it",
    "viz.subjects.mattered.wire_measures": "a wire of a subject that has two",
    "viz.subjects.training.worker": "runs as a process",
}
"""Small modules with one caller, and why each is a file of its own."""


@cache
def modules() -> dict[str, Path]:
    """Return the files of the project's packages, by the names of their modules."""
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def loaded(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run when a module is loaded."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from loaded(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                yield from loaded(getattr(node, name, []))


def named(node: ast.AST) -> set[str]:
    """Return the names in an import: modules, and possibly names inside modules."""
    if isinstance(node, ast.ImportFrom):
        assert not node.level, f"a relative import of {node.module}"
        base = node.module or ""
        return {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


@cache
def imported(module: str) -> frozenset[str]:
    """Return the project's modules that a module imports, and the packages around them."""
    nodes = loaded(ast.parse(modules()[module].read_text("utf-8")).body)
    parts = [name.split(".") for node in nodes for name in named(node)]
    around = {".".join(each[: i + 1]) for each in parts for i in range(len(each))}
    return frozenset(around & modules().keys())


def length(module: str) -> int:
    return len(modules()[module].read_text("utf-8").splitlines())


def reach(module: str) -> int:
    """Count the lines of a module and of all that it imports, directly or not."""
    seen, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imported(name)
    return sum(map(length, seen))


@pytest.mark.parametrize("module", MOST)
def test_a_module_reaches_few_lines(module: str):
    assert reach(module) <= MOST[module]


def test_a_page_reaches_few_lines():
    pages = [
        name
        for name in modules()
        if name.startswith("viz.subjects.") and name.endswith(".page") and name.count(".") == 3
    ]
    assert len(pages) > 10
    assert statistics.median(map(reach, pages)) <= MOST_OF_A_PAGE


def callers() -> dict[str, set[str]]:
    """Map each module to the modules that import it, on loading or later."""
    others = [ROOT / "app.py", *(ROOT / "qa").rglob("*.py")]
    found: dict[str, set[str]] = {name: set() for name in modules()}
    for name, path in (*modules().items(), *((str(path), path) for path in others)):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for each in named(node) & found.keys():
                found[each].add(name)
    return found


def belongs_in(module: str, caller: str) -> bool:
    """Return whether a module is too small to be a file beside its only caller."""
    path = modules()[module]
    return (
        path.stem not in IN_EACH_ROOM
        and length(module) < (SMALL_SECTION if path.parent.name == "sections" else SMALL)
        and length(module) + length(caller) <= LARGE
        and module.split(".")[:2] == caller.split(".")[:2]
    )


def test_a_small_module_with_one_caller_is_in_its_caller():
    alone = {name: of.pop() for name, of in callers().items() if len(of) == 1}
    pairs = {name: caller for name, caller in alone.items() if caller in modules()}
    assert {name for name in pairs if belongs_in(name, pairs[name])} == STAYS_SMALL.keys()
