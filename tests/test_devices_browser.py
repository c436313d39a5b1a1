"""The app works by touch, by keyboard, in forced colours, on a phone and from afar."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import expect_in_link, open_page, ready, settle
from tests.screens import BEAMER, DESK, PHONE, TOUCH, in_window, seen_on, visit
from viz.subjects.start.actions import SCENES


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Page]:
    with seen_on(browser, PHONE, **TOUCH) as page:
        yield page


def test_a_tap_says_what_a_pointer_says_and_what_a_block_is(phone: Page, address: str):
    visit(phone, address, "map")
    phone.locator("[data-block=source_embedding]:visible").first.tap()
    tip = phone.locator(".loupe-tip")
    tip.wait_for(state="visible")
    assert "source_embedding" in tip.inner_text()
    phone.touchscreen.tap(380, 60)
    tip.wait_for(state="hidden")
    attention = '[data-block^="encoder.layers"][data-block$="self_attn"]:visible'
    block = phone.locator(f".st-key-card_map {attention}").first
    block.tap(position={"x": 20, "y": 6})
    told = phone.locator(".loupe-map-told")
    expect(told).to_contain_text("Each word takes what it needs from all words")
    assert phone.url.split("?")[0].endswith("/map")
    told.get_by_role("button", name="Open its heads").tap()
    phone.wait_for_url(lambda url: "/map" not in url)


STYLE = "(node, name) => getComputedStyle(node)[name]"


def background(page: Page, selector: str) -> str:
    return page.locator(selector).first.evaluate(STYLE, "backgroundColor")


def test_forced_colours_say_what_is_on_what_is_selected_and_how_long_a_bar_is(browser, address):
    switch = "[data-testid=stCheckbox] label{} > span + div"
    with open_page(browser, f"{address}/masks") as page:
        page.emulate_media(forced_colors="active")
        ready(page)
        on, off = switch.format("[data-selected=true]"), switch.format(":not([data-selected])")
        assert background(page, on) != background(page, off)
        for track in (on, off):
            assert background(page, track) != background(page, f"{track} > div"), "no knob"
        assert page.locator(off).first.evaluate(STYLE, "boxShadow") != "none"
        option = "[role=radio][aria-checked={}]"
        assert background(page, option.format("true")) != background(page, option.format("false"))
        visit(page, address, "attention?more_numbers=true")
        assert background(page, ".cell-length i") != background(page, ".cell-length")
        visit(page, address, "decoding")
        assert background(page, ".studio-track i") != background(page, ".studio-track")
        page.emulate_media(forced_colors="none")


def test_in_presenter_mode_a_stage_of_start_and_the_way_on_stand_on_one_screen(
    browser: Browser, address: str
):
    parts = (".loupe-start-board", ".loupe-start-said", "[data-name=next]")
    with open_page(browser, f"{address}/?scene={SCENES[0]}&presenter=true") as page:
        page.set_viewport_size(BEAMER)
        ready(page)
        for scene in SCENES:
            expect_in_link(page, scene=scene)
            settle(page)
            assert [(scene, part) for part in parts if not in_window(page, part)] == []
            tops = page.locator(".loupe-start-word:not(.loupe-special)").evaluate_all(
                "nodes => nodes.map((node) => Math.round(node.getBoundingClientRect().top))"
            )
            assert len(set(tops)) == 1, "the sentence stands on more than one line"
            if scene != SCENES[-1]:
                page.locator("[data-name=next]").first.click()


def test_the_pager_of_presenter_mode_covers_nothing(browser: Browser, address: str):
    with open_page(browser, f"{address}/embeddings?presenter=true") as page:
        ready(page)
        for width in (1280, 1024):
            page.set_viewport_size({"width": width, "height": 720})
            page.mouse.move(width / 2, 400)
            page.mouse.wheel(0, 5000)
            page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
            settle(page)
            covered = page.evaluate(
                """() => {
                  const box = (node) => node.getBoundingClientRect();
                  const tools = box(document.querySelector(".st-key-presenter_tools"));
                  const header = box(document.querySelector("[data-testid=stHeader]"));
                  return tools.bottom > header.bottom || tools.left < 0 || tools.right > innerWidth;
                }"""
            )
            assert not covered, width


def test_the_keyboard_is_seen_where_it_is(browser: Browser, address: str):
    ring = "node => { const s = getComputedStyle(node); return s.outlineStyle + s.outlineWidth; }"
    with open_page(browser, f"{address}/?scene=query") as page:
        page.set_viewport_size(DESK)
        ready(page)
        page.keyboard.press("Tab")
        found = {}
        for name, focused, ringed in (
            ("page", ".st-key-places a", ".st-key-places a"),
            ("switch", ".st-key-presenter input", ".st-key-presenter label > span + div"),
            ("button", ".st-key-open_lecture button", ".st-key-open_lecture button"),
        ):
            page.locator(focused).first.focus()
            found[name] = page.locator(ringed).first.evaluate(ring)
        assert found == dict.fromkeys(found, "solid2px")
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        page.locator("[data-testid=stMain] button:visible").last.evaluate(
            "node => node.focus({ preventScroll: true })"
        )
        settle(page)
        assert in_window(page, ":focus")


def test_on_a_phone_the_pages_are_seen_whole_and_go_on(phone: Page, address: str):
    visit(phone, address, "compare?source=the+cat+sleeps+.&lang=fr")
    opener = phone.get_by_role("button", name="Menu", exact=True)
    arrows = opener.locator("> span").bounding_box()
    assert opener.bounding_box()["width"] > arrows["width"] + 24, "its name is not seen"
    row = phone.locator(".st-key-places")
    link = row.locator("[aria-current=page]").bounding_box()
    box = row.bounding_box()
    assert link
    assert box
    assert box["y"] <= link["y"]
    assert link["y"] + link["height"] <= box["y"] + box["height"]
    phone.wait_for_function(
        """() => {
          const here = [...document.querySelectorAll("[aria-current=page]")];
          const isSeen = ({ left, right }) => left > 0 && right < innerWidth;
          const boxes = here.map((link) => link.getBoundingClientRect());
          return here.length === 2 && boxes.every(isSeen);
        }"""
    )


def test_what_is_typed_is_not_covered_by_the_key_that_takes_it(browser: Browser, address: str):
    with open_page(browser, f"{address}/") as page:
        ready(page)
        for size in (DESK, PHONE, BEAMER):
            page.set_viewport_size(size)
            settle(page)
            if size == BEAMER:
                page.locator(".st-key-presenter label").click()
                page.locator(".st-key-presenter_more label").click()
            field = page.locator(".st-key-source input")
            field.focus()
            field.press("End")
            page.keyboard.type(" and")
            hint = page.locator(".st-key-source [data-testid=InputInstructions]")
            hint.wait_for(state="visible")
            box, badge = field.bounding_box(), hint.bounding_box()
            assert box
            assert badge
            room = float(field.evaluate(STYLE, "paddingRight").removesuffix("px"))
            assert box["x"] + box["width"] - room <= badge["x"]


PAIRS_MEET = """() => {
  const boxes = [...document.querySelectorAll("[data-testid=stNumberInput]")]
    .map((node) => node.getBoundingClientRect());
  return boxes.some((one, i) => boxes.slice(i + 1).some((other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1));
}"""


def test_number_fields_keep_apart_in_presenter_mode(browser: Browser, address: str):
    with open_page(browser, f"{address}/training?part_training=live&presenter=true") as page:
        ready(page)
        page.get_by_test_id("stNumberInput").nth(2).wait_for()
        for width in (390, 820, 1280):
            page.set_viewport_size({"width": width, "height": 720})
            settle(page)
            assert not page.evaluate(PAIRS_MEET), width
