"""A user downloads a model from the Hub and opens it, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, serve
from tests.model.foreign.hub.stand_in import COMMIT, Hub, put_folder, served
from tests.model.foreign.imports.folders import write_gpt2
from tests.processes import until

NAME = "org/tiny-gpt2"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    made = Hub()
    put_folder(made, write_gpt2(tmp_path / "plain"))
    with served(made):
        yield made


@pytest.fixture
def page(browser: Browser, hub: Hub, checkpoints_folder: Path, tmp_path: Path) -> Iterator[Page]:
    environment = {
        "LOUPE_CHECKPOINTS": str(checkpoints_folder),
        "HF_ENDPOINT": hub.address,
        "HF_HUB_CACHE": str(tmp_path / "hub"),
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DOWNLOAD_TIMEOUT": "90",  # the file is held until the page has shown its progress
        "TRANSFORMERS_OFFLINE": "0",
    }
    with (
        serve(tmp_path, environment) as address,
        open_page(browser, f"{address}/attention") as opened,
    ):
        yield opened


def test_a_model_is_looked_up_downloaded_watched_and_opened(page: Page, hub: Hub):
    seen = []

    def hold(name: str, _done: int) -> None:
        if name == "model.safetensors":
            until(lambda: seen)

    hub.during = hold
    choice = page.get_by_test_id("stSidebar").get_by_test_id("stSelectbox").locator("input").first
    choice.click()
    choice.fill("your own model")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_placeholder("openai-community/gpt2").fill(NAME)
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name=re.compile("^Download 56.9 kB")).click()
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    expect(dialog.get_by_text("of 56.9 kB")).to_be_visible()  # refreshed by itself
    expect(page.get_by_text(f"Downloading {NAME}: ")).to_be_visible()
    seen.append(True)
    dialog.get_by_role("button", name=f"Open {NAME}").click()
    expect(dialog).to_be_hidden()
    page.wait_for_function(
        "() => new URL(location).searchParams.get('checkpoint') === 'models/org/tiny-gpt2'"
    )
    page.get_by_text("More", exact=True).first.click()
    expect(page.get_by_text(f"Commit {COMMIT} of the Hugging Face Hub.")).to_be_visible()
    assert len(hub.got("model.safetensors")) == 1
