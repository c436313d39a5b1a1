"""Files that a user saves, saved in a real browser and opened with independent readers."""

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browsing import chosen, open_file, open_page, ready, saved, seen_run
from tests.checkpoints import FIRST
from viz.run.axes import attention_trace, axis_tokens
from viz.run.record import Run
from viz.run.tensors import SAID

SVG = "{http://www.w3.org/2000/svg}"
FIELDS = {"app", "checkpoint", "sha256", "source", "target", "given", "edits", "torch", "numpy"}
FIELDS |= {"device", "decoding", "selection", "link", "date", "again"}
Save = Callable[..., bytes]


def test_the_room_sees_no_buttons(browser: Browser, address: str):
    with open_page(browser, f"{address}/attention?presenter=true") as page:
        ready(page)
        assert page.locator(".loupe-save").count() > 3
        assert not any(button.is_visible() for button in page.locator(".loupe-save").all())


META = '<meta name="loupe:provenance"'
SAID_IN: dict[str, Callable[[bytes], str]] = {
    "PNG": lambda data: Image.open(io.BytesIO(data)).text["Loupe"],
    "SVG": lambda data: ElementTree.fromstring(data).findtext(f"{SVG}metadata") or "",
    "CSV": lambda data: [*csv.reader(io.StringIO(data.decode("utf-8-sig")))][-1][0].removeprefix(
        "# Loupe "
    ),
    "NPZ": lambda data: np.load(io.BytesIO(data))[SAID].decode(),
    "safetensors": lambda data: json.loads(data[8 : 8 + header_size(data)])["__metadata__"][
        "Loupe"
    ],
    "HTML": lambda data: html.unescape(re.findall(f'{META} content="([^"]*)"', data.decode())[0]),
}
"""How to read the provenance from each kind of file, with independent readers."""


def header_size(data: bytes) -> int:
    """Return the size of the header of a safetensors file, which its first bytes state."""
    return int.from_bytes(data[:8], "little")


def test_every_kind_of_file_of_a_changed_run_names_each_change(browser: Browser, address: str):
    off, twice = "zero!encoder.layers.0.self_attn.heads;h1", "scale!decoder.layers.1.output;a2"
    with open_page(browser, f"{address}/attention?edits={off}~{twice}") as page:
        ready(page)
        for kind, read in SAID_IN.items():
            said = json.loads(read(saved(page, "" if kind == "HTML" else "the head", kind)))
            assert said["edits"] == [
                "encoder self-attention, layer 0, head 1 off",
                "decoder layer 1 × 2",
            ], kind
            assert said["again"].index("Intervention('zero'") < said["again"].index("'scale'"), kind


@pytest.fixture(scope="module")
def shared(browser: Browser, address: str) -> Iterator[Page]:
    with open_page(browser, f"{address}/attention?kind=cross-attention") as page:
        ready(page)
        yield page


@pytest.fixture
def save(shared: Page) -> Save:
    return partial(saved, shared)


@pytest.fixture(scope="module")
def run_seen(checkpoints_folder: Path) -> Run:
    return seen_run(checkpoints_folder)


def says_where_from(text: str, page: Page) -> None:
    said = json.loads(text)
    assert said.keys() >= FIELDS
    assert (said["checkpoint"], said["source"], said["edits"]) == (
        "everyday-paper",
        FIRST,
        [],
    )
    assert said["selection"] == chosen(page)
    assert said["link"] == page.url
    assert "make_run(checkpoint, text)" in said["again"]


def weights_of(run: Run, page: Page) -> np.ndarray:
    place = chosen(page)
    return attention_trace(run, place["kind"], place["layer"]).weights[0, place["head"]].numpy()


def test_a_picture_is_twice_as_large_as_pixels(shared: Page, save: Save):
    with Image.open(io.BytesIO(save("the head", "PNG"))) as image:
        image.load()
        says_where_from(image.text["Loupe"], shared)
        box = shared.locator(".loupe-head").first.bounding_box()
        assert box
        assert abs(image.width / 2 - box["width"] - 24) < 2
        assert image.getpixel((0, 0))[:3] == (255, 255, 255)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 50


