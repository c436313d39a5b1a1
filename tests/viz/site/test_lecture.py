"""The lecture of a site: the slides that it shows, the notes that it leaves out, faulty files."""

import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.site.__main__ import main
from viz.site.build import PAGES, one_file, site_files
from viz.site.deck_file import DeckError
from viz.site.lecture import read_lecture
from viz.subjects.lecture.shipped_decks import FOLDER, SCHEMES

NAME = "everyday-paper-0"
CAT = "the+small+black+cat+sees+the+red+house+."


def lecture(tmp_path: Path, *slides: object, **fields: object) -> Path:
    file = tmp_path / "lecture.json"
    file.write_text(json.dumps({"loupe": "deck", "title": "x", "slides": slides, **fields}))
    return file


def test_a_slide_gets_the_cell_that_the_app_would_find(tmp_path: Path):
    file = lecture(tmp_path, {"link": f"attention?source={CAT}&kind=cross-attention&query=3"})
    text = read_lecture(file, [NAME], PAGES)["text"]
    run = make_run(load_checkpoint(SHIPPED / NAME), CAT.replace("+", " "))
    weights = attention_trace(run, "cross-attention", 1).weights[0, 0, 3]
    assert f"layer=1&head=0&key={weights.argmax()}" in json.loads(text)["slides"][0]["link"]


@pytest.mark.parametrize(
    "link",
    [
        "mattered?",
        "positions?positions_change=shuffled",
        "masks?batch=a",
        "attention?checkpoint=everyday-prenorm",
        "attention?edits=zero!decoder.layers.1.cross_attn.heads;h2",
        "attention?target=le+chat",
        "decoding?decoding=Sampling",
        "attention?more_stages=true",
    ],
)
def test_what_the_site_does_not_have_is_told_to_be_elsewhere(tmp_path: Path, link: str):
    file = lecture(tmp_path, {"link": f"attention?source={CAT}"}, {"link": link, "title": "Two"})
    found = read_lecture(file, [NAME], PAGES)
    assert found["elsewhere"] == [1]
    assert json.loads(found["text"])["slides"][1]["link"] == link


@pytest.mark.parametrize(
    ("slides", "said"),
    [
        ([], "needs a list of slides"),
        ([{"title": "x"}], "Slide 1 has no link to a view"),
        ([{"link": "attention?"}, {"link": "nowhere?"}], "Slide 2: no page is called “nowhere”"),
    ],
)
def test_a_bad_file_is_refused_as_the_app_does(tmp_path: Path, slides: list[object], said: str):
    with pytest.raises(DeckError, match=said):
        read_lecture(lecture(tmp_path, *slides), [NAME], PAGES)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_deck.json", "This is not a lecture: it is not valid JSON"),
        ("colour.json", "Slide 1 has no field “colour”"),
        ("hands.json", "Slide 1: hands cannot be [1,2]"),
        ("nowhere.json", "nowhere.json cannot be read: a lecture is a file that the app saved"),
        (".", "cannot be read: a lecture is a file that the app saved"),
    ],
)
def test_the_command_says_why_there_is_no_site(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    said: str,
):
    monkeypatch.chdir(tmp_path)  # so that the short name is reported in full
    Path("no_deck.json").write_text("<no deck>")
    Path("colour.json").write_text('{"slides": [{"link": "attention?", "colour": "red"}]}')
    Path("hands.json").write_text('{"slides": [{"link": "attention?", "hands": [1, 2]}]}')
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "out"), "--lecture", name])
    assert ended.value.code
    told = capsys.readouterr().err
    assert said in told
    assert "Errno" not in told
    assert not (tmp_path / "out").exists()


WORD = "Zwischenruf"
"""A word that occurs in no text of the site except the notes."""
MACHINE = re.compile(rb"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")


def noted(tmp_path: Path) -> Path:
    """Write the ready lecture with that word in every note, and two slides that need the app."""
    slides = json.loads((FOLDER / "en" / "inside_a_transformer.json").read_text("utf-8"))["slides"]
    own = {"link": "mattered?", "title": "Own", "picture": '<svg xmlns="x">drawn</svg>'}
    slides += [own, {"link": "training?", "title": "Bare"}]
    return lecture(tmp_path, *({**slide, "notes": f"{WORD} {slide['title']}"} for slide in slides))


def opened(contents: bytes) -> bytes:
    """Return contents followed by everything packed in them as base64."""
    packed = re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", contents)
    return b"\n".join([contents, *(base64.b64decode(one[: len(one) // 4 * 4]) for one in packed)])


@pytest.mark.slow
def test_no_file_of_a_site_holds_a_note_or_the_address_of_a_machine(tmp_path: Path):
    given = read_lecture(noted(tmp_path), [NAME], PAGES)
    whole = one_file(NAME, ("en", "fr"), given)
    files = site_files([NAME], ("en", "fr"), given) | {"loupe.html": whole}
    assert b"Which English word is read next?" in opened(files["loupe.html"])
    for path, contents in files.items():
        assert WORD.encode() not in opened(contents), path
        assert WORD.encode("utf-16-le") not in contents, path
        assert not MACHINE.search(contents), path
    assert WORD in noted(tmp_path).read_text(), "what is looked for is in the lecture"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.json")), ids=lambda path: path.parent.name)
def test_each_slide_of_a_ready_lecture_has_its_view_or_a_picture_of_it(path: Path):
    slides = json.loads(path.read_text("utf-8"))["slides"]
    given = read_lecture(path, [NAME], PAGES)
    pictures = given["pictures"]
    assert given["elsewhere"], "some slides need the app"
    assert {*pictures} == {str(at) for at in given["elsewhere"]}, "python -m qa.slide_pictures"
    for at in given["elsewhere"]:
        picture = pictures[str(at)]
        assert picture
        assert picture["light"] != picture["dark"]
        for scheme in SCHEMES:
            drawn = ElementTree.fromstring(picture[scheme])
            assert drawn[0].text == slides[at]["title"], "python -m qa.slide_pictures"
            words = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
            assert len(words) > 10, "it shows more than a frame"
            assert len(picture[scheme]) < 130_000


def test_a_slide_of_ones_own_has_the_picture_of_its_file(tmp_path: Path):
    given = read_lecture(noted(tmp_path), [NAME], PAGES)
    own, bare = len(json.loads(given["text"])["slides"]) - 2, given["elsewhere"][-1]
    assert given["pictures"][str(own)] == dict.fromkeys(SCHEMES, '<svg xmlns="x">drawn</svg>')
    assert str(bare) not in given["pictures"]
    assert "<svg" not in given["text"]
    changed = lecture(tmp_path, {"id": "inside14", "link": "mattered?source=a", "title": "Other"})
    assert read_lecture(changed, [NAME], PAGES)["pictures"] == {}
