"""The card of a cell in a real browser: its numbers, its controls, and its speed."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from model.edits import Edits
from tests.browsing import centre, expect_chosen, open_page, ready
from tests.checkpoints import DEFAULT, VARIANTS
from tests.shipped import LONG, PAPER, shipped, without_source
from tests.viz.subjects.attention.cards import SHOW, Shown, blank, show_card, shown_of
from tests.viz.subjects.attention.making import LINES, Cell, made_cell
from viz.run.axes import attention_trace
from viz.run.making import make_run

ADDNORM = VARIANTS["addnorm"]


def step(page: Page, title: str) -> Locator:
    return page.locator("section.cell-step").filter(has=page.get_by_role("heading", name=title))


def rows(where: Locator, name: str) -> list[list[str]]:
    """Read all rows of the tables of one name, folded ones too."""
    return where.locator(f"table.cell-{name} tbody tr").evaluate_all(
        "rows => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent))"
    )


def read(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def unfold(page: Page) -> None:
    folded = page.locator(".loupe-cell details:not([open]) summary:visible")
    while folded.count():
        folded.first.click()
    expect(page.locator(".loupe-cell details[open] table:not(:has(tbody tr))")).to_have_count(0)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with blank(browser) as page:
        yield page


@pytest.fixture(scope="module")
def shown() -> Shown:
    """Return a cell of the head that aligns words, in which "rue" reads "street"."""
    return shown_of("cross-attention", 1, 3, 7, 6)


@pytest.fixture(scope="module")
def cell(shown: Shown) -> Cell:
    return shown.made()


def test_the_card_says_every_number_of_the_cell(page: Page, shown: Shown, cell: Cell):
    show_card(page, shown)
    expect(page.locator("h2")).to_have_text("How rue comes to read street")
    expect(page.locator(".cell-place")).to_contain_text("decoder.layers.1.cross_attn head 3")
    expect(page.locator(".cell-checks.loupe-pass > summary")).to_have_text(
        "✓ all 13 steps agree with float64"
    )
    assert page.locator(".loupe-fail").count() == 0
    unfold(page)
    products = rows(step(page, "Query and key"), "products")
    keys = rows(step(page, "Softmax"), "row")
    mixed = rows(step(page, "Mix over"), "numbers")
    written = rows(step(page, "Output"), "numbers")
    lengths = rows(step(page, "Output"), "heads")
    summaries = page.locator("#card summary").all_inner_texts()
    results = page.locator(".cell-result").all_inner_texts()
    total = step(page, "Softmax").locator(".cell-sum").inner_text()

    score, row, mix, output = (cell[name] for name in ("score", "row", "mix", "output"))
    order = score["order"].tolist()
    assert [int(r[0]) for r in products] == order
    for column, vector in ((1, score["q"]), (3, score["k"]), (5, score["products"])):
        said = [read(r[column]) for r in products]
        np.testing.assert_allclose(said, vector[order], atol=6e-4 * np.abs(vector).max())
    together = [read(text) for text in re.findall(r"together (\S+)", "\n".join(summaries))]
    assert together[0] == pytest.approx(score["products"][order[8:]].sum(), rel=1e-3)
    assert together[1] == pytest.approx(row["weights"][6:].sum(), rel=5e-3)
    assert read(results[0]) == pytest.approx(score["dot"], rel=1e-3)
    assert read(results[1].rpartition("=")[2]) == pytest.approx(score["scaled"], rel=1e-3)
    assert keys[0][0] == "street"
    np.testing.assert_allclose([read(r[3]) for r in keys], row["weights"], rtol=5e-3)
    np.testing.assert_allclose([read(r[2]) for r in keys], row["exponentials"], rtol=5e-3)
    assert read(re.search(r"Z = (\S+)", total)[1]) == pytest.approx(row["denominator"], rel=1e-3)
    v, weighted, whole = mix["v"], mix["weighted"], mix["mix"]
    own, all_heads = output["own"], output["output"]
    for table, vectors in (
        (mixed, (v, weighted, whole - weighted, whole)),
        (written, (own, all_heads - own, all_heads)),
    ):
        for column, vector in enumerate(vectors, start=1):
            texts = [read(r[column]) for r in table]
            np.testing.assert_allclose(texts, vector, atol=6e-4 * np.abs(vector).max())
    assert [r[0] for r in lengths] == [*(f"head {i}" for i in range(4)), "bias", "together"]
    np.testing.assert_allclose([read(r[1]) for r in lengths[:4]], output["norms"], rtol=2e-3)


def test_a_long_row_ends_in_the_sum_of_what_is_not_listed(page: Page):
    run, model = shipped(PAPER, LONG)
    long = Shown(run, model, ("encoder self-attention", 0, 0, 8, 5))
    show_card(page, long)
    softmax = step(page, "Softmax")
    unfold(page)
    listed = rows(softmax, "row")
    end = softmax.locator("details .cell-soft").inner_text()
    count, rest = re.fullmatch(r"(\d+) smaller ones, together (\S+)", end).groups()
    assert len(listed) + int(count) == len(run.source.ids)
    assert sum(read(row[3]) for row in listed) + read(rest) == pytest.approx(1, abs=2e-3)


def test_each_badge_says_its_line_and_a_wrong_one_is_named(page: Page):
    differences = [0.001 * (i + 1) for i in range(len(LINES))]
    page.evaluate("begin(900)")
    page.evaluate(
        """(differences) => {
          const checks = cellChecks();
          document.querySelector(".stApp").replaceChildren(checks.node);
          checks.put(differences, 1e-4);
        }""",
        differences,
    )
    badges = page.locator(".cell-checks li")
    expect(badges.first).to_be_hidden()
    page.locator(".cell-checks summary").click()
    expect(badges.first).to_be_visible()
    said = badges.evaluate_all(
        "nodes => nodes.map((node) => [node.children[1], node.lastChild].map(n => n.innerText))"
    )
    pairs = zip(LINES, differences, strict=True)
    assert said == [[name, f"{apart:.1g}"] for name, apart in pairs]
    expect(page.locator(".cell-checks.loupe-fail > summary")).to_have_text(
        f"✗ does not agree with float64: {', '.join(LINES)}"
    )
    assert page.locator(".loupe-pass").count() == 0


def told(page: Page) -> dict[str, str]:
    """Return the sentences about a cell by the part that each describes."""
    lines = page.locator(".cell-line:visible").evaluate_all(
        "lines => lines.map((line) => [...line.children].map((part) => part.textContent))"
    )
    return dict(lines)


def test_tells_in_words_how_the_cell_comes_about(page: Page, shown: Shown, cell: Cell):
    show_card(page, shown)
    said = told(page)
    assert list(said) == ["query", "key", "score", "weight", "value", "output"]
    assert said["query"] == "To write rue, the model asks: what matters for it?"
    assert said["key"] == "street answers: this is what I am."
    pattern = r"Their score is (\S+): the higher, the better they match\."
    score = re.fullmatch(pattern, said["score"])
    assert read(score[1]) == pytest.approx(cell["score"]["scaled"], rel=1e-3)
    second = shown.run.source.tokens[cell["row"]["keys"][1]]
    shares = re.fullmatch(
        rf"Among the words that may be read, that is >\xa0(\S+)%; "
        rf"next, {second} has <\xa0(\S+)%\.",
        said["weight"],
    )
    assert (shares[1], shares[2]) == ("99", "1")
    assert cell["weight"] > 0.995
    assert cell["row"]["weights"][1] < 0.005
    assert said["value"] == "So the head takes >\xa099% of what street has to offer."
    fewer = int((cell["output"]["norms"] < cell["output"]["norms"][3]).sum())
    among = f"more from this head than from {fewer} of the other 3"
    extreme = {0: "least from this head", 3: "most from this head"}
    assert said["output"] == f"rue gets {extreme.get(fewer, among)}."


def test_what_is_masked_edited_or_has_no_keys_says_so(page: Page, shown: Shown, cell: Cell):
    show_card(page, shown)
    softmax, line = step(page, "Softmax"), page.locator(".cell-of-weight")
    result = step(page, "Mask").locator(".cell-result")
    expect(result).to_have_text(re.compile("^may attend: stays"))
    for name, fill in ((PAPER, "−∞"), (ADDNORM, "−1e9")):
        page.evaluate(SHOW, shown_of("decoder self-attention", 0, 0, 5, 6, name).sent())
        expect(result).to_have_text(f"may not attend: becomes {fill}")
    expect(line).to_contain_text("So it gets nothing")
    page.evaluate(SHOW, with_score(shown, -2.0).sent())
    scaled = step(page, "Scaled")
    expect(scaled).to_contain_text("The changed score is −2.000.")
    product, _, quotient = scaled.locator(".cell-result").inner_text().partition(" / √16 = ")
    dot = cell["score"]["dot"]
    assert read(product) == pytest.approx(dot, rel=1e-3)
    assert read(quotient) == pytest.approx(dot / 4, rel=1e-3)
    for name, words, said in (
        (PAPER, "the row has no valid numbers", "The mask hides all 14 keys"),
        (ADDNORM, "that is 7%", "fills in −1e9, not −∞: all weights are equal"),
    ):
        closed = Shown(*without_source(name), ("cross-attention", 0, 1, 2, 3))
        page.evaluate(SHOW, closed.sent())
        expect(line).to_contain_text(words)
        expect(softmax.locator(".cell-soft:visible")).to_contain_text(said)
        assert softmax.locator("table:visible").count() == (name == ADDNORM)
        assert ("value" in told(page)) == (name == ADDNORM)
    page.evaluate(SHOW, shown.sent())
    assert softmax.locator(".cell-soft:visible").count() == 0


def with_score(shown: Shown, score: float) -> Shown:
    """Replace the score of a cell as a user's change does."""
    run, (kind, layer, head, query, key) = shown.run, shown.place
    scores = attention_trace(run, kind, layer).scores.clone()
    scores[0, head, query, key] = score
    edits = Edits({f"decoder.layers.{layer}.cross_attn.scores": lambda scores: scores})
    layers = list(run.trace.decoder.layers)
    attention = replace(layers[layer].cross_attn, edited_scores=scores)
    layers[layer] = replace(layers[layer], cross_attn=attention)
    decoder = replace(run.trace.decoder, layers=tuple(layers))
    return shown._replace(run=replace(run, trace=replace(run.trace, decoder=decoder), edits=edits))


