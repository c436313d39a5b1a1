"""Fixture: one page on which all tests draw their maps."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.viz.subjects.map.drawn_maps import blank


@pytest.fixture(scope="package")
def map_page(browser: Browser) -> Iterator[Page]:
    with blank(browser) as page:
        yield page
