"""Fixture: a page of the size at which a class sees a lecture."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import lent_page

SCREEN = {"width": 1280, "height": 720}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with lent_page(browser) as page:
        page.set_viewport_size(SCREEN)
        yield page
