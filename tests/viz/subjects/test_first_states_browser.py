"""Parts of pages that open when their headings are clicked, in a real browser."""

from playwright.sync_api import Browser, expect

from tests.browsing import open_page


def test_a_part_that_is_opened_stands_in_the_link(browser: Browser, address: str):
    with open_page(browser, f"{address}/masks") as page:
        page.get_by_text("The batch: shorter sentences").click()
        page.wait_for_url("**more_masks_batch=true**")
        page.reload()
        expect(page.locator(".st-key-more_masks_batch table").first).to_be_visible()


def test_opening_a_part_of_training_closes_the_one_before(browser: Browser, address: str):
    with open_page(browser, f"{address}/training") as page:
        page.get_by_text("Train a model yourself, now").click()
        page.wait_for_url("**more_training_live=true**")
        fields = page.get_by_test_id("stNumberInput")
        expect(fields.first).to_be_visible()
        page.get_by_text("Time-lapse").click()
        page.wait_for_url(lambda url: "_live=true" not in url)
        expect(fields).to_have_count(0)
