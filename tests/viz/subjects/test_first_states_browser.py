"""What a page shows at first, in a real browser: one question, in one and a half screens."""

import pytest
from playwright.sync_api import Browser

from tests.browsing import open_page, ready, settle

NAMES = "touch map masks decoding positions embeddings mattered corpus compare variants training"
SCREEN = {"width": 1366, "height": 768}
MOST = 1152
"""One and a half screens."""


@pytest.mark.parametrize("name", NAMES.split())
def test_a_page_begins_within_one_and_a_half_screens(
    browser: Browser, shipped_address: str, name: str
):
    with open_page(browser, f"{shipped_address}/{name}") as page:
        page.set_viewport_size(SCREEN)
        ready(page)
        height = page.get_by_test_id("stMainBlockContainer").evaluate("node => node.scrollHeight")
        assert height <= MOST
        assert page.locator("h1").count() == 1


FIELDS = {
    "positions": "more_positions_encoding=true",
    "training": "part_training=rate",
}


@pytest.mark.parametrize("name", FIELDS)
def test_number_fields_keep_apart_in_presenter_mode(browser: Browser, address: str, name: str):
    with open_page(browser, f"{address}/{name}?presenter=true&{FIELDS[name]}") as page:
        fields = page.get_by_test_id("stNumberInput")
        fields.nth(2).wait_for()
        for width in (390, 820, 1280):
            page.set_viewport_size({"width": width, "height": 720})
            settle(page)
            boxes = [field.bounding_box() for field in fields.all()]
            for i, one in enumerate(boxes):
                for other in boxes[i + 1 :]:
                    apart = (
                        one["x"] + one["width"] <= other["x"] + 1
                        or other["x"] + other["width"] <= one["x"] + 1
                        or one["y"] + one["height"] <= other["y"] + 1
                        or other["y"] + other["height"] <= one["y"] + 1
                    )
                    assert apart, (width, one, other)


def test_a_part_that_is_opened_stands_in_the_link(browser: Browser, address: str):
    with open_page(browser, f"{address}/masks") as page:
        page.get_by_text("Each mask by itself").click()
        page.wait_for_url("**more_masks_each=true**")
        page.reload()
        page.get_by_text("Encoder self-attention: padding mask", exact=True).wait_for()


def test_opening_a_part_of_training_closes_the_one_before(browser: Browser, address: str):
    with open_page(browser, f"{address}/training") as page:
        page.get_by_text("Label smoothing: why").click()
        page.wait_for_url("**more_training_smoothing=true**")
        page.get_by_role("slider", name="Smoothing").wait_for()
        page.get_by_text("The learning rate: why").click()
        page.wait_for_url(lambda url: "_rate=true" in url and "smoothing=true" not in url)
        page.get_by_role("slider", name="Smoothing").wait_for(state="detached")


def test_a_touch_says_what_a_block_is_and_a_second_one_opens_it(browser: Browser, address: str):
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(f"{address}/map")
    large = page.locator(".st-key-card_map")
    block = large.locator('[data-block="encoder.layers.1.self_attn"]').first
    block.wait_for()
    settle(page)
    block.tap(position={"x": 20, "y": 6})
    told = page.locator(".loupe-map-told")
    assert "Each source token reads the source tokens" in told.inner_text()
    assert page.url.split("?")[0].endswith("/map")
    told.get_by_role("button", name="Open its heads").tap()
    page.wait_for_url(lambda url: "/map" not in url)
    page.close()
