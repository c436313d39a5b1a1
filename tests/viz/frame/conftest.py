"""Fixture: a page whose messages to Python a test can hold back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browsing import SIZE
from tests.held_line import Line


@pytest.fixture(scope="module")
def _kept_line(browser: Browser) -> Iterator[Line]:
    """Open one page for a module's tests; only the first of them has to compile the app's code."""
    page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    yield Line(page)
    page.close()


@pytest.fixture
def line(_kept_line: Line) -> Line:
    _kept_line.reset()
    return _kept_line
