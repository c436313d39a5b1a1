"""Parts of pages that open at their headings, in a real browser."""

from playwright.sync_api import Browser, expect

from tests.browsing import open_page


def test_a_part_that_is_opened_stands_in_the_link(browser: Browser, address: str):
    with open_page(browser, f"{address}/masks") as page:
        page.get_by_text("The batch: shorter sentences").click()
        page.wait_for_url("**more_masks_batch=true**")
        page.reload()
        mask = page.get_by_text("Encoder self-attention: padding mask", exact=True)
        expect(mask).to_be_visible()


def test_opening_a_part_of_training_closes_the_one_before(browser: Browser, address: str):
    with open_page(browser, f"{address}/training") as page:
        page.get_by_text("Label smoothing: why").click()
        page.wait_for_url("**more_training_smoothing=true**")
        expect(page.get_by_role("slider", name="Smoothing")).to_be_visible()
        page.get_by_text("The learning rate: why").click()
        page.wait_for_url(lambda url: "_rate=true" in url and "smoothing=true" not in url)
        expect(page.get_by_role("slider", name="Smoothing")).to_have_count(0)
