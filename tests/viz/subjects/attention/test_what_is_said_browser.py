"""The words below a map are those of its run and its cell, in a real browser."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browsing import expect_chosen, ready, seen_run, settle
from viz.run.record import KINDS, all_heads, axis_tokens


def test_what_is_said_below_the_map_is_of_the_selected_cell(page: Page, checkpoints_folder: Path):
    ready(page)
    run = seen_run(checkpoints_folder)
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
