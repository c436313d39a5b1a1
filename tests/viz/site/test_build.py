"""The files of a site: all that its pages request, a policy, and not too many bytes."""

import html
import json
import re

import pytest

from tests.checkpoints import SHIPPED
from viz.frame import styles
from viz.site import build
from viz.site.__main__ import main
from viz.site.build import LESSONS, PAGES, Shared, one_file, site_files

NAME = "everyday-paper-0"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return site_files([NAME], ("en", "fr"))


@pytest.fixture(scope="module")
def alone() -> bytes:
    """Build a site in one file."""
    return one_file(NAME, ("en",))


def test_each_page_asks_for_files_that_are_there(files: dict[str, bytes]):
    for path in (*PAGES, LESSONS):
        text = files[f"{path}/index.html" if path else "index.html"].decode()
        asked = re.findall(r'(?:href|src)="([^"]+)"', text)
        assert len(asked) == 4
        for address in asked:
            assert ("../" in address) == bool(path)
            assert address.removeprefix("../").removeprefix("./") in files
    assert files[f"models/{NAME}"] == (SHIPPED / f"{NAME}.safetensors").read_bytes()


@pytest.mark.slow
def test_the_whole_is_under_three_megabytes(files: dict[str, bytes], alone: bytes):
    assert sum(map(len, files.values())) < 3_000_000
    assert len(alone) < 3_000_000


def test_it_keeps_every_file_and_is_another_version_when_one_changes(files: dict[str, bytes]):
    code = files["offline.js"].decode()
    found = re.search(r"const FILES = (\[.*?\]);", code)
    assert found
    kept = {re.sub(r"^$|/$", r"\g<0>index.html", path[2:]) for path in json.loads(found[1])}
    others = {path: data for path, data in files.items() if path != "offline.js"}
    assert kept == others.keys()
    assert build._offline(others) == code
    other = build._offline(others | {"index.html": b"changed"})
    assert re.findall(r"loupe-\w{16}", code) != re.findall(r"loupe-\w{16}", other)


@pytest.mark.slow
def test_no_script_but_its_own_runs(files: dict[str, bytes], alone: bytes):
    for text in (files["index.html"].decode(), alone.decode()):
        found = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
        assert found
        rules = html.unescape(found[1]).split("; ")
        scripts = next(rule for rule in rules if rule.startswith("script-src"))
        assert scripts.endswith(" 'wasm-unsafe-eval'")
        assert scripts.count("unsafe") == 1
        assert "default-src 'none'" in rules
        assert not any("http" in rule for rule in rules)


def test_the_style_of_pages_outside_the_app_is_their_own():
    assert not {"site.css", "alone.css"} & {path.name for path in styles._sheets()}


def test_a_small_model_of_another_kind_has_the_pages_that_show_it():
    code = site_files(["brackets"], ("en",))["site.js"].decode()
    assert '"pages":["attention","map","decoding"]' in code


def test_a_shared_link_has_a_description_and_with_an_address_a_picture():
    shared = Shared("https://example.org/loupe", 'https://example.org/"code"')
    made = site_files([NAME], ("fr", "en"), shared=shared)
    page = made["map/index.html"].decode()
    assert "<title>Plan – Loupe</title>" in page
    assert '<meta property="og:url" content="https://example.org/loupe/map/">' in page
    assert '<meta property="og:image" content="https://example.org/loupe/preview.jpg">' in page
    assert 'name="description" content="Tapez une phrase.' in page
    assert made["preview.jpg"][:3] == b"\xff\xd8\xff"  # the first bytes of a JPEG
    assert '"home":"https://example.org/\\"code\\""' in made["site.js"].decode()


def test_without_an_address_no_page_names_one(files: dict[str, bytes]):
    assert "preview.jpg" not in files
    assert "og:image" not in files["index.html"].decode()
    assert "og:description" in files["index.html"].decode()


@pytest.mark.parametrize("wrong", ["javascript:alert(1)", "example.org", "https://", "/loupe"])
def test_what_is_not_an_address_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["out", "--address", wrong])
    assert "must be an address such as https://example.org/loupe/" in capsys.readouterr().err
