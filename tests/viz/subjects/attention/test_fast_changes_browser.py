"""What every part of a page finally shows after choices that came faster than Python answers."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from model.checkpoints.checkpoint import Checkpoint
from tests.browsing import (
    PATIENCE_MS,
    expect_chosen,
    expect_in_link,
    open_page,
    ready,
    settle,
    turn_to,
)
from tests.checkpoints import BY_HEART, DEFAULT
from viz.heads.head_checks import check_head
from viz.run.axes import axis_tokens
from viz.run.making import make_run
from viz.run.record import Run

OTHER = next(source for source in BY_HEART if source != DEFAULT)
DECODER = {"kind": "decoder self-attention", "layer": 1, "head": 2}
CROSS = {"kind": "cross-attention", "layer": 0, "head": 3}
WAYS = [
    ("sentence first", 0, OTHER, DECODER),
    ("head first", 0, DEFAULT, CROSS),
    ("head first", 500, OTHER, DECODER),
]
"""Each case begins in the state that the one before has left."""


def hurry(page: Page, order: str, pause: int, text: str, head: dict, cell: dict) -> None:
    """Type another sentence, and select a head and a cell, with some milliseconds between them."""
    field = page.get_by_label("English source", exact=True)
    field.fill(text)
    if order == "head first":
        page.evaluate("head => loupe.select(head)", head)
    field.press("Enter")
    page.wait_for_timeout(pause)
    if order == "sentence first":
        page.evaluate("head => loupe.select(head)", head)
        page.wait_for_timeout(pause)
    page.evaluate("cell => loupe.select(cell)", cell)


def shown(page: Page, selector: str) -> str:
    return re.sub(r"\s+", " ", page.locator(selector).inner_text())


@pytest.fixture(scope="module")
def runs(checkpoint: Checkpoint) -> dict[str, Run]:
    return {text: make_run(checkpoint, text) for text in (DEFAULT, OTHER)}


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    link = f"{address}/attention?kind=cross-attention&more_stages=true&more_numbers=true"
    with open_page(browser, link) as page:
        ready(page)
        yield page


def shown_and_right(page: Page, run: Run) -> tuple[dict[str, str], dict[str, str]]:
    """Return what parts of the page show of the selected cell, and what they should show."""
    chosen = page.evaluate("loupe.selection")
    kind, layer, head, query, key = (chosen[n] for n in ("kind", "layer", "head", "query", "key"))
    rows, columns = (names + ("",) * 99 for names in axis_tokens(run, kind))
    hidden = check_head(run, kind, layer, head).masked_cells
    part = "cross" if "cross" in kind else "self"
    right = {
        ".cell-place": f"layers.{layer}.{part}_attn head {head} · query {query} ",
        ".loupe-cell h2": f"How {rows[query]} comes to read {columns[key]}",
        ".st-key-head_checks": f"exactly 0 {hidden} cells" if hidden else "nothing is masked here",
        ".st-key-stage_by_stage": f"layers.{layer}.{part}_attn.*[{head}]",
        ".st-key-bar_out": run.text,
    }
    return {place: shown(page, place) for place in right}, right


@pytest.mark.parametrize(("order", "pause", "text", "head"), WAYS)
def test_the_page_on_attention_shows_one_cell_of_one_run(
    page: Page, runs, order, pause, text, head
):
    hurry(page, order, pause, text, head, {"query": 2, "key": 1})
    end = time.monotonic() + PATIENCE_MS / 1000
    wrong = {"not looked at": ""}
    while wrong and time.monotonic() < end:
        settle(page)
        seen, right = shown_and_right(page, runs[text])
        wrong = {place: text for place, text in seen.items() if right[place] not in text}
    assert not wrong


@pytest.mark.parametrize(
    ("url", "text", "head"),
    [("touch", DEFAULT, CROSS), ("decoding", OTHER, DECODER), ("compare", DEFAULT, CROSS)],
)
def test_other_pages_follow_the_last_choice_too(page: Page, runs, url, text, head):
    """These pages keep state of their own per sentence; the same code follows it on all pages."""
    turn_to(page, url)
    ready(page)
    hurry(page, "sentence first", 150, text, head, {"query": 2})
    page.wait_for_function(
        "wanted => loupe.run()?.tokens.source.join() === wanted",
        arg=",".join(runs[text].source.tokens),
    )
    expect_chosen(page, **head)
    expect_in_link(page, **head)
    settle(page)
    selection = page.evaluate("loupe.selection")
    assert {name: selection[name] for name in head} == head
