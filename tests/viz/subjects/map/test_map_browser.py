"""The map in a real browser: what it draws, where its blocks lead, that no text is in the way."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import Checkpoint
from model.presets import preset
from model.tensor_names import tensor_names
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.browsing import library
from tests.checkpoints import BY_HEART, DEFAULT
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.pictures.theme import MONO, colour_variables
from viz.run.alignment import gold_links
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import map_payload

STYLE = Path(__file__).parents[4] / "viz" / "subjects" / "map" / "map.css"
PACKED = ("codes", "numbers")
WIDTHS = {"small": 270, "large": 1000}
CROSS = {"kind": "cross-attention", "layer": 1, "head": 2, "query": 3, "key": 2, "step": 3}
SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { components as run } from "/pictures/browser/run.js";
import { components as map } from "/subjects/map/browser/map.js";
const components = { ...run, ...map };
const table = (array) => ({ getChild: () => ({ toArray: () => array }) });
let leave = [];
window.mount = (name, { codes, numbers, ...data }) => {
  const parentElement = document.querySelector(`[data-mounted="${name}"]`);
  if (codes) data.codes = table(Uint16Array.from(codes));
  if (numbers) data.numbers = table(Float32Array.from(numbers));
  leave.push(loupe.mount(name, components[name], { data, parentElement, setTriggerValue() {} }));
};
window.show = (given) => {
  const { width, path, selection, run, map } = JSON.parse(given);
  for (const each of leave) each();
  leave = [];
  const parts = ["measures", "run", "map"].map((name) => `<div data-mounted="${name}"></div>`);
  document.querySelector(".stApp").innerHTML = parts.join("");
  document.querySelector('[data-mounted="map"]').style.width = `${width}px`;
  window.asked = [];
  window.loupe = createLoupe(document);
  Object.assign(loupe, { page: path, selection, go: (...all) => asked.push(all) });
  mount("run", run);
  mount("map", map);
  window.openTensor = (tensor) => mount("map", { ...map, meta: { ...map.meta, tensor } });
};
"""


def random_run(checkpoint: Checkpoint, variant: str, **overrides) -> Run:
    tokenizers = Tokenizers.train(
        BY_HEART.keys(), BY_HEART.values(), source_kind="word", target_kind="word", shared=True
    )
    sizes = {
        "source_vocab_size": tokenizers.source.vocab_size,
        "target_vocab_size": tokenizers.target.vocab_size,
        "d_model": 24,
        "d_ff": 40,
        "n_heads": 4,
        "n_encoder_layers": 2,
        "n_decoder_layers": 2,
    }
    config = preset(variant, **(sizes | overrides))
    torch.manual_seed(0)
    info = replace(checkpoint.info, config=config, tokenizers=tokenizers)
    model = Transformer(config).eval()
    return make_run(Checkpoint(info=info, model=model), DEFAULT, target=BY_HEART[DEFAULT])


@contextmanager
def blank(browser: Browser, **context: bool) -> Iterator[Page]:
    """A page without the app, for one map after the other."""
    with library(
        browser,
        f"<style>:root {{ color-scheme: light dark }} body {{ font: 15px sans-serif }}"
        f".stApp {{ --mono: {MONO}; {colour_variables()} }} {STYLE.read_text()}</style>"
        '<div class="stApp"></div>',
        SCRIPT,
        until="window.show",
        color_scheme="dark",
        **context,
    ) as page:
        yield page


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with blank(browser) as page:
        yield page


def show(
    page: Page,
    run: Run,
    *,
    size: str = "small",
    path: str = "attention",
    width: int | None = None,
    **selected: str | int,
) -> None:
    """Draw the map of a run anew; what it asks of Python is kept in `window.asked`."""
    parcel = pack_run(run, "key")
    drawn = map_payload(run, parcel)
    drawn["meta"] = {**drawn["meta"], "size": size, "tensor": None, "lit": []}
    given = {
        "width": width or WIDTHS[size],
        "path": path,
        "selection": {"run": "key", **CROSS, **selected},
        "run": listed(parcel.data),
        "map": listed(drawn),
    }
    page.mouse.move(0, 0)
    page.evaluate("given => show(given)", json.dumps(given))
    page.locator("[data-mounted=map] svg").wait_for()


