"""What people read is free of the constructions that made readers start a sentence again.

Each pattern is one that reads as translated in this project. A line that needs it all the same is
listed in `KEPT`, with the reason.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsing import ROOT

PATTERNS = {
    r"\bof (yours|ours|others)\b(?!')": "your models, other people's models",
    r"\bstands? (in(?! for)|on|at|under|behind|beside|before|there|here|nowhere|for itself)\b": (
        "is, is listed, appears"
    ),
    r"(?<!there )(?<!There )\b(is|are) no (?!longer\b|more\b|one\b|other\b|less\b)[a-z]+": "is not a",
    r"\b(goes|go|going|went) on\b(?! (a|an|the|to)\b)": "continue",
    r"\b(by lot|come by|anew|in vain|some thirty|mended)\b": "at random, again, repaired",
    r"(?:^|[.!?:;] )(Of (an?|the|any|its|each|all) [^?]*?\b(is|are|has|have|shows?)\b|Who(ever)? [^?]*$)": (
        "name the actor, and put the subject first"
    ),
    r"\b[Ww]here (there|none|nothing|nobody) (is|are|was|were)\b": "if there is",
    r"\d %|\} %": "English sets no space before %",
}
KEPT: dict[str, str] = {}
"""Lines, or parts of them, that one of the patterns finds wrongly; and why they stay."""


def documents() -> Iterator[tuple[str, str]]:
    """The paragraphs of the documents, without their code."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    for path in [*paths, ROOT / "sample_data/README.md", ROOT / "qa/benchmarks/README.md"]:
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text("utf-8"), flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`", "`code`", text)
        for paragraph in re.split(r"\n\s*\n|\n(?= *[-|#\d])", text):
            yield str(path.relative_to(ROOT)), paragraph


def texts_of_pages() -> Iterator[tuple[str, str]]:
    """The English texts of the app."""
    yield from strings_in(json.loads((ROOT / "texts/en.json").read_text("utf-8")), "texts/en.json")


def lessons() -> Iterator[tuple[str, str]]:
    """The English texts of the lessons and the ready lectures."""
    for path in ROOT.glob("sample_data/lessons/*.toml"):
        for place, text in strings_in(tomllib.loads(path.read_text("utf-8")), path.name):
            if place.endswith(".en"):
                yield place, text
    for path in ROOT.glob("sample_data/decks/en/*.json"):
        yield from strings_in(json.loads(path.read_text("utf-8")), path.name)


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of modules, classes, functions and attributes."""
    for path in [*ROOT.glob("loupe/**/*.py"), *ROOT.glob("model/**/*.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                if isinstance(text := node.value.value, str):
                    place = f"{path.relative_to(ROOT)}:{node.lineno}"
                    text = re.sub(r"`[^`\n]*`", "`code`", text)
                    for paragraph in re.split(r"\n\s*\n|\n(?= +\w+:)", text):
                        yield place, paragraph


def strings_in(value: object, place: str) -> Iterator[tuple[str, str]]:
    """All strings of nested data, each with its path."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from strings_in(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from strings_in(inner, f"{place}.{number}")


def found_in(text: str) -> Iterator[str]:
    """What the patterns find in a text, with the advice."""
    line = " ".join(text.split())
    for kept in KEPT:
        line = line.replace(kept, "")
    for pattern, advice in PATTERNS.items():
        for match in re.finditer(pattern, line):
            around = line[max(match.start() - 40, 0) : match.end() + 40]
            yield f"“…{around}…” ({advice})"


@pytest.mark.parametrize("source", [documents, texts_of_pages, lessons, docstrings])
def test_nothing_reads_as_translated(source) -> None:
    found = [f"{place}: {each}" for place, text in source() for each in found_in(text)]
    assert found == [], "\n".join(found)
