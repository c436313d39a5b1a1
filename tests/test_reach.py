"""Holds how many lines of the project a module reaches through its imports."""

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
"""At the median of all pages."""


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


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules of the project that a module imports, and the packages around them."""
    named: set[str] = set()
    for node in loaded(ast.parse(modules()[module].read_text("utf-8")).body):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import"
            base = node.module or ""
            named |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        else:
            named |= {alias.name for alias in node.names}
    parts = [name.split(".") for name in named]
    around = {".".join(each[: i + 1]) for each in parts for i in range(len(each))}
    return frozenset(around & modules().keys())


def reach(module: str) -> int:
    """Count the lines of a module and of all that it imports."""
    seen, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imported(name)
    return sum(len(modules()[name].read_text("utf-8").splitlines()) for name in seen)


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
