"""The site of the guides is built, refuses a broken link, and requests nothing from other hosts."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from qa.audit.browser import serve_files
from qa.docs_site.__main__ import REQUIREMENTS
from tests.browsing import ROOT, open_context

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, ("sphinx", "furo", "myst_nb"))),
        reason=f"the generator of the guides is not installed: {REQUIREMENTS}",
    ),
]


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "qa.docs_site", str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def guides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guides")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_each_guide_has_a_page_and_a_place_in_the_sidebar(guides: Path) -> None:
    first = (guides / "index.html").read_text("utf-8")
    sources = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").glob("*.ipynb")]
    for source in sources:
        page = source.relative_to(ROOT).with_suffix(".html").as_posix()
        assert (guides / page).is_file()
        if "decisions/" not in page and page != "README.html":
            assert f'href="{page}"' in first
    assert 'id="loupe-trace"' in (guides / "docs" / "api.html").read_text("utf-8")


def test_no_page_asks_another_host(guides: Path) -> None:
    asks = re.compile(r"""<(?!a\b)[^>]*?\b(?:src|href)=["'](?:\w+:)?//|url\(["']?(?:https?:)?//""")
    pages = [*guides.rglob("*.html"), *guides.rglob("*.css")]
    assert len(pages) > 60
    assert [page for page in pages if asks.search(page.read_text("utf-8"))] == []


def test_a_link_or_an_anchor_that_leads_nowhere_fails(tmp_path: Path) -> None:
    root = tmp_path / "copy"
    root.mkdir()
    shutil.copytree(ROOT / "qa" / "docs_site", root / "qa" / "docs_site")
    shutil.copytree(ROOT / "docs" / "internals" / "decisions", root / "docs/internals/decisions")
    (root / "README.md").write_text("# First\n\n[decisions](docs/internals/decisions/)\n", "utf-8")
    (root / "qa" / "docs_site" / "conf.py").write_text(
        re.sub(
            r"^CONTENTS = \{.*?^\}",
            'CONTENTS = {"All": ["docs/internals/decisions/README"]}',
            (ROOT / "qa" / "docs_site" / "conf.py").read_text("utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        ),
        "utf-8",
    )
    built = build(root, tmp_path / "whole")
    assert built.returncode == 0, built.stderr
    for name in ("nowhere.md", "README.md#nothing", "#nothing"):
        (root / "more.md").write_text(f"# More\n\n[a page]({name})\n", "utf-8")
        built = build(root, tmp_path / "broken")
        assert built.returncode != 0
        assert "more.md:3" in built.stderr
        assert name.partition("#")[2] or name in built.stderr


@pytest.fixture(scope="module")
def served(guides: Path) -> Iterator[str]:
    with serve_files(guides) as address:
        yield address


def test_it_is_searched_and_read_in_the_dark_without_another_host(
    browser: Browser, served: str
) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        with open_context(browser, color_scheme=scheme) as context:
            page = context.new_page()
            page.goto(f"{served}/index.html")
            grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
            page.get_by_role("textbox", name="Search").first.fill("induction_scores")
            page.keyboard.press("Enter")
            found = page.locator("ul.search a", has_text="API reference").first
            expect(found).to_be_visible()
            found.click()
            expect(page.get_by_role("heading", name="API reference")).to_be_visible()
    assert grounds["light"] != grounds["dark"]


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(browser: Browser, served: str, width: int) -> None:
    with open_context(browser, viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        for name in ("index", "docs/terms", "docs/api", "docs/pronouns", "docs/internals/safety"):
            page.goto(f"{served}/{name}.html")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
