"""The map in a real browser: how its blocks are arranged, fold, and lead to other pages."""

import pytest
from playwright.sync_api import Page

from model.tensor_names import tensor_names
from tests.viz.subjects.map.drawn_maps import CROSS, WIDTHS, block, listed, show, toggle
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.run.alignment import gold_links
from viz.run.payload import pack_run
from viz.subjects.map.describe import describe


def lit(page: Page) -> list[str]:
    return page.locator('[aria-current="location"]').evaluate_all(
        "nodes => nodes.map((node) => node.dataset.block)"
    )


def layers(page: Page) -> tuple[list[int], list[int]]:
    """Return the visible layers of the encoder and of the decoder."""
    names = page.locator(".loupe-map-part:visible").evaluate_all(
        "nodes => nodes.map((node) => node.getAttribute('aria-label'))"
    )
    encoder, decoder = (
        [int(name.split()[-1]) for name in names if name.startswith(f"{stack} layer")]
        for stack in ("encoder", "decoder")
    )
    return encoder, decoder


def test_measures_that_come_before_their_run_are_kept(map_page, run):
    """Components start in any order, because each waits for its code."""
    sent = pack_measures(metrics_by_head(run, gold_links(run)), "later")
    show(map_page, run)
    metrics = map_page.evaluate(
        """([measures, run]) => {
          mount("measures", measures);
          mount("run", run);
          return loupe.runs.get("later").metrics;
        }""",
        [sent, listed(pack_run(run, "later").data)],
    )
    assert metrics == sent["metrics"]
    assert "entropy" in metrics["cross-attention"]


