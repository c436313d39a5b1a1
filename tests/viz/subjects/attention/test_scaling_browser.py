"""The fold about dividing the scores, in a real browser: it follows the selected row."""

import math
import re

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from tests.browsing import expect_in_link, open_page, ready
from tests.shipped import PAPER, shipped
from viz.run.axes import attention_trace, axis_tokens

SOURCE = "she does not drink any cold water ."
KIND, LAYER, HEAD, ROW = "encoder self-attention", 1, 3, 6
BARS = ".divisor-bars:not(.divisor-spread) li"


def expected(row: int) -> list[tuple[str, float]]:
    """Compute a row in float64 from queries and keys alone, largest weight first."""
    run, _ = shipped(PAPER, SOURCE)
    attention = attention_trace(run, KIND, LAYER)
    query, key = attention.query[0, HEAD, row].double(), attention.key[0, HEAD].double()
    weights = torch.softmax(key @ query / math.sqrt(len(query)), dim=0).tolist()
    return sorted(zip(axis_tokens(run, KIND)[1], weights, strict=True), key=lambda one: -one[1])


def test_the_row_in_view_is_the_one_that_is_divided(browser: Browser, shipped_address: str):
    place = f"kind={KIND}&layer={LAYER}&head={HEAD}&query={ROW}&key=0"
    link = (
        f"{shipped_address}/attention?checkpoint={PAPER}&source={SOURCE}&more_scaling=true&{place}"
    )
    with open_page(browser, link) as page:
        ready(page)
        page.wait_for_function("loupe.traces.size > 0")
        expect(page.locator(BARS).first).to_contain_text(expected(ROW)[0][0])
        row = ROW
        for keys, step in ((["ArrowUp"], -1), (["ArrowUp"], -1), (["ArrowRight", "ArrowDown"], 1)):
            for each in keys:
                page.keyboard.press(each)
            row += step
            expect_in_link(page, query=row)
            page.wait_for_function("row => loupe.selection.query === row", arg=row)
            expect_divided(page, row)


def expect_divided(page: Page, row: int) -> None:
    reader = axis_tokens(shipped(PAPER, SOURCE)[0], KIND)[0][row]
    expect(page.locator(".divisor-facts dt").first).to_contain_text(reader)
    expect(page.locator(".st-key-divided_row")).to_be_visible()
    shown = page.locator(BARS).all_inner_texts()
    assert shown[0].startswith(expected(row)[0][0])
    for (token, value), text in zip(expected(row), shown, strict=False):
        found = re.search(r"([<>]?)\s*([\d.]+)\s*%$", text)
        assert found, text
        if not found[1]:
            assert float(found[2]) == pytest.approx(100 * value, abs=0.06), token
