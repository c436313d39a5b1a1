"""The switches of the thumbnails: visible when the user points at one, and what their bars mean."""

from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_context, ready

DISCS = """() => [...document.querySelectorAll(".loupe-head-switch")].map(
  (node) => getComputedStyle(node, "::before").opacity)"""


def test_a_switch_is_seen_where_it_is_meant_and_its_bars_are_explained(page: Page):
    ready(page)
    thumbs = page.locator(".loupe-thumb")
    pressed = thumbs.evaluate_all("all => all.map((n) => n.ariaPressed)")
    chosen = pressed.index("true")
    other = (chosen + 1) % len(pressed)
    page.mouse.move(0, 0)
    expected = ["0"] * len(pressed)
    expected[chosen] = "1"
    page.wait_for_function(f"wanted => String(({DISCS})()) === String(wanted)", arg=expected)
    thumbs.nth(other).hover()
    expected[other] = "1"
    page.wait_for_function(f"wanted => String(({DISCS})()) === String(wanted)", arg=expected)
    page.mouse.move(0, 0)
    page.locator(".loupe-head-switch").nth(other).focus()
    page.wait_for_function(f"wanted => String(({DISCS})()) === String(wanted)", arg=expected)

    expect_bars_explained(page)


def expect_bars_explained(page: Page) -> None:
    legend = page.locator(".loupe-damage-legend")
    expect(legend).to_have_text("Orange: the loss added by switching this head off")
    colours = page.evaluate(
        """() => [".loupe-damage-swatch", ".loupe-head-switch"].map((of, i) => getComputedStyle(
             document.querySelector(of), i ? "::after" : null).backgroundImage.split(" 0%")[0]
             .match(/rgb[^)]*\\)/)[0])"""
    )
    assert colours[0] == colours[1]


def test_a_finger_switches_no_head_whose_switch_is_unseen(browser: Browser, address: str):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with open_context(browser, **phone) as context:
        page = context.new_page()
        page.goto(f"{address}/attention?kind=cross-attention")
        ready(page)
        pressed = page.locator(".loupe-thumb").evaluate_all("all => all.map((n) => n.ariaPressed)")
        other = pressed.index("false")
        switch = page.locator(".loupe-head-switch").nth(other)
        switch.scroll_into_view_if_needed()
        box = switch.bounding_box()
        assert box
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page.locator(".loupe-thumb").nth(other)).to_have_attribute("aria-pressed", "true")
        expect(switch).to_have_attribute("aria-checked", "true")
