"""Pictures of ready slides in a real browser: their view in the page's colours and language."""

import json
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import Locator, Page, Request, expect

from tests.browsing import LEAVE, settle, wait_until
from texts import LANGUAGES, Language
from viz.subjects.lecture.shipped_decks import FOLDER, picture_file

DECKS = {
    spoken: json.loads((FOLDER / spoken / "inside_a_transformer.json").read_text("utf-8"))
    for spoken in LANGUAGES
}
THUMBS = "[data-slide] .loupe-slide-thumb"
PREVIEWS = ".loupe-lecture-preview li"
FILES = """places => places.map((place) => [...place.querySelectorAll("img")].map(
  (image) => new URL(image.src).pathname.split("/").at(-1)))"""
IS_DRAWN = "image => image.complete && image.naturalWidth > 0"
SMALL = {"width": 390, "height": 400}
TIMES = 6
"""How often 16 slides are repeated so that they take over 20,000 pixels. On a slow network Chromium
fetches images up to 8,000 pixels away."""


def opened(page: Page, address: str, spoken: Language = "en") -> Page:
    page.set_viewport_size(SMALL)
    page.goto(f"{address}/lecture?lang={spoken}")
    settle(page)
    return page


def take_ready(page: Page) -> None:
    page.locator(".loupe-lecture-ways button").first.click()
    page.locator("[data-slide]").first.wait_for()


def draw_all(page: Page, places: str) -> list[int]:
    """Fetch and draw all pictures; return their widths."""
    return page.locator(f"{places} img").evaluate_all(
        """images => Promise.all(images.map(async (image) => {
          image.loading = "eager";
          await image.decode();
          return image.naturalWidth;
        }))"""
    )


def file_of(image: Locator) -> str:
    return urlparse(image.get_attribute("src") or "").path.rpartition("/")[2]


def expect_pictures(page: Page, places: str, spoken: Language, scheme: str) -> None:
    slides = DECKS[spoken]["slides"]
    images = page.locator(f"{places} img")
    expect(images).to_have_count(len(slides))
    files = [picture_file(slide["id"], spoken, scheme) for slide in slides]
    assert page.locator(places).evaluate_all(FILES) == [[file] for file in files]
    assert all(images.evaluate_all("images => images.map((image) => image.alt)"))


def expect_drawn(page: Page, image: Locator) -> None:
    handle = image.element_handle()
    assert handle
    wait_until(page, IS_DRAWN, arg=handle)


def open_file(page: Page, folder: Path, slides: list[dict]) -> None:
    file = folder / "lecture.json"
    file.write_text(json.dumps({**DECKS["en"], "slides": slides}))
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator("[data-slide]")).to_have_count(len(slides))


def test_each_ready_slide_has_the_picture_of_its_language_and_scheme(
    page: Page, shipped_address: str
):
    for spoken in LANGUAGES:
        opened(page, shipped_address, spoken)
        expect_pictures(page, PREVIEWS, spoken, "light")
        take_ready(page)
        expect_pictures(page, THUMBS, spoken, "light")
        assert all(draw_all(page, THUMBS))
        page.emulate_media(color_scheme="dark")
        expect(page.locator(f"{THUMBS} img[src*='.dark.svg']")).to_have_count(
            len(DECKS[spoken]["slides"])
        )
        expect_pictures(page, THUMBS, spoken, "dark")
        assert all(draw_all(page, THUMBS))
        page.emulate_media(color_scheme="light")
        page.evaluate(LEAVE)


def test_a_picture_is_fetched_when_its_slide_comes_near(
    page: Page, shipped_address: str, tmp_path: Path
):
    *slides, last = DECKS["en"]["slides"]
    opened(page, shipped_address)
    open_file(page, tmp_path, [*(slides * TIMES), last])
    fetched: list[str] = []

    def note(request: Request) -> None:
        fetched.append(urlparse(request.url).path.rpartition("/")[2])

    page.on("request", note)
    page.reload()
    settle(page)
    images = page.locator(f"{THUMBS} img")
    expect(images).to_have_count(len(slides) * TIMES + 1)
    expect_drawn(page, images.first)
    assert file_of(images.first) in fetched
    assert file_of(images.last) not in fetched
    images.last.scroll_into_view_if_needed()
    expect_drawn(page, images.last)


def test_a_slide_that_shows_something_else_loses_the_picture(
    page: Page, shipped_address: str, tmp_path: Path
):
    slides = [{**slide} for slide in DECKS["en"]["slides"]]
    slides[3]["link"] = slides[3]["link"].replace("small", "big")
    slides[4]["panel"] = "card_heads"
    slides[5]["title"] = "My own title"
    slides[6]["id"] = "another"
    opened(page, shipped_address)
    open_file(page, tmp_path, slides)
    for place, thumb in enumerate(page.locator(THUMBS).all()):
        if place in (3, 4):
            expect(thumb.locator("img")).to_have_count(0)
            expect(thumb).to_have_text("Attention")
        else:
            shown = picture_file(DECKS["en"]["slides"][place]["id"], "en", "light")
            assert file_of(thumb.locator("img")) == shown
