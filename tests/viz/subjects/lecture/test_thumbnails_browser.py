"""Pictures of ready slides in a real browser: of their view, in the page's colours and language."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect

from tests.browsing import open_context, settle, wait_until
from texts import LANGUAGES, Language
from viz.subjects.lecture.shipped_decks import FOLDER, picture_file

DECKS = {
    spoken: json.loads((FOLDER / spoken / "inside_a_transformer.json").read_text("utf-8"))
    for spoken in LANGUAGES
}
THUMBS = "[data-slide] .loupe-slide-thumb"
PREVIEWS = ".loupe-lecture-preview li"
IS_DRAWN = "image => image.complete && image.naturalWidth > 0"
LOW = {"width": 1280, "height": 400}
"""A screen so low that a browser does not yet look for what the last slides show."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with open_context(browser, viewport=LOW) as context:
        yield context


def opened(context: BrowserContext, address: str, spoken: Language = "en") -> Page:
    page = context.new_page()
    page.goto(f"{address}/lecture?lang={spoken}")
    settle(page)
    return page


def take_ready(page: Page) -> None:
    page.locator(".loupe-lecture-ways button").first.click()
    page.locator("[data-slide]").first.wait_for()


def file_of(image: Locator) -> str:
    return urlparse(image.get_attribute("src") or "").path.rpartition("/")[2]


def expect_pictures(page: Page, places: str, spoken: Language, scheme: str) -> None:
    slides = DECKS[spoken]["slides"]
    expect(page.locator(f"{places} img")).to_have_count(len(slides))
    for slide, place in zip(slides, page.locator(places).all(), strict=True):
        image = place.locator("img")
        assert file_of(image) == picture_file(slide["id"], spoken, scheme)
        assert image.get_attribute("alt")
        place.scroll_into_view_if_needed()
        handle = image.element_handle()
        assert handle
        wait_until(page, IS_DRAWN, arg=handle)


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_each_ready_slide_has_the_picture_of_its_language_and_scheme(
    context: BrowserContext, shipped_address: str, spoken: Language
):
    page = opened(context, shipped_address, spoken)
    expect_pictures(page, PREVIEWS, spoken, "light")
    take_ready(page)
    expect_pictures(page, THUMBS, spoken, "light")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    expect(page.locator(f"{THUMBS} img[src*='.dark.svg']")).to_have_count(
        len(DECKS[spoken]["slides"])
    )
    expect_pictures(page, THUMBS, spoken, "dark")


def test_a_picture_is_fetched_when_its_slide_comes_near(
    context: BrowserContext, shipped_address: str
):
    fetched: list[str] = []

    def note(request: Request) -> None:
        fetched.append(urlparse(request.url).path.rpartition("/")[2])

    page = opened(context, shipped_address)
    page.locator(PREVIEWS).first.scroll_into_view_if_needed()
    take_ready(page)
    page.on("request", note)
    page.reload()
    settle(page)
    first, last = page.locator(f"{THUMBS} img").first, page.locator(f"{THUMBS} img").last
    first.evaluate("image => image.decode()")
    assert file_of(last) not in fetched
    last.scroll_into_view_if_needed()
    handle = last.element_handle()
    assert handle
    wait_until(page, IS_DRAWN, arg=handle)


def test_a_slide_that_shows_something_else_loses_the_picture(
    context: BrowserContext, shipped_address: str, tmp_path: Path
):
    deck = DECKS["en"]
    slides = [{**slide} for slide in deck["slides"]]
    slides[3]["link"] = slides[3]["link"].replace("small", "big")
    slides[4]["panel"] = "card_heads"
    slides[5]["title"] = "My own title"
    slides[6]["id"] = "another"
    file = tmp_path / "lecture.json"
    file.write_text(json.dumps({**deck, "slides": slides}))
    page = opened(context, shipped_address)
    page.locator("input[type=file]").set_input_files(file)
    thumbs = page.locator(THUMBS)
    expect(thumbs).to_have_count(len(slides))
    for place, thumb in enumerate(thumbs.all()):
        if place in (3, 4):
            expect(thumb.locator("img")).to_have_count(0)
            expect(thumb).to_have_text("Attention")
        else:
            shown = picture_file(deck["slides"][place]["id"], "en", "light")
            assert file_of(thumb.locator("img")) == shown
