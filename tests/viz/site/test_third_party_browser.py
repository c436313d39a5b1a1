"""A site of third-party models in a browser, compared with Python's runs of the same weights."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from model.foreign.imports.load import open_folder
from model.traces import find_tensor, named_tensors
from qa.audit.foreign import write_models
from tests.browsing import wait_until
from tests.closeness import rooms, worst
from tests.model.foreign.imports.folders import write_gpt2, write_llama
from viz.pictures.numbers import number_text
from viz.run import record
from viz.run.axes import attention_name
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.site.__main__ import main

FIELD, SENTENCE = ".st-key-source input", ".loupe-live-sentence"
PHONE = {"width": 390, "height": 800}
BLOCKED = "Service Worker registration blocked by Playwright"
HAS_RUN = "text => loupe.traces.get('typed')?.answer?.text === text"
TENSORS = """
names => Object.fromEntries(
  names.map((name) => [name, [...loupe.traces.get("typed").tensors[name].data]])
)
"""
CELLS = """
Object.entries(loupe.run().kinds).map(([kind, { codes }]) => [kind, [...codes]])
"""


class Tiny(NamedTuple):
    folder: Path
    text: str

    @property
    def name(self) -> str:
        return f"models/{self.folder.name}"


@pytest.fixture(scope="module")
def tinies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tiny]:
    place = tmp_path_factory.mktemp("models")
    write_models(place)
    spoken, words = "The lazy fox sleeps, the dog ", "star moon lamp coin river "
    return {
        "GPT-2": Tiny(write_gpt2(place / "tiny-gpt2"), spoken),
        "Llama": Tiny(write_llama(place / "tiny-llama"), spoken),
        "BERT": Tiny(place / "audit-bert", words),
        "T5": Tiny(place / "audit-t5", words),
    }


@pytest.fixture(scope="module")
def folder(tinies: dict[str, Tiny], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("third") / "site"
    chosen = [option for tiny in tinies.values() for option in ("--model", str(tiny.folder))]
    assert main([str(out), *chosen]) == 0
    return out


@pytest.fixture(params=["GPT-2", "Llama", "BERT", "T5"])
def tiny(tinies: dict[str, Tiny], request: pytest.FixtureRequest) -> Tiny:
    return tinies[request.param]


@pytest.fixture
def quiet(page: Page, site: str) -> Iterator[Page]:
    """Lend a page that must log nothing to its console and request nothing except from the site."""
    said: list[str] = []
    asked: list[str] = []
    watching = {
        "console": lambda message: said.append(message.text),
        "request": lambda request: asked.append(request.url),
    }
    for event, watch in watching.items():
        page.on(event, watch)
    yield page
    for event, watch in watching.items():
        page.remove_listener(event, watch)
    assert set(said) <= {BLOCKED}
    assert [url for url in asked if not url.startswith((f"{site}/", "blob:", "data:"))] == []


@cache
def run_of(tiny: Tiny, text: str) -> Run:
    """Run a text in Python with the site's weights, which are float16 in so small a model."""
    checkpoint = open_folder(tiny.folder)
    with torch.no_grad():
        for weight in checkpoint.model.parameters():
            weight.copy_(weight.half().float())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(record, "MAX_CONTINUED", 1)  # CONTINUED in live/tasks.js
        return make_run(checkpoint, text)


def open_page(page: Page, site: str, tiny: Tiny, path: str, **more: Any) -> None:
    asked = "&".join(f"{name}={value}" for name, value in {"checkpoint": tiny.name, **more}.items())
    page.goto(f"{site}/{path}/?{asked}")
    wait_until(page, "() => Boolean(loupe?.traces?.get('typed'))")


def type_in(page: Page, text: str) -> None:
    page.locator(FIELD).fill(text)
    wait_until(page, HAS_RUN, arg=text)


def fits_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)
    wait_until(page, "wide => document.documentElement.scrollWidth <= wide", arg=PHONE["width"])


def test_the_attention_of_a_typed_text_is_what_python_computes(quiet: Page, site: str, tiny: Tiny):
    open_page(quiet, site, tiny, "attention")
    type_in(quiet, tiny.text)
    run = run_of(tiny, tiny.text)
    tokens = quiet.evaluate("loupe.run().tokens")
    assert {side: tuple(of) for side, of in tokens.items() if of} == {
        side: of for side, of in run.texts.items() if of
    }
    writes = bool(run.texts["target"])
    expect(quiet.locator(".loupe-live-sentence")).to_be_visible(visible=writes)
    names = [
        attention_name(site.name, layer)
        for site in run.anatomy.sites
        for layer in range(site.layers)
    ]
    found = quiet.evaluate(TENSORS, names)
    allowed = dict(rooms({name: find_tensor(run.trace, name) for name in all_of(run)}))
    for name in names:
        weights = find_tensor(run.trace, name)[0].numpy()
        ours = np.array(found[name]).reshape(weights.shape)
        assert worst(ours, weights, allowed[name][0]) <= 1, name
    drawn = np.concatenate([codes for _, codes in quiet.evaluate(CELLS)])
    sent = pack_run(run, "run").data["codes"]["code"].to_numpy()
    assert np.abs(drawn.astype(int) - sent.astype(int)).max() <= 1  # rounding may differ by one
    fits_a_phone(quiet)


