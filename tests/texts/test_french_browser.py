"""The pages in French, after somebody has seen them in English: no English is left on them."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, ready, settle
from texts.saying import all_texts
from viz.pages import PAGES
from viz.pages import title as title_of

FIELDS = re.compile(r"\{[^{}]*\}|<[^<>]*>|[*`_]+|&\w+;")
"""What of a text is not seen as it stands: values, tags, signs of Markdown."""
READ = """() => {
  const own = document.body.cloneNode(true);
  const foreign = "code, pre, iframe, script, style, [lang=en]";
  for (const node of own.querySelectorAll(foreign)) node.remove();
  return own.textContent.replace(/\\s+/g, " ");
}"""
LEAST_WORDS = 3


def forms(key: str, language: str) -> list[str]:
    text = all_texts(language)[key]
    return [text] if isinstance(text, str) else [*text.values()]


def english() -> dict[str, str]:
    """The longest piece of each text that can only be English, by the piece; its key."""
    french = " ".join(form for key in all_texts("fr") for form in forms(key, "fr"))
    found = {}
    for key in all_texts("en"):
        for form in forms(key, "en"):
            piece = max(FIELDS.split(form), key=len).strip()
            if len(piece.split()) >= LEAST_WORDS and piece not in french:
                found[" ".join(piece.split())] = key
    return found


@pytest.fixture(scope="module")
def pieces() -> dict[str, str]:
    found = english()
    assert len(found) > 500
    return found


def see(page: Page, address: str) -> str:
    page.goto(address)
    ready(page)
    return page.evaluate(READ)


@pytest.mark.parametrize("module", PAGES, ids=[module.URL for module in PAGES])
def test_no_english_is_left_on_a_page(module, browser: Browser, address: str, pieces):
    link = f"{address}/{module.URL}?kind=cross-attention"
    with open_page(browser, f"{link}&lang=en") as page:
        seen = page.evaluate(READ)
        assert any(piece in seen for piece in pieces), "no text of a page in English was found"
        french = see(page, f"{link}&lang=fr")
        expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert {piece: key for piece, key in pieces.items() if piece in french} == {}


@pytest.mark.smoke
def test_the_language_is_chosen_in_the_side_bar_and_stands_in_the_link(
    browser: Browser, address: str
):
    with open_page(browser, f"{address}/masks") as page:
        expect(page.locator("html")).to_have_attribute("lang", "en")
        page.get_by_role("radio", name="Français").click()
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        expect(page).to_have_url(re.compile("lang=fr"))
        page.get_by_role("link", name="Décodage").click()
        settle(page)
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        page.get_by_role("radio", name="English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        assert title_of(PAGES[0]) == "Start"
