"""What stays in place while a page scrolls hides what it covers, and covers nothing for good."""

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Page, expect

from qa.audit.browser import serve_files
from tests.browsing import open_context, ready, settle
from viz.pages import PAGES
from viz.site.__main__ import main as write_site

HEIGHTS = {320: 640, 390: 664, 820: 1180, 1280: 800, 1920: 1080}
"""Of the windows that each page is seen in, by their widths."""
CHANGED = "edits=zero!encoder.layers.1.self_attn.heads;h3"
OPENED = {
    "induction": "induction?checkpoint=induction-two-heads",
    "attention": f"attention?{CHANGED}",
    "decoding": "decoding?decoding=Beam&more_lens=true",
    "start": "?scene=scores",
}
"""What has parts that stay, of pages that are shown without them at first."""
SITE = ("", "?scene=scores", "learn/", "attention/", "touch/", "decoding/")
PRESENTED = ("attention?presenter=true", "decoding?decoding=Beam&presenter=true")
SCROLLED = 250

COLOURS = """
  const painter = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    painter.clearRect(0, 0, 1, 1);
    painter.fillStyle = colour;
    painter.fillRect(0, 0, 1, 1);
    return [...painter.getImageData(0, 0, 1, 1).data];
  };
  const named = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""}` +
    ` "${node.textContent.trim().slice(0, 30)}"`;
  const isSeen = (node) =>
    node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isWritten = (node) =>
    [...node.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim());
"""
SEE_ALL = "* { pointer-events: auto !important; }"
GROUNDLESS = f"""(by) => {{
  {COLOURS}
  const page = document.querySelector("[data-testid=stMain]") ?? document.scrollingElement;
  const found = new Set();
  const isOpaque = (node) => {{
    const style = getComputedStyle(node);
    return rgba(style.backgroundColor)[3] === 255 && style.opacity === "1";
  }};
  const inner = [...page.querySelectorAll("*")].filter((node) => isSeen(node) &&
    /auto|scroll/.test(getComputedStyle(node).overflow));
  const look = (scroller, side) => {{
    const within = scroller === page ? document.body : scroller;
    const all = [...within.querySelectorAll("*")].filter((node) =>
      !node.contains(scroller) && node.getClientRects().length && isSeen(node));
    const at = (node) => node.getBoundingClientRect()[side === "Top" ? "top" : "left"];
    const before = all.map(at);
    const start = scroller[`scroll${{side}}`];
    scroller[`scroll${{side}}`] = start + by;
    const moved = scroller[`scroll${{side}}`] - start;
    const stays = new Set(all.filter((node, i) => Math.abs(at(node) - before[i]) < moved - 1));
    const seen = scroller === document.scrollingElement
      ? new DOMRect(0, 0, innerWidth, innerHeight) : scroller.getBoundingClientRect();
    for (const node of stays) {{
      if (!isWritten(node) && !node.matches("button, a, input")) continue;
      const {{ left, right, top, bottom }} = node.getBoundingClientRect();
      const y = (top + bottom) / 2;
      for (const x of [left + 2, (left + right) / 2, right - 2]) {{
        const isOver = x > seen.left && x < seen.right && y > seen.top && y < seen.bottom;
        const stack = isOver ? document.elementsFromPoint(x, y) : [];
        if (!stack.some((each) => node.contains(each))) continue; // another one covers it
        const ground = stack.find((each) => !stays.has(each) || isOpaque(each));
        if (!stays.has(ground)) found.add(`no ground under ${{named(node)}}`);
      }}
    }}
    if (scroller !== page) scroller[`scroll${{side}}`] = start;
  }};
  look(page, "Top");
  for (const scroller of inner) for (const side of ["Top", "Left"])
    look(scroller, side);
  return [...found];
}}"""
"""Moves the page, and each part of it that scrolls: what did not move has to have a ground."""
COVERED = f"""() => {{
  {COLOURS}
  const parts = "a[href], button, input, select, textarea, summary, [role=button], [role=radio]";
  const all = [...document.querySelectorAll(parts)].filter((node) => isSeen(node) &&
    !node.disabled && !node.closest("[aria-hidden=true], [inert], .modebar") &&
    getComputedStyle(node).pointerEvents !== "none");
  const found = new Set();
  const isClipped = (node) => node && (node.clientWidth === 1 || isClipped(node.parentElement));
  const look = (node) => {{
    node.scrollIntoView({{ block: "nearest", inline: "nearest" }});
    const label = node.closest("label");
    const {{ left, right, top, bottom, width, height }} = node.getClientRects()[0] ?? new DOMRect();
    if (isClipped(node) || right <= 0) return; // something else is seen in its place, or is not
    const points = [(left + right) / 2, left + 3, right - 3];
    for (const x of points) {{
      const over = document.elementFromPoint(x, (top + bottom) / 2);
      const isOwn = over && (node.contains(over) || over.contains(node) || label?.contains(over));
      if (!isOwn) found.add(`${{over ? named(over) : "the edge"}} over ${{named(node)}}`);
    }}
  }};
  for (const node of all) look(node);
  for (const node of all.reverse()) look(node); // so that each is also scrolled to from below
  return [...found];
}}"""
"""Scrolls to each thing that can be pressed: it has to be there to be pressed."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    assert write_site([str(folder), "--model", "everyday-paper-0"]) == 0
    with serve_files(folder) as address:
        yield address


def laid_out(page: Page) -> list[str]:
    """What has no ground on a page that is scrolled, and what cannot be pressed."""
    style = page.add_style_tag(content=SEE_ALL)
    groundless = page.evaluate(GROUNDLESS, SCROLLED)
    style.evaluate("node => node.remove()")
    return groundless + page.evaluate(COVERED)


def found_on(page: Page, heights: Mapping[int, int]) -> dict[int, list[str]]:
    found = {}
    for width, height in heights.items():
        page.set_viewport_size({"width": width, "height": height})
        settle_drawn(page)
        if trouble := laid_out(page):
            found[width] = trouble
    return found


def settle_drawn(page: Page) -> None:
    """Wait for a page of the app or of the site to have drawn itself anew."""
    if page.locator("[data-testid=stApp]").count():
        settle(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_printed_over_and_all_of_it_can_be_pressed(
    browser: Browser, shipped_address: str, scheme: str
):
    found = {}
    urls = [OPENED.get(page.URL, page.URL) for page in PAGES]
    heights = HEIGHTS if scheme == "light" else {1280: HEIGHTS[1280]}
    with open_context(browser, bypass_csp=True, color_scheme=scheme) as context:
        page = context.new_page()
        for url in urls:
            page.set_viewport_size({"width": 320, "height": 640})
            page.goto(f"{shipped_address}/{url}")
            ready(page)
            found |= {(url, width): what for width, what in found_on(page, heights).items()}
        for url in PRESENTED:
            page.goto(f"{shipped_address}/{url}")
            ready(page)
            found |= {(url, width): what for width, what in found_on(page, {1280: 720}).items()}
    assert found == {}


def test_no_page_of_the_site_is_printed_over(browser: Browser, site: str):
    found = {}
    with open_context(browser, bypass_csp=True, locale="en-GB") as context:
        page = context.new_page()
        for path in SITE:
            page.goto(f"{site}/{path}")
            page.locator("main :is(button, svg, a):visible").first.wait_for()
            found |= {(path, width): what for width, what in found_on(page, HEIGHTS).items()}
    assert found == {}


AFLOAT = f"""() => {{
  {COLOURS}
  const over = ":popover-open, dialog[open], [role=listbox], [role=tooltip], body > :not(#root)";
  const outer = [...document.querySelectorAll(over)].filter((node) => isSeen(node));
  const mixed = (upper, lower) => upper.map((each, i) =>
    i < 3 ? (each * upper[3] + lower[i] * (255 - upper[3])) / 255 : 255);
  const light = (rgb) => {{
    const [r, g, b] = rgb.slice(0, 3).map((each) => each / 255)
      .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }};
  const wrong = [];
  let seen = 0;
  for (const root of outer)
    for (const node of [root, ...root.querySelectorAll("*")]) {{
      const {{ width, height }} = node.getBoundingClientRect();
      if (!isWritten(node) || !isSeen(node) || width < 3 || height < 3) continue;
      seen++;
      const layers = [];
      for (let at = node; at && layers.at(-1)?.[3] !== 255; at = at.parentElement) {{
        layers.push(rgba(getComputedStyle(at).backgroundColor));
        if (at === (root.closest("body > :not(#root)") ?? root)) break;
      }}
      if (layers.at(-1)[3] !== 255) {{
        wrong.push(`no ground under ${{named(node)}}`);
        continue;
      }}
      const ground = layers.reduceRight((lower, upper) => mixed(upper, lower));
      const ink = mixed(rgba(getComputedStyle(node).color), ground);
      const [a, b] = [light(ink), light(ground)].sort((one, other) => other - one);
      const contrast = (a + 0.05) / (b + 0.05);
      if (contrast < 4.5) wrong.push(`${{named(node)}} has a contrast of ${{contrast.toFixed(1)}}`);
    }}
  return [seen, wrong];
}}"""
"""What lies over a page or was appended beside it: each text has a ground to be read on."""


def open_each(page: Page) -> Iterator[str]:
    """Bring up all that a page shows over itself, one after another, by name."""

    def button(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()

    page.keyboard.press("a")
    expect(page.locator(".loupe-pin-said")).to_contain_text("Undo")
    yield "notice"
    page.locator(".loupe-answer .loupe-term, .loupe-term").first.hover()
    page.locator(".loupe-explained").wait_for(state="visible")
    yield "term"
    page.locator(".loupe-head .loupe-over").first.hover()
    page.locator(".loupe-tip").wait_for(state="visible")
    yield "tooltip"
    page.mouse.move(0, 0)
    page.locator(".loupe-save[aria-haspopup=menu]").first.focus()
    page.keyboard.press("Enter")
    page.locator(".loupe-save-menu:popover-open").wait_for(state="visible")
    yield "save"
    page.keyboard.press("Escape")
    for name, opened in (
        ("Glossary", ".loupe-glossary-list[open]"),
        ("Known words", ".loupe-words-dialog[open]"),
        ("Give the target", "[data-testid=stPopoverBody]"),
        ("Examples", "[role=menu]:not(.loupe-save-menu *)"),
    ):
        button(name)
        page.locator(opened).first.wait_for(state="visible")
        yield name
        page.keyboard.press("Escape")
        page.locator(opened).first.wait_for(state="hidden")
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("listbox").first.wait_for(state="visible")
    yield "models"
    page.keyboard.press("Escape")
    page.locator(".st-key-source input").fill("")
    page.locator(".st-key-source input").press_sequentially("th")
    page.locator(".loupe-typing [role=listbox]").wait_for(state="visible")
    yield "completions"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_lies_over_a_page_has_colours_of_its_own(browser: Browser, address: str, scheme: str):
    found, unseen = {}, []
    with open_context(browser, bypass_csp=True, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(f"{address}/attention")
        ready(page)
        for name in open_each(page):
            seen, wrong = page.evaluate(AFLOAT)
            if wrong:
                found[name] = wrong
            if not seen:
                unseen.append(name)
        variables = page.evaluate(
            """() => ["panel", "ink", "line", "soft", "accent", "mono"].filter((name) =>
                 !getComputedStyle(document.body).getPropertyValue(`--${name}`))"""
        )
        grounds = page.evaluate(
            """() => ["html", ".stApp"].map((name) =>
                 getComputedStyle(document.querySelector(name)).colorScheme)"""
        )
    assert (found, unseen, variables) == ({}, [], [])
    assert grounds == [scheme, scheme]
