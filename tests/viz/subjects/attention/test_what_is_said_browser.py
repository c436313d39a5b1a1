"""The tokens and the words around a map are those of its run and its cell, in a real browser."""

import re
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import expect_chosen, open_page, ready, settle, type_source
from tests.checkpoints import BY_HEART, DEFAULT
from viz.run.record import KINDS, Run, all_heads, axis_tokens, make_run, probability

OTHERS = tuple(source for source in BY_HEART if source != DEFAULT)


def run_of(folder: Path, source: str) -> Run:
    return make_run(load_checkpoint(folder / "everyday-paper"), source)


def expect_chips_of(page: Page, run: Run) -> None:
    for side, tokens in (("source", run.source.tokens), ("target", run.target_tokens[1:])):
        expect(page.locator(f".loupe-chip[data-side={side}] bdi")).to_have_text(list(tokens))
    said = page.locator(".loupe-chip[data-side=target]").evaluate_all(
        "chips => chips.map((chip) => chip.title)"
    )
    assert said == [
        f"step {t}, probability {probability(step):.4f}" for t, step in enumerate(run.steps)
    ]


def test_the_chips_are_those_of_the_sentence_that_was_typed_last(
    page: Page, checkpoints_folder: Path
):
    ready(page)
    expect_chips_of(page, run_of(checkpoints_folder, DEFAULT))
    for source in (OTHERS[0], DEFAULT):
        type_source(page, source)
        run = run_of(checkpoints_folder, source)
        expect(page.locator(".loupe-sentence")).to_have_text(run.text)
        settle(page)
        expect_chips_of(page, run)


def test_what_is_said_below_the_map_is_of_the_selected_cell(page: Page, checkpoints_folder: Path):
    ready(page)
    run = run_of(checkpoints_folder, DEFAULT)
    for kind in KINDS:
        rows, columns = axis_tokens(run, kind)
        weights = all_heads(run, kind)[1, 2]
        query, key = telling_cell(weights)
        page.evaluate(
            "cell => loupe.select(cell)",
            {"kind": kind, "layer": 1, "head": 2, "query": query, "key": key},
        )
        expect_chosen(page, kind=kind, query=query, key=key)
        settle(page)
        words = page.locator(".loupe-said").inner_text()
        said = re.fullmatch(r"(.+) reads (.+), weight ([\d.]+)", words)
        assert said, words
        assert said.groups()[:2] == (rows[query], columns[key])
        assert float(said[3]) == pytest.approx(weights[query, key], abs=5e-4)


def telling_cell(weights: np.ndarray) -> tuple[int, int]:
    """Find a cell in the midst of the map that the transposed map would say something else of."""
    side = min(weights.shape)
    square = weights[:side, :side]
    apart = (np.abs(square - square.T) > 0.01) & (square > 0.002)
    cells = np.argwhere(apart)
    query, key = cells[len(cells) // 2]
    return int(query), int(key)


def test_a_long_text_gets_all_its_chips_and_shows_the_chosen_one(browser: Browser, address: str):
    query = {"source": "cat " * 400, "kind": "encoder self-attention", "query": 390}
    with open_page(browser, f"{address}/attention?{urlencode(query)}") as page:
        chips = page.locator(".loupe-chip[data-side=source]")
        expect(chips).to_have_count(401)
        chosen = page.locator(".loupe-chip.loupe-is-query[data-side=source]")
        expect(chosen).to_have_attribute("data-position", "390")
        expect(chosen).to_be_in_viewport()