def listed(data: dict[str, Any]) -> dict[str, Any]:
    tables = {name: data[name].column(0).to_pylist() for name in PACKED if name in data}
    return {"meta": data["meta"], **tables}


def block(page: Page, name: str) -> Locator:
    return page.locator(f'.loupe-map-block[data-block="{name}"]')


def lit(page: Page) -> list[str]:
    return page.locator('[aria-current="location"]').evaluate_all(
        "nodes => nodes.map((node) => node.dataset.block)"
    )


def layers(page: Page) -> tuple[list[int], list[int]]:
    """Which layers of the encoder and of the decoder can be seen."""
    names = page.locator(".loupe-map-part:visible").evaluate_all(
        "nodes => nodes.map((node) => node.getAttribute('aria-label'))"
    )
    encoder, decoder = (
        [int(name.split()[-1]) for name in names if name.startswith(f"{stack} layer")]
        for stack in ("encoder", "decoder")
    )
    return encoder, decoder


def toggle(page: Page, stack: str) -> Locator:
    return page.locator(f'[data-stack="{stack}"]')


def test_measures_that_come_before_their_run_are_kept(page, run):
    """Components start in any order: each waits for its code."""
    sent = pack_measures(metrics_by_head(run, gold_links(run)), "later")
    show(page, run)
    metrics = page.evaluate(
        """([measures, run]) => {
          mount("measures", measures);
          mount("run", run);
          return loupe.runs.get("later").metrics;
        }""",
        [sent, listed(pack_run(run, "later").data)],
    )
    assert metrics == sent["metrics"]
    assert "entropy" in metrics["cross-attention"]


def test_encoder_left_decoder_right_inputs_below_outputs_above(page, run):
    show(page, run)
    box = {name: block(page, name).bounding_box() for name in (
        "source", "source_embedding", "encoder.layers.1.self_attn",
        "target", "decoder.layers.1.self_attn", "decoder.layers.1.cross_attn", "generator",
        "candidates",
    )}  # fmt: skip
    for stack in (("source", "source_embedding", "encoder.layers.1.self_attn"),
                  ("target", "decoder.layers.1.self_attn", "decoder.layers.1.cross_attn",
                   "generator", "candidates")):  # fmt: skip
        heights = [box[name]["y"] for name in stack]
        assert heights == sorted(heights, reverse=True)
    encoder = box["encoder.layers.1.self_attn"]
    assert encoder["x"] + encoder["width"] < box["decoder.layers.1.self_attn"]["x"]


def test_layers_unfold_in_place_each_with_the_memory_and_fold_again(page, run):
    show(page, run)
    wires = page.locator("[data-mounted=map] svg > g:first-of-type .loupe-map-wire.memory")
    folded = page.locator("[data-mounted=map] svg").bounding_box()["height"]
    assert layers(page) == ([1], [1])
    assert wires.count() == 1
    toggle(page, "decoder").click()
    assert layers(page) == ([1], [0, 1])
    assert wires.count() == 2
    assert toggle(page, "decoder").get_attribute("aria-expanded") == "true"
    lower, upper = (block(page, f"decoder.layers.{i}.self_attn").bounding_box() for i in (0, 1))
    assert upper["y"] + upper["height"] < lower["y"]
    assert page.locator("[data-mounted=map] svg").bounding_box()["height"] > folded + 100
    toggle(page, "decoder").press("Enter")
    assert layers(page) == ([1], [1])
    assert page.locator("[data-mounted=map] svg").bounding_box()["height"] == folded


