"""Attention and the map of a decoder-only model in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import expect_chosen, open_page, ready
from tests.checkpoints import ONE_TEXT
from viz.run.making import make_run
from viz.run.record import Run


@pytest.fixture(scope="module")
def gpt_run(one_text_folder: Path) -> Run:
    return make_run(load_checkpoint(one_text_folder / "tiny-gpt"), ONE_TEXT)


@pytest.fixture(scope="module")
def gpt_page(browser: Browser, one_text_address: str) -> Iterator[Page]:
    link = f"{one_text_address}/attention?checkpoint=tiny-gpt&source={ONE_TEXT}"
    with open_page(browser, link) as page:
        yield page


def test_the_prompt_stands_alone_until_more_is_asked_for(gpt_page: Page, gpt_run: Run) -> None:
    page, read = gpt_page, gpt_run.source.tokens
    ready(page)
    rows, more = page.locator(".loupe-head .loupe-row"), page.locator(".head-rest")
    every = gpt_run.target_tokens[:-1]
    assert len(read) < len(every)
    expect(rows).to_have_text(list(read))
    matrix = page.locator(".loupe-head .loupe-heatmap").first
    assert matrix.evaluate("({ shape }) => [shape.rows, shape.columns]") == [len(read)] * 2
    more.click()
    expect(rows).to_have_text(list(every))
    expect(more).to_be_hidden()
    page.reload()
    ready(page)
    expect(rows).to_have_text(list(read))
    page.evaluate(f"loupe.select({{ query: {len(read)} }})")
    expect(rows).to_have_text(list(every))
    page.evaluate("loupe.select({ query: 0, key: 0 })")


def test_the_arrows_choose_rows_of_the_one_kind_that_there_is(gpt_page: Page, gpt_run: Run) -> None:
    page = gpt_page
    ready(page)
    page.evaluate("loupe.select({ query: 4 })")
    page.keyboard.press("ArrowDown")
    expect_chosen(page, kind="decoder self-attention", query=5)
    expect(page.locator(".reading-answer")).to_contain_text(f"{gpt_run.target_tokens[5]} reads")
    expect(page.get_by_role("group", name="Kind of attention")).to_have_count(0)


def test_the_small_map_is_one_column_whose_attention_is_lit(gpt_page: Page) -> None:
    page = gpt_page
    drawn = page.locator(".st-key-map_small .loupe-map-svg")
    expect(drawn).to_have_attribute("aria-label", "Map of the model: one decoder")
    expect(drawn.locator(".loupe-map-wire.memory")).to_have_count(0)
    lit = drawn.locator(".loupe-map-lit[data-block]")
    expect(lit).to_have_count(1)
    expect(lit).to_have_attribute("data-block", "decoder.layers.0.self_attn")


def test_such_a_model_opens_here_and_learn_says_that_its_lessons_have_others(
    gpt_page: Page,
) -> None:
    page = gpt_page
    address = page.url.split("/attention")[0]
    page.goto(f"{address}/?checkpoint=tiny-gpt")
    page.wait_for_url("**/attention?**")
    ready(page)
    page.goto(f"{address}/learn?checkpoint=tiny-gpt")
    expect(page.get_by_text("These lessons open models that come with Loupe, not")).to_be_visible()
