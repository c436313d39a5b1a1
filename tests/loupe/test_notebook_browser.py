"""The output of a real kernel for a run, drawn by a real browser that is offline."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Frame, Page
from transformers import ViTConfig, ViTModel

import loupe
from tests.browsing import ROOT, open_context, wait_until
from tests.kernel import running_kernel

CELLS = (
    "import loupe",
    "run = loupe.trace(loupe.load('everyday-paper-0'), 'the dog sleeps because it is tired .')",
    "run",
    "run.widget()",
)
NOTEBOOK = "<!doctype html><meta charset='utf-8'><body {attributes}><h1>Notebook</h1>{output}"
DARK = 'style="background: #111; color: #eee"'


@pytest.fixture(scope="module")
def outputs() -> Iterator[list[dict]]:
    """Run each cell in a kernel; return the outputs by media type."""
    with running_kernel(ROOT) as answer:
        yield [answer(cell)["data"] for cell in CELLS]


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """Open a page that is offline; fail if it requests anything or reports an error."""
    with open_context(browser, offline=True) as context:
        yield context.new_page()


def opened(page: Page, folder: Path, output: str, attributes: str = "") -> Frame:
    """Open a run in a saved notebook and return its frame."""
    file = folder / "notebook.html"
    file.write_text(NOTEBOOK.format(attributes=attributes, output=output), "utf-8")
    page.goto(file.as_uri())
    frame = page.frame_locator("iframe.loupe-frame")
    frame.locator(".loupe-head .loupe-over").first.wait_for()
    return page.frames[1]


BRIGHTNESS = """() => {
  const canvas = document.querySelector(".loupe-head .loupe-canvas");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const painted = [...data.keys()].filter((i) => i % 4 === 0 && data[i + 3] === 255);
  return painted.reduce((sum, i) => sum + data[i], 0) / painted.length;
}"""
"""Return the mean brightness of the painted part of the map, from 0 to 255."""


def wait_for_ground(frame: Frame, scheme: str, brightness: str) -> None:
    wait_until(
        frame,
        "getComputedStyle(document.querySelector('.stApp')).colorScheme === "
        f"'{scheme}' && ({BRIGHTNESS})() {brightness}",
    )


def test_a_cell_shows_text_and_picture(outputs: list[dict]) -> None:
    shown = outputs[2]
    assert "the dog sleeps because it is tired . </s>" in shown["text/plain"]
    assert shown["text/html"].startswith("<iframe")
    assert "http" not in shown["text/html"].replace("http-equiv", "").replace(
        "http://www.w3.org/2000/svg", ""
    )
    assert len(shown["text/html"]) < 300_000


def test_a_notebook_that_is_not_trusted_says_so(
    outputs: list[dict], offline: Page, tmp_path: Path
) -> None:
    shown = outputs[2]["text/html"]
    kept = re.sub(r"<(iframe|script).*?</\1>", "", shown, flags=re.DOTALL)
    assert "80 tensors of one pass" in kept
    assert "Trust this notebook to see the picture." in kept
    opened(offline, tmp_path, shown)
    assert offline.locator("p.loupe-untrusted").count() == 0


def test_the_saved_picture_answers_a_hand(
    outputs: list[dict], offline: Page, tmp_path: Path
) -> None:
    frame = opened(offline, tmp_path, outputs[2]["text/html"])
    where = frame.locator(".loupe-head .loupe-heading")
    assert frame.locator(".loupe-thumb").count() == 8
    frame.locator(".loupe-thumb").nth(1).click()
    assert "Encoder, layer 0, head 1" in where.inner_text()
    frame.get_by_role("button", name="Cross").click()
    assert "Decoder, reading the source" in where.inner_text()
    over = frame.locator(".loupe-head .loupe-over").first
    over.hover()
    assert "weight" in frame.locator(".loupe-tip").inner_text()
    before = frame.locator(".reading-answer").inner_text()
    over.press("ArrowUp")
    assert frame.locator(".reading-answer").inner_text() != before


def test_the_frame_has_the_notebooks_colours_and_the_height_that_it_wants(
    outputs: list[dict], offline: Page, tmp_path: Path
) -> None:
    frame = opened(offline, tmp_path, outputs[2]["text/html"])
    wait_for_ground(frame, "light", "> 180")
    frame = opened(offline, tmp_path, outputs[2]["text/html"], DARK)
    wait_for_ground(frame, "dark", "< 90")
    offline.evaluate("document.body.style.background = 'white'")
    wait_for_ground(frame, "light", "> 180")
    inside = frame.evaluate("document.documentElement.scrollHeight")
    assert offline.locator("iframe").bounding_box()["height"] == pytest.approx(inside, abs=2)


def test_a_page_of_its_own_needs_no_notebook(offline: Page, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    file.write_text(loupe.trace(loupe.load("digits-paper"), "1 2 3").html(), "utf-8")
    offline.goto(file.as_uri())
    offline.locator(".loupe-head .loupe-over").first.wait_for()
    assert "reads" in offline.locator(".reading-answer").inner_text()


def test_an_image_is_drawn_as_one_and_a_patch_that_is_clicked_reads(
    offline: Page, tmp_path: Path
) -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 1}
    model = ViTModel(ViTConfig(**sizes, intermediate_size=48, image_size=(8, 12), patch_size=4))
    run = loupe.trace(model, inputs={"pixel_values": torch.randn(1, 3, 8, 12)})
    assert run.tokens.source == ("0", "1,1", "1,2", "1,3", "2,1", "2,2", "2,3")
    file = tmp_path / "run.html"
    file.write_text(run.html(), "utf-8")
    offline.goto(file.as_uri())
    grid = offline.locator(".loupe-patches .loupe-heatmap").last
    grid.locator(".loupe-over").wait_for()
    shape = grid.evaluate("node => node.shape")
    assert (shape["rows"], shape["columns"]) == (2, 3)

    def place(row: int, column: int) -> dict[str, float]:
        return {"x": shape["x"] + (column + 0.5) * shape["cell"],
                "y": shape["y"] + (row + 0.5) * shape["cell"]}  # fmt: skip

    grid.locator(".loupe-over").click(position=place(1, 1))
    assert offline.locator(".loupe-patches b").inner_text() == "2,2"
    grid.locator(".loupe-over").hover(position=place(0, 2))
    weight = run["encoder.layers.0.self_attn.weights"][0, 0, 5, 3].item()
    said = offline.locator(".loupe-tip").inner_text()
    assert "2,2 reads 1,3" in said
    assert float(said.split()[-1]) == pytest.approx(weight, abs=0.00051)


def cells_of(found: loupe.Effects, offline: Page, file: Path) -> str:
    """Return the first table of a picture in a saved notebook."""
    shown = found._repr_mimebundle_()
    assert shown["text/plain"] == repr(found)
    file.write_text(NOTEBOOK.format(attributes="", output=shown["text/html"]), "utf-8")
    offline.goto(file.as_uri())
    frame = offline.frame_locator("iframe.loupe-frame")
    frame.get_by_role("button", name="table").first.click()
    told = frame.locator("table").first
    told.wait_for()
    return told.inner_text()


def test_what_was_patched_is_a_picture(offline: Page, tmp_path: Path) -> None:
    names = tuple(f"decoder.layers.{each}_attn.heads" for each in ("0.self", "0.cross", "1.self"))
    values = torch.tensor([[0.0, 2.0], [3.0, 3.0], [-1.0, math.nan]])
    found = loupe.Effects(values, ("attention", "head"), (names, ("0", "1")), 1.0, 5.0)
    told = cells_of(found, offline, tmp_path / "notebook.html")
    assert re.findall(r"restores [−.\d]+|no counterpart", told) == [
        "restores 0",
        "restores 0.50",
        "restores −0.25",
        "no counterpart",
    ]
    assert "L1 self-attn" in told


def test_what_was_cut_is_a_picture(offline: Page, tmp_path: Path) -> None:
    names = tuple(f"decoder.layers.0.{each}" for each in ("self_attn", "feed_forward"))
    values = torch.tensor([[1.5, 0.0, -4.0], [math.nan, math.nan, 0.25]])
    found = loupe.Effects(values, ("sublayer", "head"), (names, ("0", "1", "all")), 3.0)
    told = cells_of(found, offline, tmp_path / "notebook.html")
    numbers = re.findall(r"by ([−.\d]+)|(–)", told)
    assert ["".join(each) for each in numbers] == ["1.500", "0", "−4.000", "–", "–", "0.2500"]
    assert "L0 feed-fwd" in told


def test_the_parts_of_a_logit_are_a_picture(offline: Page, tmp_path: Path) -> None:
    sublayer = ("self_attn.heads[1]", "self_attn.output.bias", "self_attn_norm.bias")
    parts = (*sublayer, "feed_forward.output")
    names = ("target_embedding.tokens", *(f"decoder.layers.0.{part}" for part in parts))
    values = torch.tensor([2.0, -1.0, 0.5, 0.125, 0.25])
    found = loupe.Effects(values, ("part",), (names,), 0.0, 1.875)
    rows = cells_of(found, offline, tmp_path / "notebook.html").splitlines()
    told = [(row.split("\t")[0], re.findall(r"by ([−.\d]+)|(–)", row)) for row in rows[-3:]]
    assert [(name, ["".join(each) for each in cells]) for name, cells in told] == [
        ("tokens", ["–", "2.000", "–", "–"]),
        ("L0 self-attn", ["−1.000", "–", "0.5000", "0.1250"]),
        ("L0 feed-fwd", ["–", "0.2500", "–", "–"]),
    ]


def test_what_has_nothing_to_draw_is_no_picture() -> None:
    labels = (("a",), ("0",))
    cut = loupe.Effects(torch.zeros(1, 1), ("sublayer", "head"), labels, 1.0)
    patched = loupe.Effects(torch.ones(1, 1), ("attention", "head"), labels, 1.0)
    assert set(cut._repr_mimebundle_()) == set(patched._repr_mimebundle_()) == {"text/plain"}
    with pytest.raises(ValueError, match="a picture needs at least one value other than 0"):
        cut.html()
    with pytest.raises(ValueError, match="shares need a goal other than"):
        patched.html()


def test_a_widget_is_there_for_whoever_asks(outputs: list[dict]) -> None:
    assert "application/vnd.jupyter.widget-view+json" in outputs[3]
