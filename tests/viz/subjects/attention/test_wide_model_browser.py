"""The card of a model as wide as GPT-2: the browser cannot run it and gets one head at a time."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import SILENCE, SPEAK, open_page, ready, settle
from tests.checkpoints import ONE_TEXT
from viz.run.axes import attention_trace, axis_tokens
from viz.run.making import make_run
from viz.run.record import Run
from viz.run.tensor_parcel import pack_tensors

KIND = "decoder self-attention"
TEXT = f"{ONE_TEXT} and {ONE_TEXT}"
"""A text whose tensors are too large to be sent at once."""
CARD = """() => new Promise((done) => requestAnimationFrame(() => {
  const card = document.querySelector(".loupe-cell_words");
  done([card.className, card.innerText]);
}))"""


@pytest.fixture(scope="module")
def page(browser: Browser, one_text_address: str) -> Iterator[Page]:
    place = "checkpoint=wide&layer=1&head=5&query=6&key=2"
    with open_page(browser, f"{one_text_address}/attention?{place}&source={TEXT}") as page:
        ready(page)
        expect(page.locator(".loupe-cell_words h2")).to_be_visible()
        settle(page)
        yield page


@pytest.fixture(scope="module")
def run(one_text_folder: Path) -> Run:
    return make_run(load_checkpoint(one_text_folder / "wide"), TEXT)


def test_the_cells_of_an_opened_head_are_drawn_in_the_frame_without_python(page: Page, run: Run):
    assert pack_tensors(run) is None
    page.evaluate(SILENCE)
    for key, query, column in (
        ("ArrowRight", 6, 3),
        ("ArrowDown", 7, 3),
        ("ArrowRight", 7, 4),
        ("ArrowUp", 6, 4),
        ("ArrowLeft", 6, 3),
        ("ArrowLeft", 6, 2),
    ):
        page.keyboard.press(key)
        assert_tells(page.evaluate(CARD), run, 5, query, column)
    page.evaluate(SPEAK)
    settle(page)


def test_another_head_is_hidden_until_its_tensors_are_there(page: Page, run: Run):
    page.evaluate(SILENCE)
    page.keyboard.press(".")
    classes, _ = page.evaluate(CARD)
    assert "loupe-stale" in classes
    page.evaluate(SPEAK)  # sends the choice again
    expect(page.locator(".loupe-cell_words:not(.loupe-stale)")).to_be_visible()
    assert_tells(page.evaluate(CARD), run, 6, 6, 2)


def assert_tells(card: list[str], run: Run, head: int, query: int, key: int) -> None:
    classes, told = card
    assert "loupe-stale" not in classes
    rows, columns = axis_tokens(run, KIND)
    assert f"How {rows[query]} comes to read {columns[key]}" in told
    score = attention_trace(run, KIND, 1).scores[0, head, query, key].item()
    found = re.search(r"score is (\S+?):", told)
    assert found
    assert float(found[1].replace("−", "-")) == pytest.approx(score, rel=1e-3)
    assert "✓ all 13 steps agree with float64" in told
