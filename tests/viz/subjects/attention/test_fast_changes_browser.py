"""What every part of a page shows at rest, after choices that came faster than Python answers."""

import re
import time

import pytest
from playwright.sync_api import Page

from model.checkpoints.checkpoint import Checkpoint
from tests.browsing import PATIENCE_MS, expect_chosen, expect_in_link, open_page, ready, settle
from tests.checkpoints import BY_HEART, DEFAULT
from viz.heads.head_checks import check_head
from viz.run.axes import axis_tokens
from viz.run.making import make_run
from viz.run.record import Run

OTHER = next(source for source in BY_HEART if source != DEFAULT)
KINDS = ("encoder self-attention", "decoder self-attention", "cross-attention")
WAYS = [("sentence first", 0), ("head first", 0), ("head first", 500)]


def hurry(page: Page, order: str, pause: int, head: dict, cell: dict) -> None:
    """Another sentence, a head and a cell of it, with some milliseconds between them."""
    field = page.get_by_label("English source", exact=True)
    field.fill(OTHER)
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
def other_run(checkpoint: Checkpoint) -> Run:
    return make_run(checkpoint, OTHER)


def shown_and_right(page: Page, run: Run) -> tuple[dict[str, str], dict[str, str]]:
    """What parts of the page show, and what of it they have to, of the cell that is selected."""
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


@pytest.mark.parametrize(("order", "pause"), WAYS)
def test_the_page_on_attention_shows_one_cell_of_one_run(browser, address, other_run, order, pause):
    link = f"{address}/attention?kind=cross-attention&more_stages=true&more_numbers=true"
    with open_page(browser, link) as page:
        ready(page)
        hurry(page, order, pause, {"kind": KINDS[1], "layer": 1, "head": 2}, {"query": 2, "key": 1})
        end = time.monotonic() + PATIENCE_MS / 1000
        wrong = {"not looked at": ""}
        while wrong and time.monotonic() < end:
            settle(page)
            seen, right = shown_and_right(page, other_run)
            wrong = {place: text for place, text in seen.items() if right[place] not in text}
        assert not wrong


@pytest.mark.parametrize("url", ["touch", "decoding", "compare"])
def test_other_pages_follow_the_last_choice_too(browser, address, url):
    """Those that keep something of their own for a sentence; one code follows for all."""
    with open_page(browser, f"{address}/{url}") as page:
        ready(page)
        hurry(page, "sentence first", 150, {"kind": KINDS[1], "layer": 1, "head": 2}, {"query": 2})
        page.wait_for_function(
            "first => loupe.run()?.tokens.source[0] === first", arg=OTHER.split()[0]
        )
        expect_chosen(page, kind=KINDS[1], layer=1, head=2)
        expect_in_link(page, kind=KINDS[1], layer=1, head=2)
        settle(page)
        chosen = page.evaluate("loupe.selection")
    assert (chosen["kind"], chosen["layer"], chosen["head"]) == (KINDS[1], 1, 2)
