"""A lecture of a site: which slides it shows, what is kept back, what is wrong with a file."""

import json
from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from viz.run.record import attention_trace, make_run
from viz.site.__main__ import main
from viz.site.build import PAGES
from viz.site.lecture import LectureError, read_lecture

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
        "masks?",
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
        ([{"link": "attention?"}, {"link": "nowhere?"}], "Slide 2: there is no page “nowhere”"),
    ],
)
def test_a_bad_file_is_refused_as_the_app_does(tmp_path: Path, slides: list[object], said: str):
    with pytest.raises(LectureError, match=said):
        read_lecture(lecture(tmp_path, *slides), [NAME], PAGES)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_deck.json", "This is no deck: it cannot be read as JSON"),
        ("nowhere.json", "nowhere.json that can be read: a lecture is a file that the app saved"),
        (".", "that can be read: a lecture is a file that the app saved"),
    ],
)
def test_the_command_says_why_there_is_no_site(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    said: str,
):
    monkeypatch.chdir(tmp_path)  # so that the name is short enough to be told whole
    Path("no_deck.json").write_text("<no deck>")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "out"), "--lecture", name])
    told = capsys.readouterr().err
    assert said in told
    assert "Errno" not in told
    assert not (tmp_path / "out").exists()