def test_pointing_at_a_bar_says_it_and_lights_its_dimension(page: Page, shown: Shown, cell: Cell):
    show_card(page, shown)
    product = step(page, "Query and key")
    strip = product.locator(".cell-key svg")
    box = strip.bounding_box()
    third = int(cell["score"]["order"][2])
    strip.hover(position={"x": box["width"] * (third + 0.5) / 16, "y": 5})
    tip = page.get_by_role("tooltip")
    words = tip.inner_text()
    assert words.startswith(f"dimension {third}: ")
    k = cell["score"]["k"]
    assert read(words.rpartition(" ")[2]) == pytest.approx(k[third], rel=1e-3)
    assert product.locator("tr.cell-lit").all_inner_texts() == [
        product.locator("tbody tr").nth(2).inner_text()
    ]
    lit = product.locator("rect.cell-lit:visible")
    assert [node.get_attribute("x") for node in lit.all()] == [str(third)] * 2

    page.evaluate("loupe.select({ key: 4 })")
    expect(tip).not_to_have_text(words)
    page.mouse.move(1, 1)
    assert product.locator(".cell-lit:visible").count() == 0
    expect(tip).to_be_hidden()

    page.evaluate("loupe.select({ key: 6 })")
    product.locator("tbody tr").nth(0).hover()
    first = str(cell["score"]["order"][0])
    assert [node.get_attribute("x") for node in lit.all()] == [first] * 2