def test_a_click_on_attention_selects_it_and_lights_it(page, run):
    show(page, run)
    assert lit(page) == ["decoder.layers.1.cross_attn"]
    block(page, "encoder.layers.1.self_attn").click()
    assert page.evaluate("[loupe.selection.kind, loupe.selection.layer]") == [
        "encoder self-attention",
        1,
    ]
    assert lit(page) == ["encoder.layers.1.self_attn"]
    assert page.evaluate("asked") == []
    page.evaluate("loupe.select({ layer: 0 })")
    assert layers(page) == ([0], [1])  # a folded stack shows the layer in view
    assert lit(page) == ["encoder.layers.0.self_attn"]


def test_a_folded_stack_shows_a_layer_that_follows_from_the_link_alone(page, run):
    """Whatever was in view before, a map that is opened with the same selection shows the same."""
    steps = [
        {"kind": "encoder self-attention", "layer": 0},
        CROSS,
        {"kind": "decoder self-attention", "layer": 0},
        {"kind": "encoder self-attention", "layer": 1},
        {"kind": "encoder self-attention", "layer": 0},
    ]
    walked: dict[str, list] = {}
    for path in ("attention", "map", "masks"):
        show(page, run, path=path)
        walked[path] = []
        for step in steps:
            page.evaluate("step => loupe.select(step)", step)
            walked[path].append(layers(page))
    for path, found in walked.items():
        for step, seen in zip(steps, found, strict=True):
            show(page, run, path=path, **step)
            assert layers(page) == seen, (path, step)
    assert walked["attention"][:2] == [([0], [1]), ([1], [1])]


def test_from_another_page_a_click_opens_a_page(page, run):
    show(page, run, path="masks")
    assert lit(page) == []
    badges = sum(len(each.masks) for each in describe(run).blocks)
    assert page.locator(".loupe-map-badge.loupe-map-lit").count() == badges == 8
    block(page, "decoder.layers.1.self_attn").click(position={"x": 8, "y": 8})
    block(page, "encoder.layers.1.feed_forward").focus()
    page.keyboard.press("Space")
    page.locator(".loupe-map-badge:visible").first.click()
    assert page.evaluate("asked") == [
        ["attention", {"kind": "decoder self-attention", "layer": 1}],
        ["map", {"tensor": "encoder.layers.1.feed_forward.hidden"}],
        ["masks", {"kind": "encoder self-attention", "layer": 1}],
    ]


def test_a_thumbnail_of_a_large_map_opens_its_head(page, run):
    show(page, run, size="large")
    heads = page.locator('[data-block="encoder.layers.1.self_attn"][data-head]')
    assert heads.count() == 4
    heads.nth(3).click()
    assert page.evaluate("[loupe.selection.layer, loupe.selection.head]") == [1, 3]
    assert page.locator(".loupe-map-head.loupe-map-lit").get_attribute("data-head") == "3"


def test_every_tensor_lights_the_block_that_holds_it(page, run):
    holder = {name: block.id for block in describe(run).blocks for name in block.holds}
    show(page, run, path="map")
    found = page.evaluate(
        "(names) => names.map((name) => { openTensor(name); const lit ="
        " document.querySelectorAll('[aria-current]');"
        " return [...lit].map((node) => node.dataset.block) })",
        list(tensor_names(run.info.config)),
    )
    assert found == [[holder[name]] for name in tensor_names(run.info.config)]


def test_reading_order_is_from_the_inputs_up(page, run):
    show(page, run)
    order = page.locator(".loupe-map-block:visible").evaluate_all(
        "nodes => nodes.map((node) => node.dataset.block)"
    )
    expected = [b.id for b in describe(run).blocks if b.layer != 0]
    assert order == expected
    page.locator(".loupe-map-block").first.focus()
    before = page.evaluate("loupe.selection")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "source_embedding"
    assert page.locator(".loupe-tip").is_visible()
    for key in ("ArrowRight", "Home", "End"):
        page.keyboard.press(key)
    assert focused(page) == "candidates"
    assert page.evaluate("loupe.selection") == before


def focused(page: Page) -> str | None:
    return page.evaluate("document.activeElement.dataset.block ?? null")


