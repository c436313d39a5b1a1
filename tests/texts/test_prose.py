"""Python code contains no sentences for users; it names each text by its key."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import get_args

from tests.texts.found import ROOT
from viz.frame.source_texts import FIRST_TEXTS
from viz.lessons.lesson import Compared, Count, HeadName, Number

WATCHED = ("viz", "sample_data/tasks.py", "sample_data/one_text/tasks.py")
NOT_SHOWN = {
    "__main__.py",
    "as_python.py",
    "bertviz_view.py",
    "build.py",
    "bundle.py",
    "component.py",
    "frame.py",
    "latex.py",
    "policy.py",
    "scheme.py",
    "browser_modules.py",
    "standalone.py",
}
"""Files with code for a browser or a console, or with formulas."""
FOR_MODELS = {"sheet.py", "provenance.py", "tensors.py"}
"""Files with a style sheet, or with metadata for saved files."""
PROSE = re.compile(r"[A-Za-z’']{2,},? [a-z’']{1,}[ ,.;:?!]|^[A-Z][a-z]+( [a-z]+)*[.?!:…]?$")
"""Three words in a row, or a label."""
TAGS = re.compile(r"<style>.*</style>|<[^<>]*>", re.DOTALL)
NAMES = {
    *("Adjective", "Beam", "Fields", "Given", "Greedy", "Infinity", "Mode", "Noun", "Plan"),
    *("Allow", "Connection", "English", "Inputs", "Leak", "Loupe", "Sampling", "Scene", "Scores"),
    *("Source", "Space", "Switches", "Target", "Vary"),
    *chain.from_iterable(map(get_args, (HeadName, Number, Count, Compared))),
    "Stage by stage",
    "Every head in numbers",
    "No causal mask",
    *FIRST_TEXTS.values(),
}
"""Strings that name types, or that links, lesson files or heads' jobs use."""
FOR_PROGRAMMERS = {
    *("ValueError", "TypeError", "AssertionError", "RuntimeError", "KeyError", "TypeVar", "cast"),
    *("loads", "warning", "info", "debug", "error", "compile", "filterwarnings", "_classes"),
    *("add_argument", "ArgumentParser", "code", "LookupError", "RayMissingError"),
    *("SiteError", "BrowserModelError", "PluginError"),
}
"""Functions whose texts no page shows: errors of code, logs, patterns, commands."""
FIELDS = {"examples", "beyond", "source_language", "target_language", "failed"}
"""Arguments that hold model input, names, or the output of a command."""


def prose(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    apart = [node for node in ast.walk(tree) if is_skipped(node)]
    apart += [kind for node in ast.walk(tree) for kind in annotations(node)]
    skipped = {id(part) for node in apart for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (v.value if isinstance(v, ast.Constant) else "x" for v in node.values)
            text = "".join(map(str, parts))
            skipped.update(id(value) for value in node.values if isinstance(value, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if id(node) not in skipped and text not in NAMES and PROSE.search(TAGS.sub("", text)):
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {text[:60]}"


def annotations(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the type annotations of a part of the code, which may be quoted."""
    for name in ("annotation", "returns"):
        if kind := getattr(node, name, None):
            yield kind


def is_skipped(node: ast.AST) -> bool:
    """Return whether a part of the code contains no text for the app's users."""
    match node:
        case ast.Expr(value=ast.Constant()):  # a docstring
            return True
        case ast.keyword(arg=name):
            return name in FIELDS
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in FOR_PROGRAMMERS
        case ast.Subscript(value=ast.Name() | ast.Attribute()):  # a shape, or a type in quotes
            return True
    return False


def watched() -> Iterator[Path]:
    for name in WATCHED:
        place = ROOT / name
        yield from [place] if place.is_file() else sorted(place.rglob("*.py"))


def test_no_sentence_stands_in_python():
    unshown = NOT_SHOWN | FOR_MODELS
    found = [line for path in watched() if path.name not in unshown for line in prose(path)]
    assert found == []