def test_each_step_of_a_cell_is_recomputed(quiet: Page, site: str, tiny: Tiny):
    open_page(quiet, site, tiny, "attention", layer=1, head=1, query=2, key=1)
    told = quiet.locator(".cell-checks summary")
    for kind in quiet.evaluate("Object.keys(loupe.run().kinds)"):
        quiet.evaluate("kind => loupe.select({ kind, layer: 1, query: 2, key: 1 })", kind)
        for head in (0, 1):
            quiet.evaluate("head => loupe.select({ head })", head)
            expect(told).to_have_text("✓ all 13 steps agree with float64")
    type_in(quiet, tiny.text)
    expect(told).to_have_text("✓ all 13 steps agree with float64")
    expect(quiet.locator(".cell-story .cell-of-output")).to_be_visible()
    turned = quiet.locator(".cell-story", has_text="rotated by their positions")
    expect(turned).to_have_count(int("llama" in tiny.name))


def test_the_map_shows_the_tensors_of_the_typed_text(quiet: Page, site: str, tiny: Tiny):
    run = run_of(tiny, tiny.text)
    stack = "encoder" if run.info.config.has_encoder else "decoder"
    name = f"{stack}.layers.1.feed_forward.hidden"
    open_page(quiet, site, tiny, "map", tensor=name)
    type_in(quiet, tiny.text)
    values = find_tensor(run.trace, name)
    found = quiet.evaluate(TENSORS, [name])[name]
    allowed = dict(rooms({each: find_tensor(run.trace, each) for each in all_of(run)}))[name]
    assert worst(np.reshape(found, values[0].shape), values[0].numpy(), allowed[0]) <= 1
    card = quiet.locator(".st-key-card_tensor")
    ends = [number_text(float(end)) for end in (min(found), max(found))]
    expect(card.locator(".loupe-note")).to_have_text(f"Values range from {ends[0]} to {ends[1]}.")
    fits_a_phone(quiet)


READER = "export const { readForeign }"
NEVER_ENDING = """
export const readForeign = (json) => {
  const read = readIt(json);
  const encodePrompt = (text) => {
    while (text.includes("for ever"));
    return read.encodePrompt(text);
  };
  return { ...read, encodePrompt };
};
"""


QUICK_TICKS = """() => {
  const later = setTimeout;
  window.setTimeout = (act, wait, ...more) => later(act, wait === 1000 ? 100 : wait, ...more);
}"""
"""Script that makes a countdown of ten seconds take one."""


def test_a_text_that_a_tokenizer_never_finishes_leaves_the_page_usable(
    quiet: Page, site: str, folder: Path, tinies: dict[str, Tiny]
):
    code = (folder / "tokenizers.js").read_text().replace(READER, "const { readForeign: readIt }")
    hostile = code + NEVER_ENDING
    quiet.route(
        "**/tokenizers.js",
        lambda route: route.fulfill(body=hostile, content_type="text/javascript"),
    )
    tiny = tinies["GPT-2"]
    open_page(quiet, site, tiny, "attention")
    quiet.evaluate(QUICK_TICKS)
    quiet.locator(FIELD).fill("The dog jumps for ever")
    note = quiet.locator(".site-note")
    refused = (
        "The model’s tokenizer had not finished this text after 10 seconds, so it was stopped. "
        "Shorten the text, or type another one."
    )
    expect(note).to_have_text(refused)
    type_in(quiet, tiny.text)
    expect(note).to_be_empty()
    expect(quiet.locator(".cell-checks summary")).to_have_text("✓ all 13 steps agree with float64")


def test_a_head_that_was_opened_before_is_not_asked_for_again(quiet: Page, site: str, tinies):
    open_page(quiet, site, tinies["GPT-2"], "attention", layer=1, head=0, query=2, key=1)
    told = quiet.locator(".cell-checks summary")
    for head in (0, 1, 0):
        quiet.evaluate("head => loupe.select({ head })", head)
        expect(told).to_have_text("✓ all 13 steps agree with float64")
    kept = "[...loupe.traces.get('typed').heads.keys()]"
    assert quiet.evaluate(kept) == [f"decoder self-attention 1 {head}" for head in (0, 1)]
    type_in(quiet, "The dog ")
    expect(told).to_have_text("✓ all 13 steps agree with float64")
    assert quiet.evaluate(kept) == ["decoder self-attention 1 0"]


def all_of(run: Run) -> list[str]:
    return [name for name, tensor in named_tensors(run.trace) if tensor.is_floating_point()]


def test_a_model_that_was_here_opens_again_without_a_network(
    browser: Browser, site: str, tinies: dict[str, Tiny]
):
    tiny = tinies["GPT-2"]
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    open_page(page, site, tiny, "attention")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    open_page(page, site, tiny, "attention")  # the worker caches the model's description now
    context.set_offline(True)
    open_page(page, site, tiny, "map")
    type_in(page, tiny.text)
    context.close()
