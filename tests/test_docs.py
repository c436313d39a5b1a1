"""What the documents point at is there, and the first of them is short."""

import re
from pathlib import Path

import pytest

from tests.browsing import ROOT

DOCS = ROOT / "docs"
DOCUMENTS = [
    *(
        ROOT / name
        for name in (
            "README.md",
            "CONTRIBUTING.md",
            "sample_data/README.md",
            "qa/benchmarks/README.md",
        )
    ),
    *sorted(DOCS.glob("**/*.md")),
]


def links_of(document: Path) -> list[str]:
    return re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_leads_to_a_file(document: Path) -> None:
    files = [target for target in links_of(document) if "://" not in target]
    assert [each for each in files if not (document.parent / each).exists()] == []


def anchors_of(document: Path) -> set[str]:
    """The names of a document's headings in links, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_to_a_heading_finds_it(document: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", document.read_text("utf-8"))
    missing = [
        (target, anchor)
        for target, anchor in links
        if anchor not in anchors_of(document.parent / target if target else document)
    ]
    assert missing == []


def test_the_readme_is_short_and_links_the_index() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120
    assert "docs/README.md" in links_of(ROOT / "README.md")


def test_the_index_links_each_guide() -> None:
    index = DOCS / "README.md"
    guides = {*DOCS.glob("*.md"), *DOCS.glob("*.ipynb"), *DOCS.glob("internals/*")} - {index}
    assert guides - {DOCS / target.rstrip("/") for target in links_of(index)} == set()


@pytest.mark.parametrize("name", ["internals/architecture.md", "terms.md"])
def test_the_places_that_a_page_names_are_there(name: str) -> None:
    text = (DOCS / name).read_text("utf-8")
    named = set(re.findall(r"`((?:loupe|model|qa|sample_data|tests|texts|viz)/[\w./-]+)`", text))
    named = {one for one in named if "NAME" not in one and "PICTURE" not in one}
    assert named
    assert {one for one in named if not (ROOT / one).exists()} == set()