@pytest.mark.parametrize("size", WIDTHS)
def test_the_map_is_one_stop_of_the_tab_key_and_the_arrows_reach_every_block(page, run, size):
    show(page, run, size=size)
    page.locator(".stApp").evaluate(
        """node => {
          node.prepend(document.createElement("button"));
          node.append(document.createElement("button"));
        }"""
    )
    page.locator(".stApp > button").first.focus()
    page.keyboard.press("Tab")
    if size == "large":  # the button to the numbers of the block in view stands before it
        assert page.evaluate("document.activeElement.tagName") == "BUTTON"
        page.keyboard.press("Tab")
    # It begins at the block in view.
    assert focused(page) == "decoder.layers.1.cross_attn"
    page.keyboard.press("Tab")
    assert page.locator(".stApp > button").last.evaluate("node => node.matches(':focus')")
    reached = page.evaluate(
        """() => {
          const buttons = [...document.querySelectorAll("svg [role=button]")]
            .filter((node) => node.getClientRects().length);
          const [seen, waiting] = [new Set([buttons[0]]), [buttons[0]]];
          for (const node of waiting)
            for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
              node.focus();
              node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
              const next = document.activeElement;
              if (!seen.has(next)) waiting.push(next);
              seen.add(next);
            }
          return [seen.size, buttons.length];
        }"""
    )
    assert reached[0] == reached[1] > 20


def test_a_block_is_named_by_what_is_written_in_it_and_its_sentence_is_said_after(page, run):
    show(page, run)
    place = block(page, "encoder.layers.1.feed_forward")
    written = " ".join(place.locator("text").all_text_contents())
    expect(place).to_have_accessible_name(written)
    said = place.get_attribute("aria-description")
    assert said.startswith("layer 1, ")
    place.hover()
    tip = page.locator(".loupe-tip").inner_text()
    assert "48 numbers become 64" in said
    assert "48 numbers become 64" in tip
    assert f"{len(run.source.ids)} × 64" in tip
    assert "encoder.layers.1.feed_forward.hidden" in tip


def test_nothing_to_be_tapped_is_smaller_than_a_finger_needs(browser, run):
    with blank(browser, has_touch=True, is_mobile=True) as page:
        show(page, run)
        small = page.locator("svg [role=button]:visible").evaluate_all(
            """nodes => nodes.map((node) => [node.dataset.block ?? node.className.baseVal,
                 node.querySelector("rect, circle").getBoundingClientRect()])
               .filter(([, { width, height }]) => width < 24 || height < 24)
               .map(([name]) => name)"""
        )
        assert small == []


def test_candidates_follow_the_step(page, run):
    show(page, run)
    for step in (0, 5):
        page.evaluate("(step) => loupe.select({ query: step })", step)
        words = page.locator(".loupe-map-written .loupe-map-token").text_content()
        assert words == run.target_tokens[step + 1]


def test_a_long_text_is_shown_as_far_as_it_fits(page, checkpoint):
    long = make_run(checkpoint, "cat 🐈 " * 40)
    show(page, long)
    place = block(page, "source")
    room = place.locator(".loupe-map-box").evaluate("node => node.getBBox().width")
    text = place.locator(".loupe-map-token")
    whole = " ".join(long.source.tokens)
    start = text.evaluate("node => node.lastChild.data").removesuffix("…")
    assert whole.startswith(start)
    assert len(start) > 10
    assert text.evaluate("node => node.getComputedTextLength()") <= room + 1
    longer = text.evaluate(
        "(node, more) => { node.lastChild.data = more; return node.getComputedTextLength() }",
        f"{whole[: len(start) + 1]}…",
    )
    assert longer > room - 1


PIXELS = """
async (node) => {
  const image = new Image();
  image.src = node.getAttribute("href");
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const light = [];
  for (let i = 0; i < data.length; i += 4)
    light.push(data[i + 3] ? data[i] + data[i + 1] + data[i + 2] : -1);
  return [image.width, image.height, light];
}
"""


