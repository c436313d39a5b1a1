"""Find texts without a background while a page scrolls below them, and covered controls."""

from collections.abc import Mapping

from playwright.sync_api import Page

from tests.browsing import settle

HEIGHTS = {1366: 768, 320: 640, 820: 1180, 1920: 1080}
"""Heights of the windows by their widths; one width of each layout between the breakpoints."""
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
  const meetAll = new CSSStyleSheet();
  meetAll.replaceSync("* {{ pointer-events: auto !important; }}");
  document.adoptedStyleSheets.push(meetAll);
  look(page, "Top");
  for (const scroller of inner) for (const side of ["Top", "Left"])
    look(scroller, side);
  document.adoptedStyleSheets.pop();
  return [...found];
}}"""
"""Scroll the page and its scrolling parts; whatever does not move needs an opaque background."""
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
"""Scroll to each control; no other element may cover it."""

LAID_OUT = f"""(by) => {{
  const found = [...({GROUNDLESS})(by), ...({COVERED})()];
  (document.querySelector("[data-testid=stMain]") ?? document.scrollingElement).scrollTo(0, 0);
  return found;
}}"""
"""Run both checks before the browser paints again, and scroll back to the top."""


def laid_out(page: Page) -> list[str]:
    """List texts without a background on a scrolled page, and controls that are covered."""
    return page.evaluate(LAID_OUT, SCROLLED)


def found_on(page: Page, heights: Mapping[int, int]) -> dict[int, list[str]]:
    found = {}
    for width, height in heights.items():
        page.set_viewport_size({"width": width, "height": height})
        settle_drawn(page)
        if trouble := laid_out(page):
            found[width] = trouble
    return found


def settle_drawn(page: Page) -> None:
    """Wait until a page of the app or of the site has been redrawn."""
    if page.locator("[data-testid=stApp]").count():
        settle(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
