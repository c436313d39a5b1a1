"""Every page on every screen: what axe-core finds, what is read from afar, what fingers meet."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import open_context, ready, settle
from tests.checkpoints import SHIPPED
from viz.pages import PAGES
from viz.pages import title as title_of
from viz.script import lacks
from viz.subjects.start.actions import SCENES

AXE = Path(sys.prefix) / "browser" / "node_modules" / "axe-core" / "axe.min.js"
NOT_OURS = (
    # Streamlit's own, of which a page can change nothing.
    "[data-testid=stDataFrame]",  # a grid on a canvas, with a table for screen readers beside it
    "[data-testid=stIFrame]",  # BertViz' pictures, as they come
)
LEAST_TARGET = 24
LEAST_TYPE = 18


@dataclass(frozen=True)
class Screen:
    """A way to look at the app."""

    width: int
    height: int
    theme: Literal["light", "dark"] = "light"
    query: str = ""
    touch: bool = False
    forced: bool = False
    """Whether someone has chosen all colours, as Windows lets them."""


SCREENS = {
    "light": Screen(1366, 768),
    "dark": Screen(1366, 768, "dark"),
    "presenter": Screen(1280, 720, query="presenter=true"),
    "phone": Screen(390, 844, touch=True),
    "tablet": Screen(820, 1180, touch=True),
}
WALKS = (("dark", "light"), ("presenter",), ("phone",), ("tablet",))
"""Each page is opened once in each walk, in the colours of the page before, then seen in the other.

A change of colours has to leave nothing behind, so this sees no less.
"""
STATES = {
    "presenter": {"a beam": "decoding?decoding=Beam&presenter=true"},
    "dark": {"all heads": "?below=Every+head+in+numbers", "BertViz": "?below=BertViz"},
}
"""What a page shows only when it is asked for, on some screens."""

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
def seen_on(browser: Browser, screen: Screen) -> Iterator[Page]:
    """A page on a screen, which may reach nothing but the app and may not complain.

    The policy of the app's pages is put aside, because it would keep axe-core out.
    """
    with open_context(
        browser,
        bypass_csp=True,
        viewport={"width": screen.width, "height": screen.height},
        color_scheme=screen.theme,
        has_touch=screen.touch,
        is_mobile=screen.touch,
        forced_colors="active" if screen.forced else "none",
    ) as context:
        yield context.new_page()


def walk(page: Page, address: str, screen: Screen) -> Iterator[str]:
    """Open one page after the other, and give its name once it stands."""
    for each in PAGES:
        visit(page, address, f"{each.URL}?{screen.query}")
        yield title_of(each)


def visit(page: Page, address: str, path: str) -> None:
    """Open one page, and wait for its pictures, which come after it."""
    page.goto(f"{address}/{path}")
    ready(page)


def found_by_axe(page: Page) -> list[str]:
    """What axe-core finds to be serious or critical."""
    page.evaluate(axe())
    violations = page.evaluate(
        """exclude => axe.run({ exclude: exclude.map((each) => [each]) },
             { resultTypes: ["violations"] }).then((found) => found.violations)""",
        list(NOT_OURS),
    )
    return [
        f"{one['impact']} {one['id']}: {node['target']} {node['html'][:120]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@dataclass(frozen=True)
class Seen:
    """What a page was on a screen."""

    title: str
    headings: int
    serious: list[str]
    texts: list[dict]
    overflow: int
    """Pixels by which it is wider than the screen."""
    small: list[str]
    """What is too small for a finger."""
    torn: list[object]
    """Texts that are cut off, pictures in which nothing is, tracebacks."""


@pytest.fixture(scope="module")
def seen(browser: Browser, address: str) -> Callable[[str], dict[str, Seen]]:
    """Walk once over all pages on some screens; give what was seen on one, by the pages' titles."""

    @cache
    def walked(names: tuple[str, ...]) -> dict[str, dict[str, Seen]]:
        found: dict[str, dict[str, Seen]] = {name: {} for name in names}
        first, order = SCREENS[names[0]], list(names)
        with seen_on(browser, first) as page:
            for title in walk(page, address, first):
                for name in order:
                    put_on(page, SCREENS[name])
                    found[name][title] = look_at(page, SCREENS[name])
                order.reverse()
            for name in names:
                for state, path in STATES.get(name, {}).items():
                    visit(page, address, path)
                    put_on(page, SCREENS[name])
                    found[name][state] = look_at(page, SCREENS[name])
        return found

    return lambda name: walked(next(names for names in WALKS if name in names))[name]


