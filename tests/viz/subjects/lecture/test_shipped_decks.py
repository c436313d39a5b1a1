"""The shipped decks: each slide links to something that exists and claims only what is there."""

import json
import re
from urllib.parse import parse_qsl
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import SHIPPED
from tests.pages import ok, texts
from texts import LANGUAGES, Language
from viz.address.selection import nearest
from viz.frame.link_inputs import inputs_of_link
from viz.models import listing, opening, running
from viz.pages import PAGES
from viz.pictures.theme import DARK, LIGHT
from viz.subjects.lecture.shipped_decks import (
    FOLDER,
    PICTURES,
    SCHEMES,
    picture_files,
    ready_picture,
    shipped_decks,
)
from viz.subjects.positions.reruns import CHANGES, WHERE

DECKS = {
    path.relative_to(FOLDER).as_posix(): json.loads(path.read_text("utf-8"))
    for path in sorted(FOLDER.glob("*/*.json"))
}
SLIDES = [
    pytest.param(slide, id=f"{name}-{place}")
    for name, deck in DECKS.items()
    for place, slide in enumerate(deck["slides"], 1)
]
MADE_UP = {"glorp"}
"""Words that a slide shows because no model knows them."""
QUOTED = r"“([^”]+)”|«\u00a0([^»]+)\u00a0»"
MINUTES = {
    **{"One": 1, "Two": 2, "Three": 3, "Four": 4, "Five": 5},
    **{"Une": 1, "Deux": 2, "Trois": 3, "Quatre": 4, "Cinq": 5},
}
NUMBERS = (
    r"\d|%|\b(?:percent|half|third|quarter|hundred|thousand|million|cent|mille|moitié|tiers)\b"
)


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def query_of(slide: dict) -> dict[str, str]:
    return dict(parse_qsl(slide["link"].partition("?")[2]))


def test_every_deck_is_offered_with_its_title():
    shipped = [deck["title"] for language in LANGUAGES for deck in shipped_decks(language)]
    assert shipped == [deck["title"] for deck in DECKS.values()]
    assert len(DECKS) >= 2


def test_a_deck_shows_the_same_in_every_language():
    for name, deck in DECKS.items():
        english = DECKS["en/" + name.partition("/")[2]]
        assert [plain(slide) for slide in deck["slides"]] == [
            plain(slide) for slide in english["slides"]
        ]


def plain(slide: dict) -> dict:
    """Return the fields of a slide that hold no words, and the number of its answers."""
    told = {name: len(slide[name]) for name in ("answers",) if name in slide}
    return {name: slide[name] for name in ("id", "link", "panel")} | told


def say_what_is_gone():  # AppTest runs only this source: imports inside
    from texts import speaking
    from viz.address.retired_links import show_gone

    with speaking("en"):
        show_gone()


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slide_asks_for_nothing_that_is_gone(slide: dict):
    page = AppTest.from_function(say_what_is_gone)
    for name, asked in query_of(slide).items():
        page.query_params[name] = asked
    assert texts(ok(page.run())) == ""


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slide_names_choices_as_the_code_does_and_not_by_words_that_may_change(slide: dict):
    for name, options in {"positions_change": CHANGES, "positions_where": WHERE}.items():
        assert query_of(slide).get(name, options[0]) in options


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slide_leads_to_a_page_and_to_words_that_are_known(slide: dict):
    assert slide["link"].partition("?")[0] in {page.URL for page in PAGES}
    inputs = inputs_of_link(slide["link"], listing.listed_names())
    assert inputs is not None
    assert inputs.checkpoint == query_of(slide)["checkpoint"]
    run = running.open_view(inputs).run
    known = opening.read_info(inputs.checkpoint).tokenizers.source.vocabulary
    typed = {word for word in re.findall(r"[a-z]+", inputs.source.lower()) if word != "didn"}
    assert typed - set(known) - {"t"} == MADE_UP & typed
    assert not run.source.unknown


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slides_question_names_the_row_that_its_link_selects(slide: dict):
    query = query_of(slide)
    inputs = inputs_of_link(slide["link"], listing.listed_names())
    assert inputs is not None
    run = running.open_view(inputs).run
    assert "layer" not in query, "heads are found, not named"
    assert "head" not in query, "heads are found, not named"
    tokens = {*run.texts["source"], *run.target_tokens}
    asked = slide.get("question", "")
    for quoted in map("".join, re.findall(QUOTED, asked)):
        assert set(quoted.split()) <= tokens, quoted
    if "query" in query:
        selection, notes = nearest(run, query)
        assert not notes
        assert selection.query == int(query["query"])
        row = run.target_tokens[1 + selection.query]
        assert row in map("".join, re.findall(QUOTED, asked)) or not asked


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slide_states_no_number_that_another_training_would_change(slide: dict):
    said = [slide["title"], slide["caption"], slide.get("question", "")]
    said += slide.get("answers", ())
    notes = slide["notes"]
    assert notes.split()[0] in MINUTES, "notes begin with how long the slide takes"
    assert re.match(r"^\w+ minutes?\. ", notes)
    for text in (*said, notes):
        assert not re.search(NUMBERS, text, re.IGNORECASE), text


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_the_slides_of_a_deck_take_as_long_as_its_title_says(deck: dict):
    minutes = sum(MINUTES[slide["notes"].split()[0]] for slide in deck["slides"])
    said = int(re.search(r"\d+", deck["title"])[0])
    assert said - 2 <= minutes <= said


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_each_slide_has_its_picture_for_a_light_and_a_dark_page(spoken: Language):
    files, grounds = picture_files(), {"light": LIGHT.panel, "dark": DARK.panel}
    for deck in shipped_decks(spoken):
        slides = json.loads(deck["text"])["slides"]
        assert [*deck["pictures"]] == [f"{slide['link']}#{slide['panel']}" for slide in slides]
        for slide, picture in zip(slides, deck["pictures"].values(), strict=True):
            drawn = {
                scheme: ElementTree.parse(files[picture[scheme]]).getroot() for scheme in SCHEMES
            }
            assert words(drawn["light"]) == words(drawn["dark"])
            for scheme in SCHEMES:
                title, view, ground, *_ = drawn[scheme]
                assert title.text == slide["title"], "python -m qa.slide_pictures"
                assert view.text == f"{slide['link']}#{slide['panel']}"
                red, green, blue = bytes.fromhex(grounds[scheme].removeprefix("#"))
                assert ground.get("fill") == f"rgb({red},{green},{blue})"


def words(picture: ElementTree.Element) -> list[str | None]:
    return [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]


def test_no_picture_is_kept_of_what_no_slide_shows():
    shown = {
        address
        for spoken in LANGUAGES
        for deck in shipped_decks(spoken)
        for picture in deck["pictures"].values()
        for address in picture.values()
    }
    assert shown == picture_files().keys()
    assert {file.name for file in picture_files().values()} == {
        file.name for file in PICTURES.iterdir()
    }


def test_a_slide_that_shows_something_else_has_no_picture():
    slide = DECKS["en/inside_a_transformer.json"]["slides"][1]
    assert ready_picture(slide, "en")
    assert ready_picture({**slide, "link": f"{slide['link']}&side=target"}, "en") is None
    assert ready_picture({**slide, "panel": "card_head"}, "en") is None
    assert ready_picture({**slide, "id": f"../pictures/{slide['id']}"}, "en") is None
