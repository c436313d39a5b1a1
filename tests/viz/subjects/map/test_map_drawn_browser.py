"""What a map shows in a real browser: its names, its pictures, and texts that nothing overlaps."""

from dataclasses import replace

import pytest
import torch
from playwright.sync_api import expect

from model.checkpoints.checkpoint import Checkpoint
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.checkpoints import BY_HEART, DEFAULT
from tests.viz.subjects.map.drawn_maps import blank, block, show, toggle
from viz.run.making import make_run
from viz.run.record import Run


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


def test_a_block_is_named_by_what_is_written_in_it_and_its_sentence_is_said_after(map_page, run):
    show(map_page, run)
    place = block(map_page, "encoder.layers.1.feed_forward")
    written = " ".join(place.locator("text").all_text_contents())
    expect(place).to_have_accessible_name(written)
    said = place.get_attribute("aria-description")
    assert said.startswith("layer 1, ")
    place.hover()
    tip = map_page.locator(".loupe-tip").inner_text()
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


def test_a_long_text_is_shown_as_far_as_it_fits(map_page, checkpoint):
    long = make_run(checkpoint, "cat 🐈 " * 40)
    show(map_page, long)
    place = block(map_page, "source")
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


def test_weights_and_strips_are_painted_as_the_run_has_them(map_page, run):
    """On a dark page, larger is lighter, and masked cells are left to the hatching."""
    show(map_page, run, size="large")
    for part in ("cross_attn", "self_attn"):
        attention = getattr(run.trace.decoder.layers[1], part)
        place = f'[data-block="decoder.layers.1.{part}"][data-head="2"] image'
        columns, rows, light = map_page.locator(place).evaluate(PIXELS)
        weights = attention.weights[0, 2]
        assert (rows, columns) == tuple(weights.shape)
        painted = torch.tensor(light).view(rows, columns)
        assert torch.equal(painted >= 0, attention.mask[0].expand(rows, columns))
        for row in range(rows):
            brightest = int(painted[row].argmax())
            assert weights[row, brightest] >= weights[row].max() - 0.01
    node = map_page.locator('.loupe-map-beside[data-block="encoder.layers.1.feed_forward"] image')
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
def test_no_text_is_over_another_or_a_picture_or_outside(map_page, checkpoint, case):
    run = random_run(checkpoint, **CASES[case])
    for size, width in (("small", 270), ("large", 1100), ("large", 660)):
        show(map_page, run, size=size, width=width)
        if size == "small":
            box = map_page.locator("[data-mounted=map] svg").bounding_box()
            assert box["width"] <= 270
            assert box["height"] <= 570
        folded, found = map_page.evaluate(OVERLAPS)
        assert found == []
        for stack in ("encoder", "decoder"):
            if toggle(map_page, stack).count():
                toggle(map_page, stack).click()
        unfolded, found = map_page.evaluate(OVERLAPS)
        assert found == []
        assert unfolded > folded > 20


@pytest.mark.parametrize(
    ("tying", "output", "ties", "dashed"), [("decoder", "logits", 1, 1), ("all", "softmax", 2, 0)]
)
def test_what_is_tied_is_linked_and_what_is_outside_is_dashed(
    map_page, checkpoint, tying, output, ties, dashed
):
    run = random_run(checkpoint, "paper", tying=tying, output=output)
    assert run.steps[4].rank > 5
    show(map_page, run)
    assert map_page.locator(".loupe-map-tie").count() == ties
    assert map_page.locator(".loupe-map-outside").count() == dashed
    map_page.evaluate("loupe.select({ query: 4 })")
    words = map_page.locator(".loupe-map-written .loupe-map-token").text_content()
    assert words == run.target_tokens[5]  # even if it is improbable
