"""Fixtures: a served site, and a page that fails the test if it reports an error."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from qa.audit.browser import serve_files
from tests.browsing import SIZE, untroubled


@pytest.fixture(scope="module", autouse=True)
def _own_models() -> Iterator[None]:
    """Restore the list of models, to which the command adds the folders of a site."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LOUPE_MODELS", "")
        yield


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """Serve the folder into which a module of tests has written its site; yield the address."""
    with serve_files(folder) as address:
        yield address


@pytest.fixture(scope="module")
def kept_page(browser: Browser) -> Iterator[Page]:
    """Open one page for a module's tests: only the first of them has to compile the site's code.

    Service workers are blocked on it, so their tests open browsers of their own.
    """
    options = {"viewport": SIZE, "locale": "en-GB", "service_workers": "block"}
    with browser.new_context(**options) as context:
        yield context.new_page()


@pytest.fixture
def page(kept_page: Page) -> Iterator[Page]:
    """Lend a page that fails on errors and has forgotten what earlier tests stored."""
    with untroubled(kept_page.context):
        yield kept_page
        if kept_page.url != "about:blank":
            kept_page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        kept_page.goto("about:blank")
    kept_page.unroute_all()
    kept_page.set_viewport_size(SIZE)
    kept_page.emulate_media(color_scheme="light")
