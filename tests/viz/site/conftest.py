"""A site that is served, and a page of a browser that may not complain."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from qa.audit.browser import serve_files
from tests.viz.site.opening import watched


@pytest.fixture(scope="module", autouse=True)
def _own_models() -> Iterator[None]:
    """Put back the list of models, to which the command adds the folders of a site."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LOUPE_MODELS", "")
        yield


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """Give the address of what a module of tests has written into its folder."""
    with serve_files(folder) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched(browser) as page:
        yield page
