"""A lecture in a real browser: made, reordered, saved, shared, given and printed."""

import json
import re
import zlib
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browsing import LEAVE, open_context, open_menu, ready, settle, wait_until
from tests.inside import follow
from tests.screens import CONTRAST, found_by_axe
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


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    settle(page)
    return page


def lecture(page: Page, shipped_address: str) -> Page:
    """Open the page with the shipped deck."""
    opened(page, f"{shipped_address}/lecture")
    expect(page.locator(".loupe-lecture-preview b")).to_have_text(TITLES)
    page.get_by_role("button", name=READY).click()
    expect(page.locator("[data-slide]")).to_have_count(len(TITLES))
    return page


def short_lecture(page: Page, shipped_address: str, folder: Path, slides: slice) -> None:
    """Open the page with only a few slides, since their pictures are redrawn at each change."""
    file = folder / "short.json"
    file.write_text(json.dumps({**DECK, "slides": DECK["slides"][slides]}))
    opened(page, f"{shipped_address}/lecture")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator("[data-slide]")).to_have_count(len(DECK["slides"][slides]))


def titles(page: Page) -> list[str]:
    fields = page.locator(".loupe-slide-words > input").all()
    return [field.input_value() for field in fields]


def kept(page: Page) -> dict:
    return json.loads(page.evaluate("localStorage['loupe.deck']"))


def at_slide(page: Page, number: int) -> None:
    """Wait for a slide and for the view in it."""
    expect(page.locator(".loupe-slide-place")).to_have_text(f"{number} / {len(TITLES)}")
    settle(page)


def test_views_of_two_tabs_come_into_one_deck_and_their_pictures_into_its_file(
    page: Page, shipped_address: str, tmp_path: Path
):
    """The view in the second tab also gets a code for the class."""
    view = "masks?source=the+cat+sleeps+.&causal=false"
    one, other = (
        opened(page, f"{shipped_address}/{view}"),
        opened(page.context.new_page(), f"{shipped_address}/attention"),
    )
    open_menu(one)
    one.get_by_role("button", name="Add to the lecture").click()
    expect(one.locator(".loupe-pin-said")).to_contain_text("Slide 1 of your lecture")
    one.get_by_role("button", name="Open the lecture").click()  # the button stays for some seconds
    expect(one.locator("[data-slide]")).to_have_count(1)
    # A browser shares its local storage with its other processes a moment later.
    wait_until(other, "localStorage['loupe.deck'] !== undefined")
    other.keyboard.press("a")
    expect(other.locator(".loupe-pin-said")).to_contain_text("Slide 2 of your lecture")
    masks, attention = kept(other)["slides"]
    other.get_by_role("button", name="Undo").click()
    assert masks["link"].startswith(view)
    assert "checkpoint=everyday-paper-0" in masks["link"]
    assert masks["panel"] == "card_masks"
    assert re.search("layer=\\d&head=\\d&query=\\d+", attention["link"])
    assert re.fullmatch(
        r".*attention, layer \d, head \d: row “.+”, column “.+”", attention["shows"]
    )
    wait_until(one, "JSON.parse(localStorage['loupe.deck']).slides.length === 1")
    assert [slide["title"] for slide in kept(one)["slides"]] == [masks["title"]]
    expect(one.locator("[data-slide]")).to_have_count(1)
    expect(one.locator(".loupe-slide-thumb img")).to_be_visible()
    a_file_holds_the_picture(one, shipped_address, tmp_path / "deck.json")
    one.get_by_role("button", name="Open this view").click()
    one.wait_for_url("**/masks?*")
    settle(one)
    assert not one.get_by_role("switch", name="Decoder: hide later tokens").is_checked()
    follow(other, f"{shipped_address}/attention?source=the+cat+sleeps+.&presenter=true")
    a_code_says_who_can_open_it(other)


def a_code_says_who_can_open_it(page: Page) -> None:
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


PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)">
<script>alert(2)</script><image href="http://elsewhere.invalid/x.png"/></svg>"""


def a_file_holds_the_picture(page: Page, address: str, file: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    download.value.save_as(file)
    [slide] = json.loads(file.read_text("utf-8"))["slides"]
    assert slide["picture"].startswith("<svg ")
    assert "picture" not in kept(page)["slides"][0]
    given = read_lecture(file, ["everyday-paper-0"], [*{*SITE_PAGES} - {"masks"}])
    assert given["pictures"] == {"0": dict.fromkeys(("light", "dark"), slide["picture"])}
    page.evaluate(LEAVE)  # as in another user's browser
    opened(page, f"{address}/lecture")
    for picture in (slide["picture"], PICTURE):
        file.write_text(json.dumps({"slides": [{**slide, "picture": picture}]}))
        page.locator("input[type=file]").set_input_files(file)
        image = page.locator(".loupe-slide-thumb img")
        expect(image).to_be_visible()
        wait_until(
            page,
            """text => decodeURIComponent(
                 document.querySelector(".loupe-slide-thumb img")?.src ?? "").endsWith(text)""",
            arg=picture,
        )
        image.evaluate("node => node.decode()")


def test_slides_are_renamed_moved_and_deleted_by_keyboard(
    page: Page, shipped_address: str, tmp_path: Path
):
    short_lecture(page, shipped_address, tmp_path, slice(3))
    with page.expect_popup() as opening:
        page.evaluate("() => { window.open(location.href) }")
    other = opening.value
    expect(other.locator("[data-slide]")).to_have_count(3)
    first = page.locator(".loupe-slide-words > input").first
    first.focus()
    first.fill("Mine")
    page.keyboard.press("Tab")  # leaving a field keeps its text
    page.get_by_role("button", name="Move down: slide 1, Mine").press("Enter")
    assert titles(page)[:3] == [TITLES[1], "Mine", TITLES[2]]
    page.get_by_role("button", name="Move up: slide 2, Mine").press("Enter")
    assert titles(page)[:2] == ["Mine", TITLES[1]]
    page.get_by_role("button", name="Delete: slide 1, Mine").press("Enter")
    assert titles(page) == TITLES[1:3]
    page.get_by_role("button", name="Undo").press("Enter")
    assert titles(page)[:2] == ["Mine", TITLES[1]]
    expect(other.locator(".loupe-slide-words > input").first).to_have_value("Mine")
    field = other.locator("[data-slide]").first
    field.locator("summary").press("Enter")
    field.get_by_label("Notes").fill("from the other tab")
    page.get_by_role("button", name="Move down: slide 1, Mine").press("Enter")
    notes = [slide.get("notes") for slide in kept(page)["slides"]][:2]
    assert "from the other tab" in notes


def test_a_deck_comes_back_by_its_file_or_link_and_a_bad_one_changes_nothing(
    page: Page, shipped_address: str, tmp_path: Path
):
    lecture(page, shipped_address)
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
    a_link_holds_the_deck_and_asks_before_it_takes_the_place_of_another(page, shipped_address)


def a_link_holds_the_deck_and_asks_before_it_takes_the_place_of_another(
    page: Page, address: str
) -> None:
    page.evaluate("() => { navigator.clipboard.writeText = (text) => { window.copied = text } }")
    page.get_by_role("button", name="Copy a link").click()
    wait_until(page, "() => Boolean(window.copied)")
    link = page.evaluate("copied")
    assert link.startswith(f"{address}/lecture#deck=")
    slides = kept(page)["slides"]
    page.evaluate(LEAVE)  # as in another user's browser
    opened(page, link)
    expect(page.locator("[data-slide]")).to_have_count(len(TITLES))
    assert kept(page)["slides"] == slides
    page.get_by_role("button", name="Delete: slide 1", exact=False).first.click()
    opened(page, link.replace("#", "?lang=en#"))  # the same address would not load the page again
    said = page.locator(".loupe-lecture-said")
    expect(said).to_contain_text("This link holds a lecture")
    assert len(kept(page)["slides"]) == len(TITLES) - 1
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("[data-slide]")).to_have_count(len(TITLES))
    opened(page, link[:-30])
    expect(said).to_contain_text("may have been cut off")


def test_a_clicker_leads_through_the_whole_lecture(page: Page, shipped_address: str):
    lecture(page, shipped_address)
    page.get_by_role("button", name="Give the lecture", exact=True).press("Enter")
    for number, slide in enumerate(DECK["slides"], 1):
        at_slide(page, number)
        expect(page.locator(".loupe-slide-top h2")).to_have_text(slide["title"])
        if "question" in slide:
            covers_its_picture(page, slide)
        if slide["panel"]:
            expect(page.locator(f".st-key-{slide['panel']}")).to_be_visible()
            expect(page.locator(".st-key-sentence_bar")).to_be_hidden()
        expect(page.locator(".loupe-slide-asked")).to_have_text(slide["caption"])
        wait_until(page, IS_WHOLE, arg=slide["panel"])
        assert page.locator(".loupe-slide-top .loupe-note").count() == 0, "a part is missing"
        page.keyboard.press("PageDown")
    at_slide(page, len(TITLES))
    page.get_by_role("button", name="End", exact=True).press("Enter")
    page.wait_for_url("**/lecture*")
    expect(page.get_by_role("button", name="Give the lecture", exact=True)).to_be_visible()


def covers_its_picture(page: Page, slide: dict) -> None:
    """Check that the question covers the picture until it is shown, and that hands come before."""
    expect(page.get_by_role("heading", name=slide["question"])).to_be_visible()
    settle(page)
    assert page.get_by_test_id("stMainBlockContainer").inner_text().strip() == ""
    if slide is not DECK["slides"][WHICH]:
        page.keyboard.press("PageDown")
        return
    assert "reading the source" not in page.locator("body").aria_snapshot()
    black = slide["answers"][1]
    page.get_by_role("button", name=f"One more hand for “{black}”").press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_label(f"Hands for “{black}”")).to_have_value("2")
    assert kept(page)["slides"][WHICH]["hands"] == [None, 2, None, None]
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-card_head canvas").first).to_be_visible()
    expect(page.locator(".loupe-slide-hands")).to_have_text(f"{black} 2")
    assert "reading the source" in page.get_by_test_id("stMainBlockContainer").inner_text()


def test_a_part_that_comes_late_is_shown_all_the_same(
    page: Page, shipped_address: str, tmp_path: Path
):
    file = tmp_path / "late.json"
    file.write_text(json.dumps({"slides": [{"title": "", "link": "masks", "panel": "card_late"}]}))
    opened(page, f"{shipped_address}/lecture")
    page.locator("input[type=file]").set_input_files(file)
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
    page: Page, shipped_address: str
):
    lecture(page, shipped_address)
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


def test_the_lecture_is_printed_one_slide_a_sheet_as_vectors(
    page: Page, shipped_address: str, tmp_path: Path
):
    short_lecture(page, shipped_address, tmp_path, slice(1, 3))
    page.evaluate("() => { window.print = () => { window.printed = true } }")
    page.get_by_role("button", name="Print, or save as PDF").click()
    wait_until(page, "() => window.printed === true")
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 2
    assert pdf.count(b"/MediaBox [0 0 841") == 2
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


def test_axe_finds_nothing_in_a_lecture_and_its_notes(browser: Browser, shipped_address: str):
    """Both are in French here, as the window of the notes takes the lecture's language."""
    with open_context(browser, viewport=SCREEN, bypass_csp=True) as context:
        page = opened(context.new_page(), f"{shipped_address}/lecture?lang=fr")
        page.locator(".loupe-lecture-ways button").first.click()
        page.locator("summary").nth(WHICH).click()
        found = found_in_both(page)
        page.locator("[data-slide]").nth(WHICH).locator(".loupe-slide-acts button").first.click()
        at_slide(page, WHICH + 1)
        with page.expect_popup() as notes:
            page.get_by_role("button", name="Notes", exact=True).press("Enter")
        restart = notes.value.get_by_role("button", name="Remettre le chronomètre à zéro")
        expect(restart).to_be_visible()
        for theme, only in THEMES:
            notes.value.emulate_media(color_scheme=theme)
            found += found_by_axe(notes.value, only)
        found += found_in_both(page)
        page.keyboard.press("PageDown")
        found += found_in_both(page)
        page.get_by_role("button", name="Code QR").click()
        found += found_in_both(page)
    assert found == []


THEMES = (("light", None), ("dark", CONTRAST))


def found_in_both(page: Page) -> list[str]:
    """Return what axe-core finds on a light page, and which contrasts it finds on a dark one."""
    found = []
    for theme, only in THEMES:
        page.emulate_media(color_scheme=theme)
        settle(page)
        found += found_by_axe(page, only)
    return found
