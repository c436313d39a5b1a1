"""Overlays on a page, and elements appended beside it, have colours of their own."""

from collections.abc import Iterator

from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, ready
from tests.layout import COLOURS

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
"""Find overlays and elements beside the page whose text lacks a readable background."""


def open_each(page: Page) -> Iterator[str]:
    """Open each overlay of a page in turn; yield its name."""

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


UNSET = """() => ["panel", "ink", "line", "soft", "accent", "mono"].filter((name) =>
  !getComputedStyle(document.body).getPropertyValue(`--${name}`))"""
"""Return the colours that are not set for elements appended beside the app."""
GROUNDS = """() => ["html", ".stApp"].map((name) =>
  getComputedStyle(document.querySelector(name)).colorScheme)"""


def test_what_lies_over_a_page_has_colours_of_its_own(browser: Browser, address: str):
    found, unseen = {}, []
    with open_page(browser, f"{address}/attention") as page:
        for scheme in ("light", "dark"):
            if scheme == "dark":
                page.emulate_media(color_scheme=scheme)
                page.reload()
            ready(page)
            for name in open_each(page):
                seen, wrong = page.evaluate(AFLOAT)
                if wrong:
                    found[scheme, name] = wrong
                if not seen:
                    unseen.append((scheme, name))
            assert page.evaluate(UNSET) == []
            assert page.evaluate(GROUNDS) == [scheme, scheme]
    assert (found, unseen) == ({}, [])
