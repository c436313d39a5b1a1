"""Light and dark in a real browser: a page that switches draws the same as a fresh one."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, settle

DRAWN = """[...document.querySelectorAll("canvas, svg image")]
  .filter((node) => node.getBoundingClientRect().width)
  .map((node) => node.href?.baseVal ?? node.toDataURL())"""
LOOKS = 40
HAS_ALL = "() => window.loupe && (loupe.page !== 'attention' || loupe.traces?.size > 0)"
"""On Attention, the small map shows results of the browser's own model, which may come last."""


def drawn(page: Page) -> list[str]:
    """Return the contents of each canvas and image once they no longer change."""
    page.wait_for_function(HAS_ALL)
    before: list[str] = []
    for _ in range(LOOKS):
        settle(page)
        now = page.evaluate(DRAWN)
        if now and now == before:
            return now
        before = now
    raise AssertionError("pictures go on changing, or there are none")


def turn(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)


@pytest.mark.parametrize("path", ["attention", "compare"])
def test_every_picture_turns_dark_with_its_page(browser: Browser, shipped_address: str, path: str):
    with open_page(browser, f"{shipped_address}/{path}") as page:
        light = drawn(page)
        turn(page, "dark")
        turned = drawn(page)
        page.reload()
        assert [*map(hash, drawn(page))] == [*map(hash, turned)]
        turn(page, "light")
        assert [*map(hash, drawn(page))] == [*map(hash, light)]
        assert turned != light