def test_what_is_open_stays_open_and_what_is_drawn_stays_there(
    page: Page, shown: Shown, cell: Cell
):
    other = shown_of("cross-attention", 1, 3, 4, 2)
    show_card(page, shown)
    step(page, "Mix over").locator("summary").click()
    step(page, "Softmax").locator("summary").click()
    page.evaluate("loupe.select({ query: 4, key: 2 })")
    opened = page.locator("#card details:not([hidden])").evaluate_all(
        "all => all.map((d) => d.open)"
    )
    assert opened == [False, True, True, False]
    made = other.made()
    numbers = [read(row[4]) for row in rows(step(page, "Mix over"), "numbers")]
    np.testing.assert_allclose(numbers, made["mix"]["mix"], atol=1e-3)

    unfold(page)
    written = rows(step(page, "Output"), "numbers")
    assert read(written[5][3]) == pytest.approx(made["output"]["output"][5], abs=6e-3)
    drawn = page.locator(".loupe-cell :is(section, details, li, table, table *, svg, svg *)")
    drawn.evaluate_all("nodes => { window.before = new Set(nodes) }")
    page.evaluate("loupe.select({ query: 7, key: 6 })")
    assert drawn.evaluate_all("nodes => nodes.every((node) => before.has(node))")
    written = rows(step(page, "Output"), "numbers")
    assert read(written[5][3]) == pytest.approx(cell["output"]["output"][5], abs=6e-3)


