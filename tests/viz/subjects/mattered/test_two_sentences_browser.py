"""The way from Start's answer to the page that shows how the model gets there."""

from playwright.sync_api import Browser, expect

from tests.browsing import open_page, ready, settle, wait_until
from tests.checkpoints import FIRST

SHOWN_FIRST = """() => {
  const box = document.querySelector(".st-key-card_patching")?.getBoundingClientRect();
  return box && box.top > 0 && box.top < innerHeight / 4;
}"""


def test_the_answer_of_start_leads_to_the_way_of_the_difference(
    browser: Browser, shipped_address: str
):
    with open_page(browser, f"{shipped_address}/?checkpoint=everyday-paper-0&scene=answer") as page:
        ready(page)
        page.get_by_role("link", name="How does it get there?").click()
        page.wait_for_url("**/mattered?**")
        said = page.locator(".mattered-said-list li")
        expect(said.first).to_have_text("The difference starts at tired/wide.")
        expect(said.nth(1)).to_contain_text("carries it to it: head 3 alone restores")
        expect(said.last).to_contain_text("to write il/elle")
        wait_until(page, SHOWN_FIRST)
        field = page.get_by_label("A similar sentence with another translation")
        expect(field).to_have_value(FIRST.replace("tired", "wide"))
        settle(page)
        assert "two-sentences" not in page.url  # so coming back does not scroll again


def test_without_another_meaning_there_is_no_such_way(browser: Browser, shipped_address: str):
    link = f"{shipped_address}/?checkpoint=everyday-paper-0&scene=answer&source=She reads a book."
    with open_page(browser, link) as page:
        ready(page)
        expect(page.locator(".loupe-start-text")).to_be_visible()
        assert not page.get_by_role("link", name="How does it get there?").count()
