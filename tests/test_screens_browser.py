"""Every page on every screen: what axe-core finds, what is read from afar, what fingers meet."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import expect_in_link, open_context, open_menu, ready, settle, turn_to
from tests.texts.found import only_english
from viz.pages import PAGES, PLACES
from viz.pages import title as title_of
from viz.subjects.start.actions import SCENES

AXE = Path(sys.prefix) / "browser" / "node_modules" / "axe-core" / "axe.min.js"
NOT_OURS = (
    # Streamlit's own, of which a page can change nothing.
    "[data-testid=stDataFrame]",  # a grid on a canvas, with a table for screen readers beside it
    "[data-testid=stIFrame]",  # BertViz' pictures, as they come
)
LEAST_TARGET = 24
LEAST_TYPE = 18


DESK, BEAMER = {"width": 1366, "height": 768}, {"width": 1280, "height": 720}
PHONE, TABLET = {"width": 390, "height": 844}, {"width": 820, "height": 1180}
TOUCH = {"has_touch": True, "is_mobile": True}
MOST_HEIGHT = 1152
"""One and a half screens, in which each page begins that is not longer by its nature."""
LONG = ("learn", "lecture", "mattered")
"""A list, a stage, and a page with two questions, each with its picture."""
FOLDED = {
    "attention?more_heads=true&more_bertviz=true": "dark",
    "decoding?decoding=Beam&presenter=true": "presenter",
}
"""What a page shows only when it is asked for."""
PICTURES = {
    "attention": ".st-key-card_head .loupe-pair",
    "map": ".st-key-card_map",
    "touch": ".loupe-touch-board",
    "masks": ".st-key-card_masks",
    "variants": ".variants-written",
    "decoding": ".studio-candidates",
    "positions": ".st-key-positions_map",
    "embeddings": ".st-key-embeddings_nouns",
    "mattered": ".mattered-map",
    "corpus": ".st-key-corpus_distance",
    "compare": ".compare-maps",
    "training": ".loupe-lapse-body",
}
"""What each page is about, which a room has to see whole, with the question."""

TEXTS = """
() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const holder = walker.currentNode.parentElement;
    if (!text || holder.closest("style, script, noscript, title, .katex")) continue;
    if (holder.closest("[data-testid=stIconMaterial]")) continue; // drawn by a font of pictures
    if (!holder.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { left, right, top, bottom, width, height } = range.getBoundingClientRect();
    if (width < 2 || height < 2) continue; // for screen readers alone
    const drawing = holder.closest("svg");
    const matrix = drawing && holder.getScreenCTM?.();
    const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
    const size = Number.parseFloat(getComputedStyle(holder).fontSize) * scale;
    const drawings = [...document.querySelectorAll("svg")];
    found.push({ text, size, box: [left, right, top, bottom], drawing: drawings.indexOf(drawing) });
  }
  return found;
}
"""
TARGETS = """
(least) => [...document.querySelectorAll(
    "button, a[href], input:not([type=checkbox], [type=radio]), select, summary, [role=button]")]
  .filter((node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((node) => !node.closest(".loupe-term, [aria-hidden=true], .modebar"))
  .filter((node) => !node.closest("[data-testid=stNumberInput]"))
  .filter((node) => !node.matches(".stMultiSelect input")) // its whole box takes the finger
  .map((node) => [node, node.getBoundingClientRect()])
  .filter(([, { width, height, right }]) => width > 1 && height > 1 && right > 0)
  .filter(([, { width, height }]) => Math.min(width, height) < least - 0.01)
  .map(([node, { width, height }]) =>
    `${node.tagName} ${node.getAttribute("class")} ` +
    `"${node.textContent.trim().slice(0, 30)}" ${width.toFixed(1)} x ${height.toFixed(1)}`)
"""
CUT_TEXTS = """() => [...document.querySelectorAll(".stMain *, [data-testid=stSidebar] *")]
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    && e.clientWidth > 4 && getComputedStyle(e).overflowX === "hidden"
    && e.scrollWidth > e.clientWidth + 2 && !["INPUT", "TEXTAREA"].includes(e.tagName))
  .map(e => e.textContent.trim().slice(0, 60))"""
BLANK = """() => [
  ...[...document.querySelectorAll("canvas.loupe-canvas:not(.loupe-over)")].filter((canvas) =>
    canvas.clientHeight && !new Uint32Array(canvas.getContext("2d")
      .getImageData(0, 0, canvas.width, canvas.height).data.buffer).some(Boolean)),
  ...document.querySelectorAll("[data-testid=stException]"),
].map((node) => node.outerHTML.slice(0, 200))"""
OVERFLOW = """
(width) => {
  const main = document.querySelector("[data-testid=stMain]");
  const [page, own] = [document.documentElement.scrollWidth, main.scrollWidth];
  return Math.max(page - width, own - main.clientWidth - 1); // the scroll bar rounds
}
"""


READ = """() => {
  const own = document.body.cloneNode(true);
  const foreign = "code, pre, iframe, script, style, [lang=en], #loupe-waiting";
  for (const node of own.querySelectorAll(foreign)) node.remove();
  return own.textContent.replace(/\\s+/g, " ");
}"""


@cache
def axe() -> str:
    """The code of axe-core; without it skip the test, or fail it in CI."""
    if not AXE.exists():
        message = "axe-core is not installed: `python3 start.py test` does it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return AXE.read_text(encoding="utf-8")


@contextmanager
def seen_on(browser: Browser, size: dict[str, int], **options: object) -> Iterator[Page]:
    """A page on a screen, which may reach nothing but the app and may not complain.

    The policy of the app's pages is put aside, because it would keep axe-core out.
    """
    with open_context(browser, bypass_csp=True, viewport=size, **options) as context:
        yield context.new_page()


def visit(page: Page, address: str, path: str) -> None:
    """Open one page, and wait for its pictures, which come after it."""
    page.goto(f"{address}/{path}")
    ready(page)


CONTRAST = {"runOnly": ["color-contrast"]}
NO_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
"""Of colours that were looked at already: to look at them takes longest."""


def found_by_axe(page: Page, only: dict | None = None) -> list[str]:
    """What axe-core finds to be serious or critical, by all its rules or some."""
    page.evaluate(axe())
    violations = page.evaluate(
        """([exclude, only]) => axe.run({ exclude: exclude.map((each) => [each]) },
             { resultTypes: ["violations"], ...only }).then((found) => found.violations)""",
        [list(NOT_OURS), only or {}],
    )
    return [
        f"{one['impact']} {one['id']}: {node['target']} {node['html'][:120]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def overlapping(texts: list[dict]) -> list[str]:
    """Pairs of texts in one drawing that lie upon each other."""
    found = []
    for i, one in enumerate(texts):
        for other in texts[i + 1 :]:
            if one["drawing"] < 0 or one["drawing"] != other["drawing"]:
                continue
            a, b = one["box"], other["box"]
            wide, high = min(a[1], b[1]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[2], b[2])
            areas = [(box[1] - box[0]) * (box[3] - box[2]) for box in (a, b)]
            if wide > 3 and high > 3 and wide * high > 0.25 * min(areas):
                found.append(f"{one['text'][:30]} / {other['text'][:30]}")
    return found


def torn(page: Page) -> list[object]:
    """Texts that are cut off, pictures in which nothing is, tracebacks, what is too wide."""
    return page.evaluate(CUT_TEXTS) + page.evaluate(BLANK) + too_wide(page, 1)


def too_wide(page: Page, most: int) -> list[str]:
    wide = page.evaluate(OVERFLOW, page.viewport_size["width"])
    return [f"{wide} pixels too wide"] if wide > most else []


def unread(page: Page) -> list[str]:
    """What cannot be read from the last row: small texts, and those upon each other."""
    texts = page.evaluate(TEXTS)
    small = [each for each in texts if each["size"] < LEAST_TYPE - 0.1]
    sizes = [f"{each['size']:.1f} {each['text'][:40]}" for each in small]
    return (sizes or ([] if texts else ["no text"])) + overlapping(texts)


def unfit(page: Page) -> list[str]:
    """What fingers do not find: small targets, and what lies beside the screen."""
    return page.evaluate(TARGETS, LEAST_TARGET) + too_wide(page, 0)


def darkened(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    settle(page)
    settle(page)  # the script, which runs again for the colours of figures, may only have begun


def enlarged(page: Page) -> None:
    page.set_viewport_size(BEAMER)
    page.locator(".st-key-presenter label").click()
    page.locator(".st-key-presenter_tools").wait_for()
    settle(page)


def in_french(page: Page) -> None:
    open_menu(page)
    page.get_by_role("radio", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    settle(page)


def test_every_page_on_a_desk_in_the_dark_in_french_and_from_the_last_row(
    browser: Browser, shipped_address: str
):
    """Each page is loaded once and changed where it stands, which has to leave nothing behind."""
    found: dict[tuple[str, str], list[object]] = {}
    titles, english = set(), only_english()
    with seen_on(browser, DESK) as page:
        for each in PAGES:
            name = title_of(each)
            page.set_viewport_size(DESK)
            page.emulate_media(color_scheme="light")
            visit(page, shipped_address, each.URL)
            titles.add(page.title())
            assert name in page.title()
            assert page.locator("h1").count() == 1
            height = page.get_by_test_id("stMainBlockContainer").evaluate("n => n.scrollHeight")
            if each.URL not in LONG:
                assert height <= MOST_HEIGHT, name
            assert any(piece in page.evaluate(READ) for piece in english), "no English was found"
            found[name, "light"] = torn(page) + found_by_axe(page)
            darkened(page)
            found[name, "dark"] = torn(page) + found_by_axe(page, CONTRAST)
            in_french(page)
            left = page.evaluate(READ)
            found[name, "French"] = [key for piece, key in english.items() if piece in left]
            enlarged(page)
            found[name, "presenter"] = unread(page) + found_by_axe(page, NO_CONTRAST)
            parts = ("h1", PICTURES[each.URL]) if each.URL in PICTURES else ()
            found[name, "first screen"] = [part for part in parts if not in_window(page, part)]
        for path, screen in FOLDED.items():
            visit(page, shipped_address, path)
            if screen == "dark":
                darkened(page)
            found[path, screen] = found_by_axe(page)
            found[path, screen] += unread(page) if screen == "presenter" else torn(page)
    assert {where: what for where, what in found.items() if what} == {}
    assert len(titles) == len(PAGES)


def test_every_page_on_a_phone_and_a_tablet_is_a_tap_away(browser: Browser, shipped_address: str):
    found: dict[tuple[str, str], list[object]] = {}
    with seen_on(browser, PHONE, **TOUCH) as page:
        visit(page, shipped_address, "")
        for each in chain.from_iterable(PLACES.values()):
            name = title_of(each)
            turn_to(page, each.URL)
            found[name, "phone"] = unfit(page) + found_by_axe(page)
            page.set_viewport_size(TABLET)
            settle(page)
            found[name, "tablet"] = unfit(page)
            page.set_viewport_size(PHONE)
            settle(page)
    assert {where: what for where, what in found.items() if what} == {}


def test_a_tap_says_what_a_pointer_says_and_what_a_block_is(browser: Browser, address: str):
    with seen_on(browser, PHONE, **TOUCH) as page:
        visit(page, address, "map")
        page.locator("[data-block=source_embedding]:visible").first.tap()
        tip = page.locator(".loupe-tip")
        tip.wait_for(state="visible")
        assert "source_embedding" in tip.inner_text()
        page.touchscreen.tap(380, 60)
        tip.wait_for(state="hidden")
        attention = '[data-block^="encoder.layers"][data-block$="self_attn"]:visible'
        block = page.locator(f".st-key-card_map {attention}").first
        block.tap(position={"x": 20, "y": 6})
        told = page.locator(".loupe-map-told")
        expect(told).to_contain_text("Each word takes what it needs from all words")
        assert page.url.split("?")[0].endswith("/map")
        told.get_by_role("button", name="Open its heads").tap()
        page.wait_for_url(lambda url: "/map" not in url)


STYLE = "(node, name) => getComputedStyle(node)[name]"


def background(page: Page, selector: str) -> str:
    return page.locator(selector).first.evaluate(STYLE, "backgroundColor")


def test_forced_colours_say_what_is_on_what_is_selected_and_how_long_a_bar_is(browser, address):
    switch = "[data-testid=stCheckbox] label{} > span + div"
    with seen_on(browser, DESK, forced_colors="active") as page:
        visit(page, address, "masks")
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


def in_window(page: Page, selector: str) -> bool:
    return page.locator(selector).first.evaluate(
        """node => {
          const { top, bottom } = node.getBoundingClientRect();
          return bottom > top && top >= 0 && bottom <= innerHeight;
        }"""
    )


def test_in_presenter_mode_a_stage_of_start_and_the_way_on_stand_on_one_screen(
    browser: Browser, address: str
):
    parts = (".loupe-start-board", ".loupe-start-said", "[data-name=next]")
    with seen_on(browser, BEAMER) as page:
        visit(page, address, f"?scene={SCENES[0]}&presenter=true")
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
    with seen_on(browser, BEAMER) as page:
        visit(page, address, "embeddings?presenter=true")
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
    with seen_on(browser, DESK) as page:
        visit(page, address, "?scene=query")
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


@pytest.mark.smoke
def test_on_a_phone_the_pages_are_seen_whole_and_go_on(browser: Browser, address: str):
    with seen_on(browser, PHONE, **TOUCH) as page:
        visit(page, address, "")
        opener = page.get_by_role("button", name="Menu", exact=True)
        arrows = opener.locator("> span").bounding_box()
        assert opener.bounding_box()["width"] > arrows["width"] + 24, "its name is not seen"
        row = page.locator(".st-key-places")
        link = row.locator("a").first.bounding_box()
        box = row.bounding_box()
        assert link
        assert box
        assert box["y"] <= link["y"]
        assert link["y"] + link["height"] <= box["y"] + box["height"]
        visit(page, address, "compare?source=the+cat+sleeps+.&lang=fr")
        page.wait_for_function(
            """() => {
              const here = [...document.querySelectorAll("[aria-current=page]")];
              const isSeen = ({ left, right }) => left > 0 && right < innerWidth;
              const boxes = here.map((link) => link.getBoundingClientRect());
              return here.length === 2 && boxes.every(isSeen);
            }"""
        )


def test_what_is_typed_is_not_covered_by_the_key_that_takes_it(browser: Browser, address: str):
    with seen_on(browser, DESK) as page:
        for path, size in (("", DESK), ("", PHONE), ("?presenter=true", BEAMER)):
            page.set_viewport_size(size)
            visit(page, address, path)
            if path:
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
    with seen_on(browser, BEAMER) as page:
        visit(page, address, "training?part_training=live&presenter=true")
        page.get_by_test_id("stNumberInput").nth(2).wait_for()
        for width in (390, 820, 1280):
            page.set_viewport_size({"width": width, "height": 720})
            settle(page)
            assert not page.evaluate(PAIRS_MEET), width