def test_a_picture_is_drawn_as_vectors(shared: Page, save: Save, run_seen: Run):
    root = ElementTree.fromstring(save("the head", "SVG"))
    says_where_from(root.findtext(f"{SVG}metadata") or "", shared)
    rows, columns = axis_tokens(run_seen, "cross-attention")
    words = [node.text for node in root.iter(f"{SVG}text")]
    assert all(words.count(token) >= 2 for token in {*rows, *columns} - {"it"})
    assert len(list(root.iter(f"{SVG}rect"))) > len(rows) * len(columns)
    assert not list(root.iter(f"{SVG}image"))
    styled = [node for node in root.iter() if {"class", "onclick"} & node.attrib.keys()]
    assert not styled
    assert b"var(" not in ElementTree.tostring(root)


# How many pixels lower letters are on a base line `below` a line than if centred on it.
LOWER = """([word, size, family, below]) => {
  const ink = (line, y) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 200, height: 100 });
    const context = canvas.getContext("2d");
    context.font = `${size} ${family}`;
    context.textBaseline = line;
    context.fillText(word, 2, y);
    const pixels = context.getImageData(0, 0, 200, 100).data;
    const rows = [...Array(100).keys()].filter((row) =>
      pixels.subarray(row * 800, row * 800 + 800).some(Boolean));
    return (rows[0] + rows.at(-1)) / 2;
  };
  return ink("alphabetic", 50 + below) - ink("middle", 50);
}"""


def test_letters_stand_in_a_file_where_they_stand_on_the_page(
    shared: Page, save: Save, run_seen: Run
):
    root = ElementTree.fromstring(save("the head", "SVG"))
    shape = shared.evaluate("() => ({...document.querySelector('.loupe-heatmap').shape})")
    rows, columns = axis_tokens(run_seen, "cross-attention")
    drawn = [node for node in root.iter(f"{SVG}text") if "dominant-baseline" not in node.attrib]
    first = next(i for i, node in enumerate(drawn) if node.text == rows[0])
    middles = [shape["y"] + (row + 0.5) * shape["high"] for row in range(len(rows))]
    for node, middle in zip(drawn[first:], [*middles, *[0] * len(columns)], strict=False):
        word, size, family = (node.text, f"{node.get('font-size')}px", node.get("font-family"))
        below = float(node.get("y", "nan")) - middle
        assert abs(shared.evaluate(LOWER, [word, size, family, below])) <= 1, word


def test_numbers_are_those_of_the_run(shared: Page, save: Save, run_seen: Run):
    weights = weights_of(run_seen, shared)
    text = save("the head", "CSV").decode("utf-8-sig")
    frame = pd.read_csv(io.StringIO(text), skipfooter=1, engine="python", keep_default_na=False)
    np.testing.assert_array_equal(frame["weight"].to_numpy(np.float32), weights.ravel())
    rows, columns = axis_tokens(run_seen, "cross-attention")
    assert frame["query token"].tolist() == [row for row in rows for _ in columns]
    says_where_from(list(csv.reader(io.StringIO(text)))[-1][0].removeprefix("# Loupe "), shared)


def test_all_heads_are_those_of_the_run(save: Save, run_seen: Run):
    text = save("all heads", "CSV").decode("utf-8-sig")
    table = pd.read_csv(io.StringIO(text), skipfooter=1, engine="python", keep_default_na=False)
    for (layer, head), part in table.groupby(["layer", "head"]):
        weights = attention_trace(run_seen, "cross-attention", int(layer)).weights[0, int(head)]
        np.testing.assert_array_equal(part["weight"].to_numpy(np.float32), weights.numpy().ravel())
    assert table.groupby(["layer", "head"]).ngroups == 8


def test_the_whole_run_leaves_as_arrays(shared: Page, save: Save, run_seen: Run):
    name = "decoder.layers.1.cross_attn.weights"
    wanted = attention_trace(run_seen, "cross-attention", 1).weights.numpy()
    with np.load(io.BytesIO(save("the head", "NPZ")), allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays[name], wanted)
        says_where_from(arrays[SAID].decode(), shared)
    tensors = safetensors.numpy.load(save("the head", "safetensors"))
    np.testing.assert_array_equal(tensors[name], wanted)


def test_what_is_covered_is_not_saved(shared: Page):
    shared.evaluate("loupe.saving.covered = (name) => name === 'the head' ? 'Answer first.' : null")
    button = shared.get_by_role("button", name="Save the head", exact=True)
    button.focus()
    shared.keyboard.press("Enter")
    menu = shared.locator(".loupe-save-menu:popover-open")
    expect(menu).to_contain_text("Answer first.")
    expect(menu.get_by_role("menuitem")).to_have_count(0)
    shared.keyboard.press("Escape")
    shared.evaluate("loupe.saving.covered = () => null")