def put_on(page: Page, screen: Screen) -> None:
    """Show an open page as another screen of the same kind does."""
    size = {"width": screen.width, "height": screen.height}
    scheme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    if (page.viewport_size, scheme) == (size, screen.theme):
        return
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=screen.theme)
    settle(page)
    settle(page)  # the script, which runs again for the colours of figures, may only have begun


def look_at(page: Page, screen: Screen) -> Seen:
    """Look at everything that a test asks about."""
    return Seen(
        title=page.title(),
        headings=page.locator("h1").count(),
        serious=found_by_axe(page) if AXE.exists() else [],
        texts=page.evaluate(TEXTS),
        overflow=page.evaluate(OVERFLOW, screen.width),
        small=page.evaluate(TARGETS, LEAST_TARGET),
        torn=page.evaluate(CUT_TEXTS) + page.evaluate(BLANK),
    )


@pytest.mark.parametrize("name", SCREENS)
def test_axe_finds_nothing_serious_on_any_page(seen, name: str):
    axe()
    assert {title: page.serious for title, page in seen(name).items() if page.serious} == {}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_page_is_drawn_whole(seen, name: str):
    pages = seen(name)
    assert {title: page.torn for title, page in pages.items() if page.torn} == {}
    assert {title: page.overflow for title, page in pages.items() if page.overflow > 1} == {}


def test_every_page_has_one_heading_of_the_first_level_and_a_title_of_its_own(seen):
    pages = seen("light")
    assert [page.headings for page in pages.values()] == [1] * len(PAGES)
    assert all(title in page.title for title, page in pages.items())
    assert len({page.title for page in pages.values()}) == len(PAGES)


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


def test_in_presenter_mode_everything_can_be_read_from_the_last_row(seen):
    pages = seen("presenter")
    assert len(pages) == len(PAGES) + len(STATES["presenter"])
    for title, page in pages.items():
        assert page.texts
        small = [
            f"{text['size']:.1f} {text['text'][:40]}"
            for text in page.texts
            if text["size"] < LEAST_TYPE - 0.1
        ]
        assert (title, small, overlapping(page.texts)) == (title, [], [])


@pytest.mark.parametrize("name", ["phone", "tablet"])
def test_fingers_find_what_they_need(seen, name: str):
    pages = seen(name)
    assert {title: page.overflow for title, page in pages.items() if page.overflow > 0} == {}
    assert {title: page.small for title, page in pages.items() if page.small} == {}


def test_on_a_phone_each_page_is_a_tap_away(browser: Browser, address: str):
    screen = SCREENS["phone"]
    with seen_on(browser, screen) as page:
        page.goto(address)
        settle(page)
        anatomy = load_checkpoint(SHIPPED / "everyday-paper-0").anatomy
        for each in [each for each in PAGES[::-1] if not lacks(each, anatomy)]:
            page.locator(".st-key-page_links").get_by_role("link", name=title_of(each)).tap()
            page.wait_for_function("title => document.title.startsWith(title)", arg=title_of(each))
            settle(page)


def test_a_tap_says_what_a_pointer_says_and_the_next_one_puts_it_away(browser, address):
    screen = SCREENS["phone"]
    with seen_on(browser, screen) as page:
        page.goto(f"{address}/map")
        settle(page)
        page.locator("[data-block=source_embedding]:visible").first.tap()
        tip = page.locator(".loupe-tip")
        tip.wait_for(state="visible")
        assert "source_embedding" in tip.inner_text()
        page.touchscreen.tap(380, 60)
        tip.wait_for(state="hidden")


STYLE = "(node, name) => getComputedStyle(node)[name]"


def background(page: Page, selector: str) -> str:
    return page.locator(selector).first.evaluate(STYLE, "backgroundColor")


