"""The language is chosen in the app; what is left in English then, the screens' tests look for."""

import re

from playwright.sync_api import Browser, expect

from tests.browsing import open_menu, open_page, settle
from viz.pages import PAGES
from viz.pages import title as title_of


def test_the_language_is_chosen_in_the_side_bar_and_stands_in_the_link(
    browser: Browser, address: str
):
    with open_page(browser, f"{address}/masks") as page:
        expect(page.locator("html")).to_have_attribute("lang", "en")
        open_menu(page)
        page.get_by_role("radio", name="Français").click()
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        expect(page).to_have_url(re.compile("lang=fr"))
        page.get_by_role("link", name="Écrire").click()
        settle(page)
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        page.get_by_role("radio", name="English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        assert title_of(PAGES[0]) == "Start"
