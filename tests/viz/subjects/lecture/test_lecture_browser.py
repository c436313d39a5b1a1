"""A lecture in a real browser: made, moved, saved, shared, given and printed."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browsing import open_context, open_menu, ready, settle, wait_until
from tests.screens import found_by_axe
from viz.site.build import PAGES as SITE_PAGES
from viz.site.lecture import read_lecture
from viz.subjects.lecture.shipped_decks import FOLDER

READY = re.compile("Inside a transformer")
DECK = json.loads((FOLDER / "en" / "inside_a_transformer.json").read_text("utf-8"))
TITLES = [slide["title"] for slide in DECK["slides"]]
WHICH = next(i for i, slide in enumerate(DECK["slides"]) if "answers" in slide)


SCREEN = {"width": 1280, "height": 720}
IS_WHOLE = """(panel) => {
  const box = (chosen) => document.querySelector(chosen).getBoundingClientRect();
  return box(`.st-key-${panel}`).bottom <= box(".loupe-slide-bar").top;
}"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One person's browser: its tabs share what it keeps."""
    with open_context(browser, viewport=SCREEN) as context:
        yield context


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    settle(page)
    return page


def lecture(context: BrowserContext, shipped_address: str) -> Page:
    """The page with the deck that ships."""
    page = opened(context, f"{shipped_address}/lecture")
    expect(page.locator(".loupe-lecture-preview b")).to_have_text(TITLES)
    page.get_by_role("button", name=READY).click()
    expect(page.locator("[data-slide]")).to_have_count(len(TITLES))
    return page


def titles(page: Page) -> list[str]:
    fields = page.locator(".loupe-slide-words > input").all()
    return [field.input_value() for field in fields]


def kept(page: Page) -> dict:
    return json.loads(page.evaluate("localStorage['loupe.deck']"))


def at_slide(page: Page, number: int) -> None:
    """Wait for a slide, and for the view in it."""
    expect(page.locator(".loupe-slide-place")).to_have_text(f"{number} / {len(TITLES)}")
    settle(page)


def test_views_of_two_tabs_come_into_one_deck(context: BrowserContext, shipped_address: str):
    view = "masks?source=the+cat+sleeps+.&causal=false"
    one, other = (
        opened(context, f"{shipped_address}/{view}"),
        opened(context, f"{shipped_address}/attention"),
    )
    open_menu(one)
    one.get_by_role("button", name="Add to the lecture").click()
    expect(one.locator(".loupe-pin-said")).to_contain_text("Slide 1 of your lecture")
    # A browser tells its other processes of what is kept a moment later.
    wait_until(other, "localStorage['loupe.deck'] !== undefined")
    other.keyboard.press("a")
    expect(other.locator(".loupe-pin-said")).to_contain_text("Slide 2 of your lecture")
    masks, attention = kept(one)["slides"]
    assert masks["link"].startswith(view)
    assert "checkpoint=everyday-paper-0" in masks["link"]
    assert masks["panel"] == "card_masks"
    assert re.search("layer=\\d&head=\\d&query=\\d+", attention["link"])
    assert re.fullmatch(
        r".*attention, layer \d, head \d: row “.+”, column “.+”", attention["shows"]
    )
    other.get_by_role("button", name="Undo").click()
    assert [slide["title"] for slide in kept(one)["slides"]] == [masks["title"]]
    one.get_by_role("button", name="Open the lecture").click()
    expect(one.locator("[data-slide]")).to_have_count(1)
    expect(one.locator(".loupe-slide-thumb img")).to_be_visible()
    one.get_by_role("button", name="Open this view").click()
    one.wait_for_url("**/masks?*")
    settle(one)
    assert not one.get_by_role("switch", name="Decoder: hide later tokens").is_checked()


