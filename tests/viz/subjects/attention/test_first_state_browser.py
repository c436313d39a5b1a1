"""What the page Attention shows first, what it keeps behind headings, and on which screens."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import (
    SIZE,
    chosen,
    expect_chosen,
    expect_in_link,
    open_page,
    ready,
    seen_run,
    settle,
    type_source,
)
from viz.address.selection import default_selection
from viz.run.axes import all_heads, axis_tokens
from viz.run.record import Run

SCREEN_AND_A_HALF = 1.5 * 768
FOLDS = {
    "numbers": ("Every number of this cell, with its formula", ".cell-step"),
    "stages": ("The whole head, stage by stage", ".st-key-stages .loupe-over"),
    "heads": ("What every head does", "[data-testid=stDataFrame]"),
    "bertviz": ("The same run in BertViz", "iframe"),
}


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the page with nothing selected by a link; later tests find it as it was left."""
    with open_page(browser, f"{address}/attention") as page:
        ready(page)
        yield page


def percent(weight: float) -> str:
    if weight < 0.005:
        return "<\u00a01%"
    return ">\u00a099%" if weight >= 0.995 else f"{round(100 * weight)}%"


COLUMNS = {(390, 844): 1, (820, 1180): 1, (1366, 768): 2, (1920, 1080): 3}


def test_nothing_is_cut_or_beside_the_screen(page: Page):
    for (width, height), count in COLUMNS.items():
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
        parts = ("card_head", "card_cell", "card_heads")
        boxes = [page.locator(f".st-key-{part}").bounding_box() for part in parts]
        across = page.locator(".st-key-explorer").bounding_box()
        assert len({round(box["x"]) for box in boxes}) == count
        if count == 1:
            assert all(box["width"] == pytest.approx(across["width"], abs=2) for box in boxes)
            assert boxes[0]["y"] < boxes[1]["y"] < boxes[2]["y"]
        for over in page.locator(".loupe-head .loupe-over:visible").all():
            edge = over.bounding_box()
            assert edge["x"] + edge["width"] <= boxes[0]["x"] + boxes[0]["width"] + 1
        if height == 768:
            expect(page.locator(".cell-line:visible")).to_have_count(6)
            main = page.locator("[data-testid=stMain]")
            assert main.evaluate("node => node.scrollHeight") <= SCREEN_AND_A_HALF
            assert boxes[1]["y"] < height
    page.set_viewport_size(SIZE)


def test_sections_open_at_their_headings_and_stand_in_the_link(page: Page):
    for name, (heading, inside) in FOLDS.items():
        expect(page.locator(inside)).to_have_count(0)
        page.get_by_text(heading).click()
        expect(page.locator(inside).first).to_be_visible()
        expect_in_link(page, **{f"more_{name}": "true"})
    page.reload()
    ready(page)
    for heading, inside in FOLDS.values():
        expect(page.locator(inside).first).to_be_visible()
        page.get_by_text(heading).click()
        expect(page.locator(inside)).to_have_count(0)


def test_it_says_in_words_what_is_read_at_first_and_after_each_choice(
    page: Page, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    first = default_selection(run)
    assert first.kind == "encoder self-attention"
    expect(page.locator("h1")).to_have_text("What does each word read?")
    assert chosen(page) == first.to_dict()
    weights = all_heads(run, first.kind)[first.layer, first.head, first.query]
    reader, read = run.source.tokens[first.query], run.source.tokens[first.key]
    said = page.locator(".reading-answer")
    expect(said).to_have_text(f"{reader} reads {read} most: {percent(weights[first.key])}.")
    expect(page.locator(".loupe-head .loupe-heading")).to_have_text(
        f"Encoder, layer {first.layer}, head {first.head}"
    )
    maps_and_table_say(page, run)
    words_follow(page, run)
    page.evaluate("cell => loupe.select(cell)", first.to_dict())
    type_source(page, "the dog sees the cat .")
    page.wait_for_function("() => loupe.run()?.tokens.source.length === 7")
    settle(page)
    now = chosen(page)
    kept = ("kind", "layer", "head")
    assert [now[name] for name in kept] == [getattr(first, name) for name in kept]
    tokens = page.evaluate("loupe.run().tokens.source")
    assert tokens[now["query"]] in ("the", "dog", "sees", "cat")
    assert said.inner_text().startswith(f"{tokens[now['query']]} reads ")


def words_follow(page: Page, run: Run) -> None:
    for kind, begun in (
        ("encoder self-attention", "{} reads "),
        ("decoder self-attention", "To write {}, the model reads "),
        ("cross-attention", "To write {}, the model reads "),
    ):
        rows, columns = axis_tokens(run, kind)
        weights = all_heads(run, kind)[0, 3, 6]
        most, least = int(weights.argmax()), int(np.flatnonzero(weights).min())
        for key in {most, least}:
            page.evaluate(
                "cell => loupe.select(cell)",
                {"kind": kind, "layer": 0, "head": 3, "query": 6, "key": key},
            )
            itself = kind == "encoder self-attention" and most == 6
            expected = begun.format(rows[6]) + ("itself" if itself else columns[most])
            expected += f" most: {percent(weights[most])}."
            if key != most:
                expected += f" The selected {columns[key]} gets {percent(weights[key])}."
            assert page.locator(".reading-answer").inner_text() == expected


def maps_and_table_say(page: Page, run: Run) -> None:
    at = chosen(page)
    rows, columns = axis_tokens(run, at["kind"])
    weights = all_heads(run, at["kind"])
    for thumb in page.locator(".loupe-thumb").all():
        layer, head = (int(thumb.get_attribute(f"data-{name}")) for name in ("layer", "head"))
        row = weights[layer, head, at["query"]]
        assert thumb.get_attribute("aria-label") == (
            f"{at['kind']}, layer {layer}, head {head}: {rows[at['query']]} reads "
            f"{columns[row.argmax()]}, {percent(row.max())}"
        )
    page.locator(".loupe-head .loupe-table-button:visible").click()
    shown = page.locator(".loupe-head .loupe-as-table tbody tr").evaluate_all(
        "rows => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent))"
    )
    assert [row[0] for row in shown] == list(rows)
    for said, exact in zip(shown, weights[at["layer"], at["head"]], strict=True):
        for text, weight in zip(said[1:], exact, strict=True):
            number = re.search(r"[\d.]+", text)
            assert number
            assert float(number[0]) == pytest.approx(weight, abs=6e-4)


@pytest.mark.parametrize(("old", "name"), [("Every+head+in+numbers", "heads"), ("nonsense", None)])
def test_a_link_of_old_opens_the_section_that_it_opened(page: Page, address: str, old, name):
    page.goto(f"{address}/?below={old}&layer=0&head=3")
    ready(page)
    for other, (_, inside) in FOLDS.items():
        if other == name:
            expect(page.locator(inside).first).to_be_visible()
        else:
            expect(page.locator(inside)).to_have_count(0)
    expect_chosen(page, kind="cross-attention", layer=0, head=3)
    page.keyboard.press("ArrowDown")  # the address stays as it is until now
    page.wait_for_function("!location.search.includes('below')")
    if name:
        expect_in_link(page, **{f"more_{name}": "true"})
