"""What the page on attention shows first, what it keeps behind headings, and on which screens."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import (
    chosen,
    expect_chosen,
    expect_in_link,
    open_page,
    ready,
    seen_run,
    settle,
    type_source,
)
from viz.run.record import all_heads, axis_tokens
from viz.run.selection import default_selection

SCREEN_AND_A_HALF = 1.5 * 768
FOLDS = {
    "numbers": ("Every number of this reading, with its formula", ".cell-step"),
    "stages": ("The whole head, stage by stage", ".st-key-stages .loupe-over"),
    "heads": ("What every head does", "[data-testid=stDataFrame]"),
    "bertviz": ("The same run in BertViz", "iframe"),
}


@contextmanager
def attention(browser: Browser, address: str, query: str = "") -> Iterator[Page]:
    """Open the page with nothing selected by a link."""
    with open_page(browser, f"{address}/attention{query}") as page:
        ready(page)
        yield page


def percent(weight: float) -> str:
    if weight < 0.005:
        return "under 1 %"
    return "over 99 %" if weight >= 0.995 else f"{round(100 * weight)} %"


def test_the_first_thing_is_what_a_word_reads_in_words(
    browser: Browser, address: str, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    first = default_selection(run)
    assert first.kind == "encoder self-attention"
    with attention(browser, address) as page:
        expect(page.locator("h1")).to_have_text("What does each word read?")
        seen = chosen(page)
        assert seen == first.to_dict()
        weights = all_heads(run, first.kind)[first.layer, first.head, first.query]
        reader, read = run.source.tokens[first.query], run.source.tokens[first.key]
        said = page.locator(".reading-answer")
        expect(said).to_have_text(f"{reader} reads {read} most: {percent(weights[first.key])}.")
        where = page.locator(".reading-where")
        expect(where).to_contain_text(
            f"This is layer {first.layer}, head {first.head} of the encoder. This head, over "
        )


def test_the_words_follow_the_selection_at_once(
    browser: Browser, address: str, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    with attention(browser, address) as page:
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
            row = page.locator(".loupe-row-said").inner_text()
            assert row.startswith(f"{rows[6]} reads {percent(weights[most])} {columns[most]}")


@pytest.mark.parametrize("name", FOLDS)
def test_a_section_opens_at_its_heading_and_stands_in_the_link(browser, address, name):
    heading, inside = FOLDS[name]
    with attention(browser, address) as page:
        expect(page.locator(inside)).to_have_count(0)
        page.get_by_text(heading).click()
        expect(page.locator(inside).first).to_be_visible()
        expect_in_link(page, **{f"more_{name}": "true"})
        link = page.url
    with open_page(browser, link) as elsewhere:
        ready(elsewhere)
        expect(elsewhere.locator(inside).first).to_be_visible()
        others = [other for other in FOLDS if other != name]
        for other in others:
            expect(elsewhere.locator(FOLDS[other][1])).to_have_count(0)
        elsewhere.get_by_text(heading).click()
        expect(elsewhere.locator(inside)).to_have_count(0)


@pytest.mark.parametrize(
    ("old", "name"),
    [
        ("Stage+by+stage", "stages"),
        ("Every+head+in+numbers", "heads"),
        ("BertViz", "bertviz"),
        ("nonsense", None),
    ],
)
def test_a_link_of_old_opens_the_section_that_it_opened(browser, address, old, name):
    with open_page(browser, f"{address}/?below={old}&layer=0&head=3") as page:
        ready(page)
        for other, (_, inside) in FOLDS.items():
            if other == name:
                expect(page.locator(inside).first).to_be_visible()
            else:
                expect(page.locator(inside)).to_have_count(0)
        expect_chosen(page, kind="cross-attention", layer=0, head=3)
        page.keyboard.press("ArrowDown")  # what is opened first leaves its address as it is
        page.wait_for_function("!location.search.includes('below')")
        if name:
            expect_in_link(page, **{f"more_{name}": "true"})


# What tests and people have linked to: each keeps what it asks for, and is asked in its words.
OLD_LINKS = {
    "?layer=1&head=3": {"kind": "cross-attention", "layer": 1, "head": 3},
    "?kind=encoder+self-attention": {"kind": "encoder self-attention", "layer": 1, "head": 2},
    "?kind=decoder+self-attention&layer=0": {"kind": "decoder self-attention", "layer": 0},
    "?kind=encoder+self-attention&layer=1&head=3&query=8&key=6": {
        "kind": "encoder self-attention", "layer": 1, "head": 3, "query": 8, "key": 6,
    },
    "?step=4": {"kind": "cross-attention", "layer": 1, "head": 2, "step": 4},
    "?query=4&key=2": {"kind": "cross-attention", "layer": 1, "head": 2, "query": 4, "key": 2},
}  # fmt: skip


def test_a_link_of_old_selects_what_it_selected(browser: Browser, address: str):
    with open_page(browser, address) as page:
        for link, selected in OLD_LINKS.items():
            page.goto(f"{address}/{link}")
            ready(page)
            expect_chosen(page, **selected)
            asked = {name: values[0] for name, values in parse_qs(link[1:]).items()}
            kept = {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}
            assert kept.items() >= asked.items()


def test_another_sentence_goes_to_a_row_that_says_something(browser: Browser, address: str):
    with attention(browser, address) as page:
        before = chosen(page)
        type_source(page, "the dog sees the cat .")
        page.wait_for_function("() => loupe.run()?.tokens.source.length === 7")
        settle(page)
        now = chosen(page)
        assert [now[name] for name in ("kind", "layer", "head")] == [
            before[name] for name in ("kind", "layer", "head")
        ]
        tokens = page.evaluate("loupe.run().tokens.source")
        assert tokens[now["query"]] in ("the", "dog", "sees", "cat")
        said = page.locator(".reading-answer").inner_text()
        assert said.startswith(f"{tokens[now['query']]} reads ")


COLUMNS = {(390, 844): 1, (820, 1180): 1, (1366, 768): 2, (1920, 1080): 3}


def test_nothing_is_cut_or_beside_the_screen(browser: Browser, address: str):
    with attention(browser, address) as page:
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


def test_the_map_and_each_thumbnail_say_what_they_show(
    browser: Browser, address: str, checkpoints_folder: Path
):
    run = seen_run(checkpoints_folder)
    with attention(browser, address) as page:
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
        table = page.locator(".loupe-head .loupe-as-table table")
        shown = table.locator("tbody tr").evaluate_all(
            "rows => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent))"
        )
        assert [row[0] for row in shown] == list(rows)
        of_head = weights[at["layer"], at["head"]]
        for said, exact in zip(shown, of_head, strict=True):
            for text, weight in zip(said[1:], exact, strict=True):
                number = re.search(r"[\d.]+", text)
                assert float(number[0]) == pytest.approx(weight, abs=6e-4)


def test_the_shipped_models_start_with_what_it_means(browser: Browser, shipped_address: str):
    text = "the+animal+did+not+cross+the+street+because+it+was+too+"
    for name in ("english-french-paper-0", "everyday-paper-0"):
        for word, meant in (("tired", "animal"), ("wide", "street")):
            link = f"?checkpoint={name}&source={text}{word}+."
            with attention(browser, shipped_address, link) as page:
                said = page.locator(".reading-answer")
                expect(said).to_have_text(re.compile(rf"^it reads {meant} most: .+ %\.$"))
