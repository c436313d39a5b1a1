"""A live training in a real browser: visible from every page, and found again later."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, settle


def mark(page: Page):
    return page.locator(".st-key-frame_running button")


def training(page: Page) -> str:
    found = re.search(r"training=([0-9a-f]{32})", page.url)
    assert found, page.url
    return found[1]


def test_a_training_is_seen_from_every_page_and_found_again(browser: Browser, address: str):
    query = "part_training=live&live_longest=4&live_steps=10000&checkpoint=everyday-headlist"
    with open_page(browser, f"{address}/training?{query}") as page:
        page.get_by_role("button", name="Train", exact=True).click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.get_by_text(re.compile("Training: step"))).not_to_have_count(0)
        id = training(page)

        page.get_by_role("link", name="Compare").click()
        expect(mark(page)).to_contain_text("of 10,000")
        page.wait_for_url(re.compile(f"compare.*training={id}"))
        page.reload()
        settle(page)
        expect(mark(page)).to_contain_text(re.compile(r"Training: step \d"))
        assert training(page) == id

        mark(page).click()
        page.wait_for_url(re.compile("/training"))
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        assert training(page) == id
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Keep as a checkpoint")).to_be_visible()
        expect(mark(page)).to_have_count(0)
