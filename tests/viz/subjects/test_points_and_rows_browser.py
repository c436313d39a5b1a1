"""The first pictures of Positions and Embeddings, as a browser draws them."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import expect_in_link, open_page, settle
from tests.checkpoints import VARIANTS
from tests.viz.subjects.embeddings.test_nouns import computed

SCREENS = {"phone": (390, 844), "desk": (1280, 800), "presenter": (1280, 720)}
DRAWN = """(key) => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return plot._fullData.map((trace) => ({
    name: trace.name,
    x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []), text: Array.from(trace.text ?? []),
  }));
}"""
TORN = """(key) => {
  const plot = document.querySelector(`.st-key-${key}`);
  const frame = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll(".textpoint text, .loupe-cloud text, .positions-name")]
    .filter((node) => node.textContent.length > 1) // a full stop is drawn in a high box
    .map((node) => [node.textContent, node.getBoundingClientRect()]);
  const found = [];
  texts.forEach(([one, a], i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(one);
    for (const [other, b] of texts.slice(i + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Letters fill about two thirds of their box.
      if (wide > 1 && high > a.height / 3) found.push(`${one} / ${other}`);
    }
  });
  return [texts.length, found];
}"""
"""How many labels there are, and those that leave the picture or run into another one."""


@pytest.fixture(scope="module", params=SCREENS)
def screen(request: pytest.FixtureRequest) -> str:
    return request.param


ALL_WORDS = "embeddings?more_embeddings_all=true"
NEAREST = "embeddings?more_embeddings_nearest=true"
POSITIONS = "positions?more_positions_encoding=true"


@pytest.fixture(scope="module")
def opened(browser: Browser, shipped_address: str, screen: str) -> Iterator:
    """A page on one screen: a test goes on from where another has left it."""
    width, height = SCREENS[screen]
    here = ""

    def visit(page: Page, link: str) -> None:
        nonlocal here
        if link != here:
            mode = "&presenter=true" * (screen == "presenter")
            page.goto(f"{shipped_address}/{link}&checkpoint={VARIANTS['paper']}{mode}")
        here = link
        settle(page)

    with open_page(browser, f"{shipped_address}/positions") as page:
        page.set_viewport_size({"width": width, "height": height})
        yield page, visit


def test_nouns_are_drawn_where_they_were_computed_and_labels_are_readable(opened):
    page, visit = opened
    visit(page, NEAREST)
    expect(page.locator(".st-key-embeddings_nouns .js-plotly-plot")).to_be_visible()
    traces = {trace["name"]: trace for trace in page.evaluate(DRAWN, "embeddings_nouns")}
    places, facts = computed("paper")
    seen = set()
    for title, is_feminine in (("le: masculine nouns", False), ("la: feminine nouns", True)):
        trace = traces[title]
        for word, *point in zip(trace["text"], trace["x"], trace["y"], strict=True):
            assert facts[word][0] == is_feminine
            assert point == pytest.approx(places[word], abs=1e-6), word
            seen.add(word)
    assert seen == set(places)
    count, torn = page.evaluate(TORN, "embeddings_nouns")
    assert 20 <= count <= 45
    assert torn == []


def test_a_click_on_a_bar_or_a_point_chooses_its_word(opened):
    page, visit = opened
    visit(page, NEAREST)
    bar = page.locator(".loupe-nearest li button").first
    word = bar.inner_text()
    bar.click()
    expect_in_link(page, embeddings_source_token=word)
    settle(page)
    expect(page.locator(".loupe-nearest ol")).to_have_attribute(
        "aria-label", f"The words nearest to “{word}”"
    )
    page.locator(".st-key-embeddings_plane .embeddings-dot").last.click(force=True)
    page.wait_for_function(
        "before => new URLSearchParams(location.search).get('embeddings_source_token') !== before",
        arg=word,
    )


def test_all_words_have_about_thirty_labels_and_a_zoom_has_others(opened):
    page, visit = opened
    visit(page, ALL_WORDS)
    cloud = page.locator(".st-key-embeddings_cloud .loupe-cloud")
    names = cloud.locator("text")
    expect(names.first).to_be_visible()
    count, torn = page.evaluate(TORN, "embeddings_cloud")
    assert 20 <= count <= 45
    assert torn == []
    before = {*names.all_text_contents()}
    page.locator(".st-key-embeddings_zoom").get_by_role("radio", name="4×").click()
    expect_in_link(page, embeddings_zoom=4)
    settle(page)
    assert {*names.all_text_contents()} - before
    assert page.evaluate(TORN, "embeddings_cloud")[1] == []


def test_positions_open_with_the_numbers_of_the_paper_and_the_words_at_their_rows(opened):
    page, visit = opened
    visit(page, POSITIONS)
    card = page.locator(".st-key-positions_map")
    expect(card.locator("canvas")).to_be_visible()
    rates = 10000 ** (-2 * np.arange(32) / 64)
    angles = np.outer(np.arange(64), rates)
    formula = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(64, 64)
    card.get_by_role("button", name="As a table").click()
    told = card.locator(".loupe-as-table tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent))"
    )
    seen = [[float(text.replace("−", "-")) for text in row] for row in told]
    # four digits of a number up to 1
    np.testing.assert_allclose(seen, formula[:60, :60], rtol=0, atol=5.1e-5)
    card.get_by_role("button", name="As a table").click()
    count, torn = page.evaluate(TORN, "positions_map")
    assert count == 13  # the words but for the full stop, and the end
    assert torn == []
    sizes = page.locator(".positions-written dd").evaluate_all(
        "nodes => nodes.map((node) => getComputedStyle(node).fontSize)"
    )
    assert len(sizes) == 2
    assert len({*sizes}) == 1


def test_a_click_works_a_number_out(opened):
    page, visit = opened
    visit(page, POSITIONS)
    drawn = page.locator(".positions-map")
    shape = drawn.evaluate("node => node.shape")
    across, down = 20.5 * shape["cell"], 9.5 * shape["high"]
    drawn.click(position={"x": shape["x"] + across, "y": shape["y"] + down})
    expect_in_link(page, positions_pos=9, positions_dim=20)
    settle(page)
    expect(page.get_by_text("equals source_embedding.positions[9, 20]")).to_be_visible()