def test_the_menu_is_worked_by_keys_and_moves_nothing_else(shared: Page):
    before = chosen(shared)
    button = shared.get_by_role("button", name="Save the head", exact=True)
    button.focus()
    shared.keyboard.press("Enter")
    items = shared.locator(".loupe-save-menu:popover-open").get_by_role("menuitem")
    expect(items.first).to_be_focused()
    shared.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    shared.keyboard.press("End")
    expect(items.last).to_be_focused()
    shared.keyboard.press("Escape")
    expect(shared.locator(".loupe-save-menu:popover-open")).to_have_count(0)
    expect(button).to_be_focused()
    assert chosen(shared) == before


@pytest.fixture(scope="module")
def file(shared: Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save the view as one file."""
    file = tmp_path_factory.mktemp("saved") / "view.html"
    file.write_bytes(saved(shared, "", "HTML"))
    return file


def test_the_view_leaves_as_one_file(browser: Browser, shared: Page, file: Path, run_seen: Run):
    with open_file(browser, file) as page:
        assert chosen_in(page) == {n: v for n, v in chosen(shared).items() if n != "step"}
        drives(page, run_seen)
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#kind=encoder+self-attention&layer=1&head=3&query=2")
        page.locator("#cell_words .cell-line").first.wait_for()
        assert chosen_in(page) | {"key": 0} == {
            "kind": "encoder self-attention", "layer": 1, "head": 3, "query": 2, "key": 0,
        }  # fmt: skip


def chosen_in(page: Page) -> dict:
    """Return the selection from the file's address, which has it only after a key press."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    fields = dict(part.split("=") for part in page.url.partition("#")[2].split("&"))
    numbers = {name: int(fields[name]) for name in ("layer", "head", "query", "key")}
    return {"kind": fields["kind"].replace("+", " "), **numbers}


def drives(page: Page, run: Run) -> None:
    """Check that heads, cells, hovering and keys work in the file as they do in the app."""
    page.locator('.loupe-thumb[data-layer="0"][data-head="1"]').click()
    expect(page.locator("#head .loupe-heading").first).to_contain_text("layer 0, head 1")
    rows, columns = axis_tokens(run, "cross-attention")
    over = page.locator("#head .loupe-over").first
    shape = over.evaluate("node => node.parentElement.shape")
    cell = {name: shape[axis] + (place + 0.5) * shape[size] for name, axis, place, size in (
        ("x", "x", 2, "cell"), ("y", "y", 1, "high"),
    )}  # fmt: skip
    over.hover(position=cell)
    expect(page.locator(".loupe-tip")).to_contain_text(f"{rows[1]} reads {columns[2]}")
    over.click(position=cell)
    weight = attention_trace(run, "cross-attention", 0).weights[0, 1, 1, 2].item()
    question = page.locator("#cell_words h2")
    expect(question).to_contain_text(f"{rows[1]} comes to read {columns[2]}")
    shown = page.locator("#cell .cell-sum b").first.inner_text().replace("−", "-")
    assert float(shown) == pytest.approx(weight, rel=1e-3)
    expect(page.locator(".cell-checks summary")).to_contain_text("all 13 steps agree")
    page.keyboard.press("ArrowDown")
    expect(question).to_contain_text(f"{rows[2]} comes to read {columns[2]}")
    page.keyboard.press("]")
    expect(page.locator("#head .loupe-heading").first).to_contain_text("layer 1, head 1")
    assert "layer=1" in page.url


GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def test_the_file_is_dark_where_the_reader_is_and_on_paper_light_and_vectors(
    browser: Browser, file: Path
):
    with open_file(browser, file, scheme="dark") as page:
        assert page.evaluate(GROUND) == "rgb(18, 20, 26)"
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert not any(canvas.is_visible() for canvas in page.locator("canvas").all())
        assert page.locator("#head svg.loupe-canvas rect").count() > 50
        assert page.evaluate("document.querySelector('.stApp').style.colorScheme") == "light"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("#head canvas").first.is_visible()
        assert page.locator("svg.loupe-canvas").count() == 0
        assert page.evaluate("document.querySelector('.stApp').style.colorScheme") == "dark"
        page.emulate_media(color_scheme="light")
        page.reload()
        assert page.evaluate(GROUND) == "rgb(251, 251, 249)"