def test_weights_and_strips_are_painted_as_the_run_has_them(page, run):
    """On a dark page more is lighter, and masked cells are left to the hatching."""
    show(page, run, size="large")
    for part in ("cross_attn", "self_attn"):
        attention = getattr(run.trace.decoder.layers[1], part)
        place = f'[data-block="decoder.layers.1.{part}"][data-head="2"] image'
        columns, rows, light = page.locator(place).evaluate(PIXELS)
        weights = attention.weights[0, 2]
        assert (rows, columns) == tuple(weights.shape)
        painted = torch.tensor(light).view(rows, columns)
        assert torch.equal(painted >= 0, attention.mask[0].expand(rows, columns))
        for row in range(rows):
            brightest = int(painted[row].argmax())
            assert weights[row, brightest] >= weights[row].max() - 0.01
    node = page.locator('.loupe-map-beside[data-block="encoder.layers.1.feed_forward"] image')
    columns, rows, light = node.evaluate(PIXELS)
    hidden = run.trace.encoder.layers[1].feed_forward.hidden[0]
    assert (rows, columns) == tuple(hidden.shape)
    painted = torch.tensor(light).view(rows, columns)
    nothing = painted[hidden == 0].unique()
    assert len(nothing) == 1
    assert bool((painted[hidden > hidden.max() / 2] > nothing).all())


CASES = {
    "paper": {"variant": "paper"},
    "prenorm": {"variant": "prenorm"},
    "no positions": {"variant": "paper", "positions": "none", "n_decoder_layers": 1},
    "deep": {"variant": "paper", "n_encoder_layers": 12, "n_decoder_layers": 10, "n_heads": 12},
}
OVERLAPS = """
() => {
  const drawn = (tag) => [...document.querySelectorAll(`[data-mounted=map] ${tag}`)]
    .map((node) => [node.lastChild?.textContent ?? tag, node.getBoundingClientRect()])
    .filter(([, box]) => box.width);
  const svg = document.querySelector("[data-mounted=map] svg").getBoundingClientRect();
  const texts = drawn("text");
  const tokens = drawn(".loupe-map-token").map(([text]) => text);
  const found = [];
  texts.forEach(([text, p], i) => {
    const beside = p.left < svg.left - 1 || p.right > svg.right + 1;
    const mayBeCut = svg.width < 1000 && svg.width > 300;
    if (text.endsWith("…") && !tokens.includes(text) && !mayBeCut) found.push(["cut", text]);
    if (beside || p.top < svg.top - 1 || p.bottom > svg.bottom + 1) found.push(["out", text]);
    for (const [other, q] of [...texts.slice(i + 1), ...drawn("image")]) {
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 1 && high > 3) found.push([text, other]);
    }
  });
  return [texts.length, found];
}
"""


@pytest.mark.parametrize("case", CASES)
def test_no_text_is_over_another_or_a_picture_or_outside(page, checkpoint, case):
    run = random_run(checkpoint, **CASES[case])
    for size, width in (("small", 270), ("large", 1100), ("large", 660)):
        show(page, run, size=size, width=width)
        if size == "small":
            box = page.locator("[data-mounted=map] svg").bounding_box()
            assert box["width"] <= 270
            assert box["height"] <= 570
        folded, found = page.evaluate(OVERLAPS)
        assert found == []
        for stack in ("encoder", "decoder"):
            if toggle(page, stack).count():
                toggle(page, stack).click()
        unfolded, found = page.evaluate(OVERLAPS)
        assert found == []
        assert unfolded > folded > 20


@pytest.mark.parametrize(
    ("tying", "output", "ties", "dashed"), [("decoder", "logits", 1, 1), ("all", "softmax", 2, 0)]
)
def test_what_is_tied_is_linked_and_what_is_outside_is_dashed(
    page, checkpoint, tying, output, ties, dashed
):
    run = random_run(checkpoint, "paper", tying=tying, output=output)
    assert run.steps[4].rank > 5
    show(page, run)
    assert page.locator(".loupe-map-tie").count() == ties
    assert page.locator(".loupe-map-outside").count() == dashed
    page.evaluate("loupe.select({ query: 4 })")
    words = page.locator(".loupe-map-written .loupe-map-token").text_content()
    assert words == run.target_tokens[5]  # however improbable
