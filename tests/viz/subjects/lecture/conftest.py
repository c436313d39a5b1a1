"""A person's browser for the lecture: its tabs share what it keeps."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browsing import LEAVE, PATIENCE_MS, untroubled

SCREEN = {"width": 1280, "height": 720}


@pytest.fixture(scope="package")
def _person(browser: Browser) -> Iterator[BrowserContext]:
    """One browser with one tab for all tests, so that it compiles the app once."""
    context = browser.new_context(viewport=SCREEN, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def page(_person: BrowserContext) -> Iterator[Page]:
    """Give its first tab; what the test keeps is forgotten, and its other tabs are closed."""
    page, *_ = _person.pages
    with untroubled(_person):
        yield page
        for each in _person.pages:
            if each.url.startswith("http"):
                each.evaluate(LEAVE)
        for other in _person.pages[1:]:
            other.close()
    page.mouse.move(0, 0)
    page.set_viewport_size(SCREEN)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
