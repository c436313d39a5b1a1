"""The texts that people read contain none of the constructions that made readers stumble.

Each pattern finds one that reads as translated in this project. A line that needs one anyway is
listed in `KEPT`, with the reason.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator

import pytest

from tests.browsing import ROOT

PATTERNS = {
    r"\bof (yours|ours|others)\b(?!')": "your models, other people's models",
    r"\bstands? (in(?! for\b| the way\b)|on|there|here|nowhere|for itself)\b": (
        "is, is listed, appears"
    ),
    r"(?<![Tt]here )\b(is|are) no (?!longer\b|more\b|one\b|other\b|less\b)[a-z]+": "is not a",
    r"\b(goes|go|going|went) on\b(?! (?:a|an|the|to)\b)": "continue",
    r"\b(by lot|come by|anew|in vain|some thirty|mended)\b": "at random, again, repaired",
    r"(?:^|[.!?:;] )Of (?:an?|the|any|its|each|all) [^?.]*\b(?:is|are|has|have|shows?)\b": (
        "put the subject first"
    ),
    r"(?:^|[.!?:;] )Who(?:ever)? [^?.]*(?:\.|$)": "name the actor",
    r"\b[Ww]here (there|none|nothing|nobody) (is|are|was|were)\b": "if there is",
    r"\d %|\} %": "English sets no space before %",
}
KEPT: dict[str, str] = {}
"""Parts of lines that a pattern finds wrongly, and why they stay."""


def documents() -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of the documents, without their code."""
    folders = ("docs", "qa", "sample_data", "tests", "viz")
    inner = [path for folder in folders for path in sorted(ROOT.glob(f"{folder}/**/*.md"))]
    for path in [*ROOT.glob("*.md"), *inner]:
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text("utf-8"), flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`", "`code`", text)
        for paragraph in re.split(r"\n\s*\n|\n(?= *[-|#\d])", text):
            yield str(path.relative_to(ROOT)), paragraph


def texts_of_pages() -> Iterator[tuple[str, str]]:
    """Yield the English texts of the app."""
    yield from strings_in(json.loads((ROOT / "texts/en.json").read_text("utf-8")), "texts/en.json")


def lessons() -> Iterator[tuple[str, str]]:
    """Yield the English texts of the lessons and the ready lectures."""
    for path in ROOT.glob("sample_data/lessons/*.toml"):
        for place, text in strings_in(
            tomllib.loads(path.read_text("utf-8")), f"lessons/{path.name}"
        ):
            if place.endswith(".en"):
                yield place, text
    for path in ROOT.glob("sample_data/decks/en/*.json"):
        yield from strings_in(json.loads(path.read_text("utf-8")), f"decks/{path.name}")


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the docstrings of modules, classes, functions and attributes."""
    for path in [*ROOT.glob("loupe/**/*.py"), *ROOT.glob("model/**/*.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            value = node.value if isinstance(node, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                text = re.sub(r"`[^`\n]*`", "`code`", value.value)
                for paragraph in re.split(r"\n\s*\n|\n(?= +\w+:)", text):
                    yield f"{path.relative_to(ROOT)}:{value.lineno}", paragraph


def strings_in(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield all strings of nested data, each with its path."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from strings_in(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from strings_in(inner, f"{place}.{number}")


def found_in(text: str) -> Iterator[str]:
    """Return the matches of the patterns in a text, with the advice."""
    line = " ".join(text.split())
    for kept in KEPT:
        line = line.replace(kept, "")
    for pattern, advice in PATTERNS.items():
        for match in re.finditer(pattern, line):
            around = line[max(match.start() - 40, 0) : match.end() + 40]
            yield f"“…{around}…” ({advice})"


@pytest.mark.parametrize(
    "text",
    [
        "a folder of yours",
        "the names stand in one list",
        "this is no sentence",
        "the text goes on",
        "one is drawn by lot",
        "Of any module the attention is recorded.",
        "Who reads this finds it.",
        "None where there is none",
        "75 % of the weight",
    ],
)
def test_each_pattern_finds_its_kind(text: str) -> None:
    assert list(found_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "other people's models",
        "`<x1>` stands in for a word, and stands in the way",
        "there is no sentence, and it is no longer one",
        "the lamp goes on the table",
        "Of the 25 findings, three remain.",
        "Who reads this?",
        "75% of the weight",
    ],
)
def test_good_english_passes(text: str) -> None:
    assert list(found_in(text)) == []


@pytest.mark.parametrize("source", [documents, texts_of_pages, lessons, docstrings])
def test_nothing_reads_as_translated(source) -> None:
    found = [f"{place}: {each}" for place, text in source() for each in found_in(text)]
    assert found == [], "\n".join(found)
