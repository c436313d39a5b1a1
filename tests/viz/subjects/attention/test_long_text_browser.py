"""A head of a long text: its map, the zoom around the selected cell, and the other heads."""

from playwright.sync_api import Page, expect

from tests.browsing import open_page, ready

SCREEN = {"width": 1440, "height": 900}
LONG = "+".join(["the+dog+sees+the+cat"] * 50)
BOXES = """() => [...document.querySelectorAll(
    ".loupe-maps > .loupe-heatmap, .loupe-thumb-place")]
  .filter((node) => node.checkVisibility())
  .map((node) => node.getBoundingClientRect()).map(({ left, right, top, bottom }) =>
    ({ left, right, top, bottom }))"""


def test_a_zoom_is_beside_a_long_map_and_its_lines_come_when_asked_for(browser, address):
    with open_page(browser, f"{address}/attention") as page:
        ready(page)
        expect(page.locator(".loupe-lines")).to_be_visible()  # at once for a short text
        expect(page.get_by_role("button", name="As lines")).to_be_hidden()
        page.set_viewport_size(SCREEN)
        page.goto(f"{address}/attention?kind=encoder+self-attention&source={LONG}")
        ready(page)
        whole, lens, *thumbs = page.evaluate(BOXES)
        assert whole["right"] <= lens["left"]
        assert lens["top"] < whole["bottom"]
        assert all(thumb["bottom"] <= 1.25 * SCREEN["height"] for thumb in thumbs)
        lines = page.locator(".loupe-lines")
        expect(lines).to_have_count(0)
        asked = page.get_by_role("button", name="As lines")
        expect(asked).to_have_attribute("aria-expanded", "false")
        asked.focus()
        page.keyboard.press("Enter")
        expect(lines).to_be_visible()
        expect(asked).to_have_attribute("aria-expanded", "true")
        assert_selection_is_drawn(page)
        asked.click()
        expect(lines).to_have_count(0)


def assert_selection_is_drawn(page: Page) -> None:
    """Assert that the lines follow a selection far away."""
    page.evaluate("() => loupe.select({ query: 240, key: 239 })")
    expect(page.locator(".loupe-lines .loupe-row.loupe-lit")).to_have_attribute("data-row", "240")
