"""Show pages on screens and find faults: axe-core findings, and cut, small or too wide parts."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import open_context, ready

AXE = Path(sys.prefix) / "browser" / "node_modules" / "axe-core" / "axe.min.js"
NOT_OURS = (
    # Streamlit's own elements, which a page cannot change.
    "[data-testid=stDataFrame]",  # a grid on a canvas, with a table for screen readers beside it
    "[data-testid=stIFrame]",  # BertViz's pictures, shown unchanged
)
DESK, BEAMER = {"width": 1366, "height": 768}, {"width": 1280, "height": 720}
PHONE, TOUCH = {"width": 390, "height": 844}, {"has_touch": True, "is_mobile": True}
LEAST_TARGET = 24
LEAST_TYPE = 18

TEXTS = """
() => {
  const found = [];
  const drawings = [...document.querySelectorAll("svg")];
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
    """Return the code of axe-core. If it is not installed, skip the test, or fail it in CI."""
    if not AXE.exists():
        message = "axe-core is not installed: `python3 start.py test` does it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return AXE.read_text(encoding="utf-8")


@contextmanager
def seen_on(browser: Browser, size: dict[str, int], **options: object) -> Iterator[Page]:
    """Open a page on a screen; fail if it calls another host or reports an error.

    The app's content security policy is bypassed, because it would block axe-core.
    """
    with open_context(browser, bypass_csp=True, viewport=size, **options) as context:
        yield context.new_page()


def visit(page: Page, address: str, path: str) -> None:
    """Open one page, and wait for its pictures, which load later."""
    page.goto(f"{address}/{path}")
    ready(page)


CONTRAST = {"runOnly": ["color-contrast"]}
NO_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
"""Rules for a page whose colours were already checked, which takes longest."""
SCROLLING = {"runOnly": ["scrollable-region-focusable"]}
"""Rules for a page already checked in another window size or type size."""
TURNED = {"runOnly": [*CONTRAST["runOnly"], *SCROLLING["runOnly"]]}
"""Rules for a page already checked in other colours and another window size."""


LEAVE_OUT_THE_LIGHT = """() => axe.configure({ rules: axe._audit.rules
  .filter((rule) => ["minor", "moderate"].includes(rule.impact))
  .map(({ id }) => ({ id, enabled: false })) })"""
"""Disable the rules whose findings are never serious; they take a third of the time."""


def found_by_axe(page: Page, only: dict | None = None) -> list[str]:
    """List the serious or critical findings of axe-core, by all its rules or by some."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(axe())
        page.evaluate(LEAVE_OUT_THE_LIGHT)
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
    """List the pairs of texts in one drawing that overlap."""
    found = []
    drawn = [each for each in texts if each["drawing"] >= 0]
    for i, one in enumerate(drawn):
        for other in drawn[i + 1 :]:
            if one["drawing"] != other["drawing"]:
                continue
            a, b = one["box"], other["box"]
            wide, high = min(a[1], b[1]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[2], b[2])
            areas = [(box[1] - box[0]) * (box[3] - box[2]) for box in (a, b)]
            if wide > 3 and high > 3 and wide * high > 0.25 * min(areas):
                found.append(f"{one['text'][:30]} / {other['text'][:30]}")
    return found


def torn(page: Page) -> list[object]:
    """List cut texts, empty pictures and tracebacks, and say if the page is too wide."""
    return page.evaluate(CUT_TEXTS) + page.evaluate(BLANK) + too_wide(page, 1)


def too_wide(page: Page, most: int) -> list[str]:
    wide = page.evaluate(OVERFLOW, page.viewport_size["width"])
    return [f"{wide} pixels too wide"] if wide > most else []


def unread(page: Page) -> list[str]:
    """List the texts that are too small to read from the last row, or that overlap."""
    texts = page.evaluate(TEXTS)
    small = [each for each in texts if each["size"] < LEAST_TYPE - 0.1]
    sizes = [f"{each['size']:.1f} {each['text'][:40]}" for each in small]
    return (sizes or ([] if texts else ["no text"])) + overlapping(texts)


def unfit(page: Page) -> list[str]:
    """List targets too small for fingers, and say if the page is wider than the screen."""
    return page.evaluate(TARGETS, LEAST_TARGET) + too_wide(page, 0)


def in_window(page: Page, selector: str) -> bool:
    return page.locator(selector).first.evaluate(
        """node => {
          const { top, bottom } = node.getBoundingClientRect();
          return bottom > top && top >= 0 && bottom <= innerHeight;
        }"""
    )