def test_the_card_hides_while_the_tensors_of_a_head_are_on_their_way(page: Page, shown: Shown):
    show_card(page, shown)
    parts = page.locator(".loupe-cell_words, .loupe-cell")
    expect(parts).to_have_count(2)
    words = parts.first.inner_text()
    page.evaluate("loupe.select({ head: 1 })")
    assert all("loupe-stale" in part.get_attribute("class") for part in parts.all())
    page.evaluate("loupe.select({ head: 3 })")
    assert not any("loupe-stale" in part.get_attribute("class") for part in parts.all())
    assert parts.first.inner_text() == words


@pytest.mark.parametrize(("width", "columns"), [(660, 1), (740, 2)])
def test_the_width_of_the_card_decides_on_its_columns(page: Page, shown, width, columns):
    show_card(page, shown, width=width)
    boxes = [box.bounding_box() for box in page.locator("section.cell-step").all()]
    assert len({round(box["x"]) for box in boxes}) == columns
    wide = "nodes => nodes.map((node) => node.scrollWidth - node.clientWidth)"
    assert max(page.locator(".loupe-cell").evaluate_all(wide)) <= 0
    if columns == 2:
        assert boxes[5]["y"] == boxes[0]["y"]


def test_a_click_on_the_map_fills_the_card(
    browser: Browser, address: str, checkpoints_folder: Path
):
    checkpoint = load_checkpoint(checkpoints_folder / "everyday-paper")
    run = make_run(checkpoint, DEFAULT)
    place = {"kind": "cross-attention", "layer": 1, "head": 2, "query": 3, "key": 2}
    link = "&".join(f"{name}={value}" for name, value in place.items())
    with open_page(browser, f"{address}/?{link}&more_numbers=true") as page:
        ready(page)
        numbers = page.locator(".st-key-cell_numbers")
        formulas = page.locator(".cell-formulas .katex")
        expect(formulas).to_have_count(13)
        expect(page.locator(".cell-place")).to_contain_text("query 3")
        numbers.locator("summary:visible").nth(1).click()
        numbers.locator("summary:visible").nth(3).click()
        page.evaluate("window.katexBefore = document.querySelector('.cell-formulas .katex')")
        page.mouse.click(*centre(page, 5, 4))
        expect_chosen(page, query=5, key=4)
        expect(page.locator(".cell-place")).to_contain_text("query 5")
        expect(page.locator(".cell-place")).to_contain_text("key 4")
        opened = numbers.locator("details:not([hidden])").evaluate_all(
            "all => all.map((d) => d.open)"
        )
        assert opened == [False, True, False, True]
        assert page.evaluate("katexBefore.isConnected")

        cell = made_cell(run, checkpoint.model, "cross-attention", 1, 2, 5, 4)
        weight = page.locator(".cell-sum b").inner_text()
        assert read(weight) == pytest.approx(cell["weight"], rel=1e-3)
        dot, scaled, _ = page.locator(".cell-result").all_inner_texts()
        assert read(dot) == pytest.approx(cell["score"]["dot"], rel=1e-3)
        assert read(scaled.rpartition("=")[2]) == pytest.approx(cell["score"]["scaled"], rel=1e-3)
        weights = [read(row[3]) for row in rows(step(page, "Softmax"), "row")]
        assert weights == pytest.approx(cell["row"]["weights"].tolist(), rel=5e-3)
        output = [read(row[3]) for row in rows(step(page, "Output"), "numbers")]
        expected = cell["output"]["output"]
        np.testing.assert_allclose(output, expected, atol=6e-4 * np.abs(expected).max())

        page.get_by_role("button", name="Decoder", exact=True).click()
        expect(page.locator(".cell-place")).to_contain_text("decoder.layers.1.self_attn")
        expect(formulas.nth(1)).to_contain_text("WKx")