def test_forced_colours_say_what_is_on_and_what_is_selected(browser: Browser, address: str):
    switch = "[data-testid=stCheckbox] label{} > span + div"
    with seen_on(browser, Screen(1366, 768, forced=True)) as page:
        visit(page, address, "masks")
        on, off = switch.format("[data-selected=true]"), switch.format(":not([data-selected])")
        assert background(page, on) != background(page, off)
        for track in (on, off):
            assert background(page, track) != background(page, f"{track} > div"), "no knob"
        assert page.locator(off).first.evaluate(STYLE, "boxShadow") != "none"
        option = "[role=radio][aria-checked={}]"
        assert background(page, option.format("true")) != background(page, option.format("false"))


def test_forced_colours_leave_bars(browser: Browser, address: str):
    with seen_on(browser, Screen(1366, 768, forced=True)) as page:
        visit(page, address, "attention")
        assert background(page, ".cell-length i") != background(page, ".cell-head > .cell-length")
        visit(page, address, "decoding")
        assert background(page, ".studio-meter i") != background(page, ".studio-meter")


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
    parts = (".st-key-source", ".loupe-start-board", ".loupe-start-said", "[data-name=next]")
    with seen_on(browser, SCREENS["presenter"]) as page:
        for scene in SCENES:
            visit(page, address, f"?scene={scene}&presenter=true")
            assert [(scene, part) for part in parts if not in_window(page, part)] == []
            tops = page.locator(".loupe-start-word:not(.loupe-special)").evaluate_all(
                "nodes => nodes.map((node) => Math.round(node.getBoundingClientRect().top))"
            )
            assert len(set(tops)) == 1, "the sentence stands on more than one line"


@pytest.mark.parametrize("width", [1280, 1024])
def test_the_pager_of_presenter_mode_covers_nothing(browser: Browser, address: str, width: int):
    with seen_on(browser, Screen(width, 720)) as page:
        visit(page, address, "embeddings?presenter=true")
        page.mouse.move(width / 2, 400)
        page.mouse.wheel(0, 5000)
        page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
        settle(page)
        covered = page.evaluate(
            """() => {
              const box = (node) => node.getBoundingClientRect();
              const tools = box(document.querySelector(".st-key-presenter_tools"));
              const links = [...document.querySelectorAll("[data-testid=stTopNavLink]")].map(box);
              const right = Math.max(...links.map((link) => link.right));
              const header = box(document.querySelector("[data-testid=stHeader]"));
              return tools.bottom > header.bottom || (tools.bottom > 0 && tools.left < right);
            }"""
        )
        assert not covered


def test_the_keyboard_is_seen_where_it_is(browser: Browser, address: str):
    ring = "node => { const s = getComputedStyle(node); return s.outlineStyle + s.outlineWidth; }"
    with seen_on(browser, SCREENS["light"]) as page:
        visit(page, address, "?scene=query")
        page.keyboard.press("Tab")
        found = {}
        for name, focused, ringed in (
            ("page", "[data-testid=stTopNavLink]", "[data-testid=stTopNavLink]"),
            ("switch", ".st-key-presenter input", ".st-key-presenter label > span + div"),
            ("button", ".st-key-keys button", ".st-key-keys button"),
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
    with seen_on(browser, SCREENS["phone"]) as page:
        visit(page, address, "")
        row = page.locator(".st-key-page_links")
        link = row.locator("a").first.bounding_box()
        box = row.bounding_box()
        assert link
        assert box
        assert box["y"] <= link["y"]
        assert link["y"] + link["height"] <= box["y"] + box["height"]
        assert "gradient" in row.evaluate(STYLE, "maskImage")
        visit(page, address, "compare")
        page.wait_for_function(
            """() => {
              const here = document.querySelector(".st-key-page_links [aria-current]");
              const { left, right } = here?.getBoundingClientRect() ?? {};
              return left > 0 && right < innerWidth;
            }"""
        )


@pytest.mark.parametrize("name", ["light", "phone", "presenter"])
def test_what_is_typed_is_not_covered_by_the_key_that_takes_it(
    browser: Browser, address: str, name: str
):
    screen = SCREENS[name]
    with seen_on(browser, screen) as page:
        visit(page, address, f"?{screen.query}")
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