def test_slides_are_renamed_moved_and_deleted_by_keyboard(
    context: BrowserContext, shipped_address: str
):
    page, other = lecture(context, shipped_address), opened(context, f"{shipped_address}/lecture")
    first = page.locator(".loupe-slide-words > input").first
    first.focus()
    first.fill("Mine")
    page.keyboard.press("Tab")  # what is typed in stays as it is
    page.get_by_role("button", name="Move down: slide 1, Mine").press("Enter")
    assert titles(page)[:3] == [TITLES[1], "Mine", TITLES[2]]
    page.get_by_role("button", name="Move up: slide 2, Mine").press("Enter")
    assert titles(page)[:2] == ["Mine", TITLES[1]]
    page.get_by_role("button", name="Delete: slide 1, Mine").press("Enter")
    assert titles(page) == TITLES[1:]
    page.get_by_role("button", name="Undo").press("Enter")
    assert titles(page)[:2] == ["Mine", TITLES[1]]
    expect(other.locator(".loupe-slide-words > input").first).to_have_value("Mine")
    field = other.locator("[data-slide]").first
    field.locator("summary").press("Enter")
    field.get_by_label("Notes").fill("from the other tab")
    page.get_by_role("button", name="Move down: slide 1, Mine").press("Enter")
    notes = [slide.get("notes") for slide in kept(page)["slides"]][:2]
    assert "from the other tab" in notes


def test_a_file_comes_back_as_it_was_saved_and_a_bad_one_changes_nothing(
    context: BrowserContext, shipped_address: str, tmp_path: Path
):
    page = lecture(context, shipped_address)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "Inside-a-transformer-in-55-minutes.json"
    saved = tmp_path / "deck.json"
    download.value.save_as(saved)
    before = kept(page)
    bad = tmp_path / "bad.json"
    slide = {"title": "<img src=x onerror=alert(1)>", "link": "attention", "hands": [1, 2]}
    bad.write_text(json.dumps({"slides": [slide]}))
    page.locator("input[type=file]").set_input_files(bad)
    said = page.locator(".loupe-lecture-said")
    expect(said).to_contain_text("Slide 1: hands cannot be")
    expect(said).to_contain_text("was not opened")
    assert kept(page) == before
    bad.write_text(json.dumps({"slides": [slide | {"hands": []}]}))
    page.locator("input[type=file]").set_input_files(bad)
    expect(page.locator("[data-slide]")).to_have_count(1)
    assert titles(page) == [slide["title"]]
    page.get_by_role("button", name="Undo").click()
    assert kept(page) == before
    page.locator("input[type=file]").set_input_files(saved)
    expect(said).to_contain_text("replaces the slides before")
    assert kept(page) == before == json.loads(saved.read_text())


PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)">
<script>alert(2)</script><image href="http://elsewhere.invalid/x.png"/></svg>"""


def test_a_file_holds_the_pictures_of_its_slides(
    context: BrowserContext, browser: Browser, shipped_address: str, tmp_path: Path
):
    page = opened(context, f"{shipped_address}/masks?source=the+cat+sleeps+.")
    page.keyboard.press("a")
    expect(page.locator(".loupe-pin-said")).to_contain_text("Slide 1 of your lecture")
    page.goto(f"{shipped_address}/lecture")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "deck.json"
    download.value.save_as(file)
    [slide] = json.loads(file.read_text("utf-8"))["slides"]
    assert slide["picture"].startswith("<svg ")
    assert "picture" not in kept(page)["slides"][0]
    given = read_lecture(file, ["everyday-paper-0"], [*{*SITE_PAGES} - {"masks"}])
    assert given["pictures"] == {"0": dict.fromkeys(("light", "dark"), slide["picture"])}
    with open_context(browser) as theirs:
        other = opened(theirs, f"{shipped_address}/lecture")
        for picture in (slide["picture"], PICTURE):
            file.write_text(json.dumps({"slides": [{**slide, "picture": picture}]}))
            other.locator("input[type=file]").set_input_files(file)
            image = other.locator(".loupe-slide-thumb img")
            expect(image).to_be_visible()
            wait_until(
                other,
                """text => decodeURIComponent(
                     document.querySelector(".loupe-slide-thumb img")?.src ?? "").endsWith(text)""",
                arg=picture,
            )
            image.evaluate("node => node.decode()")


def test_a_link_holds_the_deck_and_asks_before_it_takes_the_place_of_another(
    context: BrowserContext, browser: Browser, shipped_address: str
):
    page = lecture(context, shipped_address)
    page.evaluate("() => { navigator.clipboard.writeText = (text) => { window.copied = text } }")
    page.get_by_role("button", name="Copy a link").click()
    wait_until(page, "() => Boolean(window.copied)")
    link = page.evaluate("copied")
    assert link.startswith(f"{shipped_address}/lecture#deck=")
    with open_context(browser) as theirs:
        holds_the_deck(theirs, link, kept(page)["slides"])


def holds_the_deck(theirs: BrowserContext, link: str, slides: list[dict]) -> None:
    other = opened(theirs, link)
    expect(other.locator("[data-slide]")).to_have_count(len(TITLES))
    assert kept(other)["slides"] == slides
    other.get_by_role("button", name="Delete: slide 1", exact=False).first.click()
    third = opened(theirs, link)
    expect(third.locator(".loupe-lecture-said")).to_contain_text("This link holds a lecture")
    assert len(kept(third)["slides"]) == len(TITLES) - 1
    third.get_by_role("button", name="Open it").click()
    expect(third.locator("[data-slide]")).to_have_count(len(TITLES))
    cut = opened(theirs, link[:-30])
    expect(cut.locator(".loupe-lecture-said")).to_contain_text("may have been cut off")


def test_a_question_covers_the_picture_until_it_is_shown(
    context: BrowserContext, shipped_address: str
):
    page = lecture(context, shipped_address)
    card = page.locator("[data-slide]").nth(WHICH)
    card.get_by_role("button", name="Give the lecture from here").click()
    at_slide(page, WHICH + 1)
    slide = DECK["slides"][WHICH]
    main = page.get_by_test_id("stMainBlockContainer")
    expect(page.get_by_role("heading", name=slide["question"])).to_be_visible()
    settle(page)
    assert main.inner_text().strip() == ""
    assert "reading the source" not in page.locator("body").aria_snapshot()
    black = slide["answers"][1]
    page.get_by_role("button", name=f"One more hand for “{black}”").press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_label(f"Hands for “{black}”")).to_have_value("2")
    assert kept(page)["slides"][WHICH]["hands"] == [None, 2, None, None]
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-card_head canvas").first).to_be_visible()
    expect(page.locator(".loupe-slide-hands")).to_have_text(f"{black} 2")
    assert "reading the source" in main.inner_text()


def test_a_clicker_leads_through_the_whole_lecture(context: BrowserContext, shipped_address: str):
    page = lecture(context, shipped_address)
    page.get_by_role("button", name="Give the lecture", exact=True).press("Enter")
    for number, slide in enumerate(DECK["slides"], 1):
        at_slide(page, number)
        expect(page.locator(".loupe-slide-top h2")).to_have_text(slide["title"])
        if "question" in slide:
            page.keyboard.press("PageDown")
        if slide["panel"]:
            expect(page.locator(f".st-key-{slide['panel']}")).to_be_visible()
            expect(page.locator(".st-key-sentence_bar")).to_be_hidden()
        expect(page.locator(".loupe-slide-asked")).to_have_text(slide["caption"])
        wait_until(page, IS_WHOLE, arg=slide["panel"])
        assert page.locator(".loupe-slide-top .loupe-note").count() == 0, "a part is missing"
        page.keyboard.press("PageDown")
    at_slide(page, len(TITLES))
    page.keyboard.press("Home")
    at_slide(page, 1)
    page.keyboard.press("End")
    at_slide(page, len(TITLES))
    page.keyboard.press("PageUp")
    at_slide(page, len(TITLES) - 1)
    page.reload()
    at_slide(page, len(TITLES) - 1)
    page.get_by_role("button", name="End", exact=True).press("Enter")
    page.wait_for_url("**/lecture*")
    expect(page.get_by_role("button", name="Give the lecture", exact=True)).to_be_visible()


def test_a_part_that_comes_late_is_shown_all_the_same(
    context: BrowserContext, shipped_address: str
):
    page = opened(context, f"{shipped_address}/masks")
    open_menu(page)
    page.get_by_role("button", name="Add to the lecture").click()
    expect(page.locator(".loupe-pin-said")).to_contain_text("Slide 1 of your lecture")
    page.evaluate(
        """() => {
          const deck = JSON.parse(localStorage["loupe.deck"]);
          deck.slides[0].panel = "card_late";
          localStorage["loupe.deck"] = JSON.stringify(deck);
        }"""
    )
    page.goto(f"{shipped_address}/lecture")
    page.get_by_role("button", name="Give the lecture", exact=True).click()
    note = page.locator(".loupe-slide-top .loupe-note")
    expect(note).to_contain_text("the part that the slide shows, so the whole page")
    expect(page.locator(".st-key-card_masks")).to_be_visible()
    page.locator(".st-key-card_masks").evaluate("node => node.classList.add('st-key-card_late')")
    expect(note).to_have_count(0)
    expect(page.locator(".st-key-card_late")).to_be_visible()
    expect(page.locator(".st-key-sentence_bar")).to_be_hidden()


ARC_ENDS = """() => {
  const middle = (node) => {
    const { left, right } = node.getBoundingClientRect();
    return (left + right) / 2;
  };
  const words = [...document.querySelectorAll(".loupe-start-open, .loupe-start-asked")].map(middle);
  return [...document.querySelectorAll(".loupe-start-arc")].flatMap((arc) =>
    [0, arc.getTotalLength()].map((at) => {
      const { x } = arc.getPointAtLength(at).matrixTransform(arc.getScreenCTM());
      return Math.min(...words.map((word) => Math.abs(word - x)));
    }));
}"""


def test_the_first_slides_are_large_have_their_notes_and_turn_by_arrows(
    context: BrowserContext, shipped_address: str
):
    page = lecture(context, shipped_address)
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("button", name="Give the lecture", exact=True).click()
    at_slide(page, 1)
    page.locator(".loupe-start-arc").nth(1).wait_for(state="attached")
    size = "parseFloat(getComputedStyle(document.querySelector('.loupe-start-word')).fontSize)"
    wait_until(page, f"{size} > 30 && Math.max(...({ARC_ENDS})()) < 2")
    page.evaluate("document.documentElement.style.setProperty('font-size', '10px', 'important')")
    wait_until(page, f"{size} < 30 && Math.max(...({ARC_ENDS})()) < 2")
    expect(page.get_by_role("heading", name="Where to go from here")).to_be_hidden()
    chosen = "JSON.stringify([loupe.selection.query, loupe.selection.key])"
    for key, number in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        page.keyboard.press(key)
        at_slide(page, number)
    ready(page)
    before = page.evaluate(chosen)
    page.keyboard.press("Shift+ArrowRight")
    wait_until(page, f"{chosen} !== {before!r}")
    at_slide(page, 2)


def test_a_code_says_who_can_open_it(context: BrowserContext, shipped_address: str):
    page = opened(context, f"{shipped_address}/attention?source=the+cat+sleeps+.&presenter=true")
    page.get_by_role("button", name="QR code").click()
    code = page.get_by_role("dialog")
    expect(code).to_contain_text("Nobody else can open this address")
    expect(code).to_contain_text("python3 start.py --server.address 0.0.0.0")
    assert code.locator("svg").count() == 0
    code.get_by_role("textbox").fill("http://192.168.1.20:8501")
    code.get_by_role("textbox").press("Tab")
    expect(code.locator("svg")).to_be_visible()
    text = code.locator(".loupe-code-text").inner_text()
    assert text.startswith("http://192.168.1.20:8501/attention?")
    assert "source=the+cat+sleeps" in text
    assert "presenter" not in text
    box = code.locator("svg").bounding_box()
    assert box
    assert box["width"] > 380
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()


def test_the_lecture_is_printed_one_slide_a_sheet_as_vectors(
    context: BrowserContext, shipped_address: str
):
    page = lecture(context, shipped_address)
    for _ in range(len(TITLES) - 3):
        page.get_by_role("button", name="Delete: slide 4", exact=False).first.click()
    page.evaluate("() => { window.print = () => { window.printed = true } }")
    page.get_by_role("button", name="Print, or save as PDF").click()
    wait_until(page, "() => window.printed === true")
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 3
    assert pdf.count(b"/MediaBox [0 0 841") == 3
    drawn = b"".join(
        inflated(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S)
    )
    assert len(re.findall(rb"\bT[jJ]\b", drawn)) > 60, "words"
    assert drawn.count(b" re\n") + drawn.count(b" l\n") > 200, "lines and boxes"


def inflated(part: bytes) -> bytes:
    try:
        return zlib.decompress(part)
    except zlib.error:
        return b""


def test_axe_finds_nothing(browser: Browser, shipped_address: str):
    with open_context(browser, viewport=SCREEN, bypass_csp=True) as context:
        page = lecture(context, shipped_address)
        page.locator("summary").nth(WHICH).click()
        found = found_in_both(page)
        page.get_by_role("button", name="Give the lecture from here").nth(WHICH).click()
        at_slide(page, WHICH + 1)
        found += found_in_both(page)
        page.keyboard.press("PageDown")
        found += found_in_both(page)
        page.get_by_role("button", name="QR code").click()
        found += found_in_both(page)
    assert found == []


def found_in_both(page: Page) -> list[str]:
    """What axe-core finds on a light page and on a dark one."""
    found = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        settle(page)
        found += found_by_axe(page)
    return found