def test_encoder_left_decoder_right_inputs_below_outputs_above(map_page, run):
    show(map_page, run)
    box = {name: block(map_page, name).bounding_box() for name in (
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


def test_layers_unfold_in_place_each_with_the_memory_and_fold_again(map_page, run):
    show(map_page, run)
    wires = map_page.locator("[data-mounted=map] svg > g:first-of-type .loupe-map-wire.memory")
    folded = map_page.locator("[data-mounted=map] svg").bounding_box()["height"]
    assert layers(map_page) == ([1], [1])
    assert wires.count() == 1
    toggle(map_page, "decoder").click()
    assert layers(map_page) == ([1], [0, 1])
    assert wires.count() == 2
    assert toggle(map_page, "decoder").get_attribute("aria-expanded") == "true"
    lower, upper = (block(map_page, f"decoder.layers.{i}.self_attn").bounding_box() for i in (0, 1))
    assert upper["y"] + upper["height"] < lower["y"]
    assert map_page.locator("[data-mounted=map] svg").bounding_box()["height"] > folded + 100
    toggle(map_page, "decoder").press("Enter")
    assert layers(map_page) == ([1], [1])
    assert map_page.locator("[data-mounted=map] svg").bounding_box()["height"] == folded


def test_a_click_on_attention_selects_it_and_lights_it(map_page, run):
    show(map_page, run)
    assert lit(map_page) == ["decoder.layers.1.cross_attn"]
    block(map_page, "encoder.layers.1.self_attn").click()
    assert map_page.evaluate("[loupe.selection.kind, loupe.selection.layer]") == [
        "encoder self-attention",
        1,
    ]
    assert lit(map_page) == ["encoder.layers.1.self_attn"]
    assert map_page.evaluate("asked") == []
    map_page.evaluate("loupe.select({ layer: 0 })")
    assert layers(map_page) == ([0], [1])  # a folded stack shows the selected layer
    assert lit(map_page) == ["encoder.layers.0.self_attn"]


def test_a_folded_stack_shows_a_layer_that_follows_from_the_link_alone(map_page, run):
    """A map opened with the same selection shows the same layers, whatever was selected before."""
    steps = [
        {"kind": "encoder self-attention", "layer": 0},
        CROSS,
        {"kind": "decoder self-attention", "layer": 0},
        {"kind": "encoder self-attention", "layer": 1},
        {"kind": "encoder self-attention", "layer": 0},
    ]
    walked: dict[str, list] = {}
    for path in ("attention", "map", "masks"):
        show(map_page, run, path=path)
        walked[path] = []
        for step in steps:
            map_page.evaluate("step => loupe.select(step)", step)
            walked[path].append(layers(map_page))
    for path, found in walked.items():
        for step, seen in zip(steps, found, strict=True):
            show(map_page, run, path=path, **step)
            assert layers(map_page) == seen, (path, step)
    assert walked["attention"][:2] == [([0], [1]), ([1], [1])]


def test_from_another_page_a_click_opens_a_page(map_page, run):
    show(map_page, run, path="masks")
    assert lit(map_page) == []
    badges = sum(len(each.masks) for each in describe(run).blocks)
    assert map_page.locator(".loupe-map-badge.loupe-map-lit").count() == badges == 8
    block(map_page, "decoder.layers.1.self_attn").click(position={"x": 8, "y": 8})
    block(map_page, "encoder.layers.1.feed_forward").focus()
    map_page.keyboard.press("Space")
    map_page.locator(".loupe-map-badge:visible").first.click()
    assert map_page.evaluate("asked") == [
        ["attention", {"kind": "decoder self-attention", "layer": 1}],
        ["map", {"tensor": "encoder.layers.1.feed_forward.hidden"}],
        ["masks", {"kind": "encoder self-attention", "layer": 1}],
    ]


def test_a_thumbnail_of_a_large_map_opens_its_head(map_page, run):
    show(map_page, run, size="large")
    heads = map_page.locator('[data-block="encoder.layers.1.self_attn"][data-head]')
    assert heads.count() == 4
    heads.nth(3).click()
    assert map_page.evaluate("[loupe.selection.layer, loupe.selection.head]") == [1, 3]
    assert map_page.locator(".loupe-map-head.loupe-map-lit").get_attribute("data-head") == "3"


def test_every_tensor_lights_the_block_that_holds_it(map_page, run):
    holder = {name: block.id for block in describe(run).blocks for name in block.holds}
    show(map_page, run, path="map")
    found = map_page.evaluate(
        "(names) => names.map((name) => { openTensor(name); const lit ="
        " document.querySelectorAll('[aria-current]');"
        " return [...lit].map((node) => node.dataset.block) })",
        list(tensor_names(run.info.config)),
    )
    assert found == [[holder[name]] for name in tensor_names(run.info.config)]


def test_reading_order_is_from_the_inputs_up(map_page, run):
    show(map_page, run)
    order = map_page.locator(".loupe-map-block:visible").evaluate_all(
        "nodes => nodes.map((node) => node.dataset.block)"
    )
    expected = [b.id for b in describe(run).blocks if b.layer != 0]
    assert order == expected
    map_page.locator(".loupe-map-block").first.focus()
    before = map_page.evaluate("loupe.selection")
    map_page.keyboard.press("ArrowUp")
    assert focused(map_page) == "source_embedding"
    assert map_page.locator(".loupe-tip").is_visible()
    for key in ("ArrowRight", "Home", "End"):
        map_page.keyboard.press(key)
    assert focused(map_page) == "candidates"
    assert map_page.evaluate("loupe.selection") == before


def focused(page: Page) -> str | None:
    return page.evaluate("document.activeElement.dataset.block ?? null")


@pytest.mark.parametrize("size", WIDTHS)
def test_the_map_is_one_stop_of_the_tab_key_and_the_arrows_reach_every_block(map_page, run, size):
    show(map_page, run, size=size)
    map_page.locator(".stApp").evaluate(
        """node => {
          node.prepend(document.createElement("button"));
          node.append(document.createElement("button"));
        }"""
    )
    map_page.locator(".stApp > button").first.focus()
    map_page.keyboard.press("Tab")
    if size == "large":  # the button to the selected block's numbers comes first
        assert map_page.evaluate("document.activeElement.tagName") == "BUTTON"
        map_page.keyboard.press("Tab")
    # The focus begins at the selected block.
    assert focused(map_page) == "decoder.layers.1.cross_attn"
    map_page.keyboard.press("Tab")
    assert map_page.locator(".stApp > button").last.evaluate("node => node.matches(':focus')")
    reached = map_page.evaluate(
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


def test_candidates_follow_the_step(map_page, run):
    show(map_page, run)
    for step in (0, 5):
        map_page.evaluate("(step) => loupe.select({ query: step })", step)
        words = map_page.locator(".loupe-map-written .loupe-map-token").text_content()
        assert words == run.target_tokens[step + 1]
