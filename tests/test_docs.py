"""The links and names in the documents point at things that exist, and the README is short."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image

from qa.doc_pictures import GALLERY, VIEWS
from tests.browsing import ROOT
from tests.guides import FENCE, blocks_of, differences, run_block
from viz.pages import FIRST, LESSONS, PAGES
from viz.run.version import version

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
    """Return the anchors of a document's headings, as GitHub writes them."""
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


README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_is_short_and_links_the_index() -> None:
    assert len(README.splitlines()) <= 110
    assert "docs/README.md" in links_of(ROOT / "README.md")


def test_the_readme_has_its_two_commands_and_its_picture_before_all_else() -> None:
    first, *_ = FENCE.finditer(README)
    commands = [line.partition("#")[0].strip() for line in first[2].splitlines()]
    assert commands == ["python3 start.py", "python3 start.py test"]
    picture = README.index('<img src="docs/touch.gif"')
    assert picture < first.start()


def test_the_python_of_the_readme_prints_what_it_shows() -> None:
    [block] = blocks_of(README)
    assert block.shown is not None
    assert differences(run_block(block.code, {}, "README.md"), block.shown) == []


def test_the_moving_picture_is_small_and_lasts_ten_seconds() -> None:
    path = DOCS / "touch.gif"
    assert path.stat().st_size < 1.5e6
    with Image.open(path) as picture:
        times = []
        for frame in range(picture.n_frames):
            picture.seek(frame)
            times.append(picture.info["duration"])
    assert 9_000 <= sum(times) <= 12_000  # milliseconds
    assert times[-1] >= 2_000  # the last frame stays before the picture starts again


def test_the_gallery_shows_each_page_once() -> None:
    text = (DOCS / "gallery.md").read_text("utf-8")
    shown = re.findall(r"^!\[\S.*\]\(gallery/(\w+)\.webp\)$", text, re.MULTILINE)
    assert shown == list(VIEWS)
    pages = {urlsplit(view.link).path or FIRST.URL for view in VIEWS.values()}
    assert {page.URL for page in PAGES} - {LESSONS.URL} <= pages  # a lesson opens on another page
    files = sorted(path.name for path in GALLERY.iterdir())
    assert files == sorted(f"{name}.webp" for name in VIEWS)
    assert sum(path.stat().st_size for path in GALLERY.iterdir()) < 2.5e6


def test_the_citation_names_the_version_and_its_day() -> None:
    lines = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    given = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: \S", line))
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    [day] = re.findall(rf"^## \[{re.escape(version())}\] - (\S+)$", changes, re.MULTILINE)
    assert (given["version"], given["date-released"]) == (version(), day)
    assert given["cff-version"] == "1.2.0"
    assert {"message", "title", "license"} <= given.keys()


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


def test_the_messages_that_troubleshooting_quotes_are_those_of_the_code() -> None:
    quoted = re.findall(r"“([^”]+)”", (DOCS / "troubleshooting.md").read_text("utf-8"))
    assert len(quoted) > 5
    sources = [ROOT / "start.py", ROOT / "texts" / "en.json", *ROOT.glob("loupe/**/*.py")]
    code = " ".join("\n".join(path.read_text("utf-8") for path in sources).split())
    code = code.replace('" "', "")  # join strings that are split in two parts
    of_streamlit = "Port 8501 is not available"
    assert [each for each in quoted if each not in code and each != of_streamlit] == []
