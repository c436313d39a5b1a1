"""What the documents point at is there, and the first of them is short."""

import re
from pathlib import Path

import pytest

from tests.browsing import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_leads_to_a_file(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8"))
    files = [target for target in targets if "://" not in target]
    assert [each for each in files if not (document.parent / each).exists()] == []


def test_the_readme_is_short_and_links_each_guide() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 120
    guides = {path.name for path in ROOT.glob("docs/*.md")}
    assert guides == {target for target in guides if f"(docs/{target})" in text}


def test_the_map_of_the_house_names_what_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:loupe|model|qa|sample_data|tests|texts|viz)/[\w./-]+)`", text))
    named = {one for one in named if "NAME" not in one and "PICTURE" not in one}
    assert named
    assert {one for one in named if not (ROOT / one).exists()} == set()
