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
    z: trace.z ? Array.from(trace.z, (row) => Array.from(row)) : [],
  }));
}"""
TORN = """(key) => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const frame = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll(".textpoint text, .annotation-text")]
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


@pytest.fixture
def opened(browser: Browser, shipped_address: str, screen: str) -> Iterator:
    def visit(page: Page, link: str) -> None:
        width, height = SCREENS[screen]
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{shipped_address}/{link}{'&presenter=true' * (screen == 'presenter')}")
        settle(page)

    with open_page(browser, f"{shipped_address}/positions") as page:
        yield page, visit


def test_nouns_are_drawn_where_they_were_computed_and_labels_are_readable(opened):
    page, visit = opened
    visit(page, f"embeddings?checkpoint={VARIANTS['paper']}")
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


def test_all_words_have_about_thirty_labels_and_a_zoom_has_others(opened):
    page, visit = opened
    visit(page, f"embeddings?checkpoint={VARIANTS['paper']}&more_embeddings_all=true")
    cloud = page.locator(".st-key-embeddings_cloud .js-plotly-plot")
    expect(cloud).to_be_visible()
    count, torn = page.evaluate(TORN, "embeddings_cloud")
    assert 20 <= count <= 45
    assert torn == []
    before = page.evaluate(DRAWN, "embeddings_cloud")
    page.locator(".st-key-embeddings_zoom").get_by_role("radio", name="4×").click()
    expect_in_link(page, embeddings_zoom=4)
    settle(page)
    after = page.evaluate(DRAWN, "embeddings_cloud")
    labels = [
        {*next(trace["text"] for trace in traces if trace["name"] == "labels")}
        for traces in (before, after)
    ]
    assert labels[1] - labels[0]
    assert page.evaluate(TORN, "embeddings_cloud")[1] == []


def test_positions_open_with_the_numbers_of_the_paper_and_the_words_at_their_rows(opened):
    page, visit = opened
    visit(page, f"positions?checkpoint={VARIANTS['paper']}")
    expect(page.locator(".st-key-positions_map .js-plotly-plot")).to_be_visible()
    [trace] = page.evaluate(DRAWN, "positions_map")
    rates = 10000 ** (-2 * np.arange(32) / 64)
    angles = np.outer(np.arange(64), rates)
    formula = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(64, 64)
    np.testing.assert_allclose(trace["z"], formula, rtol=0, atol=2**-24)
    count, torn = page.evaluate(TORN, "positions_map")
    assert count == 14  # thirteen words but for the full stop, the end, and what the columns are
    assert torn == []
    sizes = page.locator(".positions-written dd").evaluate_all(
        "nodes => nodes.map((node) => getComputedStyle(node).fontSize)"
    )
    assert len(sizes) == 2
    assert len({*sizes}) == 1
