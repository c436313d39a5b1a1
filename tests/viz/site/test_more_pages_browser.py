"""The site's pages Masks, Positions and Embeddings in a browser: they follow the typed text."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browsing import wait_until
from tests.shipped import PAPER, shipped
from viz.site.__main__ import main

TYPED = "The old man reads a book"
FIELD = ".st-key-source input"
SENTENCE = ".loupe-live-sentence"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    names = ("--model", PAPER, "--model", "everyday-learned")
    assert main([str(folder), *names]) == 0
    return folder


def open_and_type(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(FIELD).fill(TYPED)
    expect(page.locator(SENTENCE)).to_have_text(shipped(PAPER, TYPED)[0].text)


def test_masks_hide_later_words_until_the_mask_is_switched_off(page: Page, site: str):
    open_and_type(page, f"{site}/masks/")
    expect(page.locator(".loupe-answer")).to_contain_text("a word may read only itself")
    card = page.locator(".st-key-card_masks")
    expect(card.locator(".loupe-panel")).to_have_count(3)
    fold = page.locator(".st-key-masks_row")
    fold.locator("summary").click()
    written = [step.token for step in shipped(PAPER, TYPED)[0].steps]
    rows = fold.locator("tbody tr")
    expect(rows).to_have_count(len(written) + 2)
    fold.locator("select").select_option(index=1)
    expect(fold.locator("tbody tr.loupe-pad")).to_have_count(len(written))
    expect(rows.nth(2)).to_contain_text("comes later")
    expect(rows.last).to_contain_text("padding")
    assert "query=1" in page.url
    card.get_by_label("Decoder: hide later tokens").uncheck()
    expect(page.locator(".masks-result")).to_contain_text("now puts")
    expect(card).to_contain_text(re.compile(r"\d+ cells leak"))
    assert "causal=false" in page.url
    page.reload()
    expect(card.get_by_label("Decoder: hide later tokens")).not_to_be_checked()
    page.get_by_label("Padding after the sentence").fill("0")
    expect(rows).to_have_count(0)  # the fold is closed again
    expect(page.locator(".masks-result")).to_contain_text("now puts")


def test_a_mask_of_the_map_leads_to_the_masks(page: Page, site: str):
    page.goto(f"{site}/map/")
    page.locator(".loupe-map-badge:visible").first.click()
    page.wait_for_url("**/masks/?*kind=*")
    expect(page.locator(".loupe-answer")).not_to_be_empty()


def test_positions_follow_a_slider_and_a_click(page: Page, site: str):
    open_and_type(page, f"{site}/positions/")
    run = shipped(PAPER, TYPED)[0]
    card = page.locator(".st-key-card_positions_map")
    words = [*run.source.tokens]
    expect(card.locator(".positions-name")).to_have_text(words)
    expect(card.locator(".loupe-waves circle")).to_have_count(6 * 64)
    card.get_by_role("slider").nth(0).fill("2")
    card.get_by_role("slider").nth(1).fill("0")
    expect(card).to_contain_text(f"{np.sin(2):.4f} is added")
    expect(card).to_contain_text("once in 6.283 positions")
    expect(card.locator(".loupe-waves circle")).to_have_count(6 * 64)
    card.locator(".loupe-waves circle").nth(64 + 4).click()
    expect(card).to_contain_text("Dimension 1 of position 4")
    assert "positions_pos=4" in page.url
    assert "positions_dim=1" in page.url
    fold = page.locator(".st-key-positions_alike")
    fold.locator("summary").click()
    expect(fold).to_contain_text("With itself, it is 32")  # 32 pairs of sine and cosine
    page.locator(".st-key-card_positions_reruns select").select_option("Source only")
    expect(page.locator(".positions-written mark")).not_to_have_count(0)


def test_learned_positions_have_no_wave_and_two_tables(page: Page, site: str):
    page.goto(f"{site}/positions/?checkpoint=everyday-learned")
    card = page.locator(".st-key-card_positions_map")
    expect(card).to_contain_text("64 weights for each of 64 positions")
    wave = card.locator(".loupe-waves polyline").first
    before = wave.get_attribute("points")
    card.get_by_label("Text").select_option("Target")
    expect(wave).not_to_have_attribute("points", before or "")


OVERLAPS = """() => {
  const texts = [...document.querySelectorAll(".loupe-cloud text")];
  const boxes = texts.map((text) => text.getBoundingClientRect());
  return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right
    && a.top + 3 < b.bottom && b.top + 3 < a.bottom)).length;
}"""
FITS = "document.documentElement.scrollWidth <= innerWidth"


def test_the_nearest_words_of_a_sentence_on_a_screen_and_on_a_phone(page: Page, site: str):
    open_and_type(page, f"{site}/embeddings/")
    card = page.locator(".st-key-card_embeddings_nearest")
    expect(card.locator("[aria-pressed=true]")).to_have_text("reads")
    bars = card.locator("ol li")
    expect(bars).to_have_count(10)
    cosines = [float(text) for text in card.locator("ol b").all_inner_texts()]
    assert cosines == sorted(cosines, reverse=True)
    assert page.evaluate(OVERLAPS) == 0
    assert page.evaluate(FITS)
    page.set_viewport_size({"width": 390, "height": 900})
    wait_until(page, f"({OVERLAPS})() === 0 && {FITS}")
    card.get_by_role("button", name="book", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".loupe-answer")).to_contain_text("nearest to “book”")
    assert "embeddings_source_token=book" in page.url
    chosen = page.locator(".site-chips [aria-pressed=true]")
    expect(chosen).to_be_focused()
    card.get_by_label("Language").select_option("French")
    expect(page.locator(".loupe-answer")).not_to_contain_text("book")
    fold = page.locator(".st-key-embeddings_sum")
    fold.locator("summary").click()
    expect(fold.locator(".loupe-panel")).to_have_count(3)
    expect(fold).to_contain_text("target_embedding.output")
    assert page.evaluate(FITS)


def test_an_empty_sentence_is_no_fault(page: Page, site: str):
    for path in ("masks", "positions", "embeddings"):
        page.goto(f"{site}/{path}/")
        expect(page.locator(".loupe-answer")).not_to_be_empty()
        page.locator(FIELD).fill("")
        page.locator(FIELD).fill("?")
        expect(page.locator("main")).not_to_contain_text("could not be drawn")
