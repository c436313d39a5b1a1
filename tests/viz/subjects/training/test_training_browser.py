"""A live training in a real browser: seen from every page, found again, kept and opened."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browsing import open_page, serve, settle
from tests.checkpoints import write_checkpoints


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app, with a place for trainings of its own."""
    folder = write_checkpoints(tmp_path_factory.mktemp("checkpoints"))
    kept = tmp_path_factory.mktemp("data") / "checkpoints"
    environment = {"LOUPE_CHECKPOINTS": str(folder), "LOUPE_KEPT": str(kept)}
    with serve(folder, environment) as address:
        yield address


def mark(page: Page):
    return page.locator(".st-key-frame_running button")


def training(page: Page) -> str:
    found = re.search(r"training=([0-9a-f]{32})", page.url)
    assert found, page.url
    return found[1]


def test_a_training_is_seen_from_every_page_found_again_kept_and_opened(browser, served):
    query = "part_training=live&live_longest=4&live_steps=10000&checkpoint=english-french-headlist"
    address = f"{served}/training?{query}"
    with open_page(browser, address) as page:
        page.get_by_role("button", name="Train", exact=True).click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.get_by_text(re.compile("Training: step"))).not_to_have_count(0)
        id = training(page)

        page.get_by_role("link", name="Masks").click()
        expect(mark(page)).to_contain_text("of 10,000")
        page.wait_for_url(re.compile(f"masks.*training={id}"))
        page.reload()
        settle(page)
        expect(mark(page)).to_contain_text(re.compile(r"Training: step \d"))
        assert training(page) == id

        mark(page).click()
        page.wait_for_url(re.compile("/training"))
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        assert training(page) == id
        page.reload()
        settle(page)
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Keep as a checkpoint").click()
        opened = page.get_by_role("button", name=re.compile("Open reverse-live"))
        name = opened.inner_text().removeprefix("Open ")
        expect(mark(page)).to_have_count(0)
        opened.click()
        expect(page.get_by_label("Command source", exact=True)).to_have_value("reverse 3 1 4 1")
        page.wait_for_url(lambda url: f"checkpoint={name}" in url and "/training" not in url)
        expect(page.locator(".loupe-head").first).to_be_visible()
