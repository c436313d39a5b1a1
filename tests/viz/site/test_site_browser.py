"""The static site in a browser: from a plain server, without a network, and from disk."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from model.traces import find_tensor
from qa.audit.browser import serve_files
from tests.browsing import COMPILES, open_context, wait_until
from tests.layout import HEIGHTS, found_on
from tests.shipped import shipped
from viz.pictures.numbers import number_text
from viz.run.axes import attention_trace
from viz.site.__main__ import main

NAME = "everyday-paper-0"
TYPED = "The old man reads a book"
SENTENCE = ".loupe-live-sentence"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert main([str(folder), "--model", NAME]) == 0
    return folder


def written(text: str) -> str:
    return shipped(NAME, text)[0].text


def type_in(page: Page, text: str) -> None:
    page.locator(".st-key-source input").fill(text)


def test_start_asks_and_follows_each_key(page: Page, site: str):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/")
    page.get_by_role("button", name="animal", exact=True).last.click()
    expect(page.locator("[data-scene=query]")).to_be_visible()
    page.reload()
    expect(page.locator("[data-scene=query]")).to_be_visible()
    type_in(page, TYPED)
    expect(page.locator(".loupe-start-written")).to_contain_text(written(TYPED)[:12])
    assert page.url.endswith("source=The+old+man+reads+a+book")
    assert page.evaluate(COMPILES)
    assert {url.split("/")[2] for url in asked} == {site.removeprefix("http://")}


def test_another_word_of_the_first_sentence_can_be_asked_about(page: Page, site: str):
    page.goto(f"{site}/?scene=answer")
    told = page.locator(".loupe-start-text")
    expect(told).to_contain_text("it reads animal")
    page.get_by_role("button", name="street, reads").click()
    expect(told).to_contain_text("street reads")
    expect(page.locator(".loupe-start-word.loupe-start-asked")).to_have_text("street")
    type_in(page, TYPED)
    expect(page.locator(".loupe-start-written")).to_contain_text(written(TYPED)[:12])


def test_a_link_of_the_app_opens_the_same_cell(page: Page, site: str):
    source = "The animal didn't cross the street because it was too wide"
    cell = f"kind=encoder+self-attention&layer=1&head=3&query=8&key=1&source={source}"
    page.goto(f"{site}/attention/?{cell}")
    run = shipped(NAME, source)[0]
    weight = attention_trace(run, "encoder self-attention", 1).weights[0, 3, 8, 1].item()
    told = page.locator(".loupe-cell_words")
    expect(told).to_contain_text("How it comes to read animal")
    expect(told).to_contain_text(f"{weight * 100:.0f}%")
    expect(page.locator(SENTENCE)).to_have_text(run.text)
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("comes to read did")
    assert "key=2" in page.url
    page.get_by_role("link", name="Start", exact=True).click()
    expect(page.locator(".loupe-start-words")).to_contain_text("wide")


def test_a_hand_on_touch_and_a_step_of_decoding_follow_what_is_typed(page: Page, site: str):
    page.goto(f"{site}/touch/?source={TYPED}")
    fresh = page.locator(".loupe-touch-board")
    expect(fresh).to_contain_text("livre")
    type_in(page, "The old man reads a letter")
    expect(fresh).to_contain_text("lettre")
    page.get_by_role("link", name="Decoding", exact=True).click()
    expect(page.locator(SENTENCE)).to_have_text(written("The old man reads a letter"))
    player = page.locator(".st-key-card_decoding_player")
    expect(player).to_contain_text("lettre")
    expect(player).to_contain_text("step 0")
    player.get_by_role("slider").press("ArrowRight")
    expect(player).to_contain_text("step 1")
    page.wait_for_function("loupe.selection.step === 1")  # once the slider has come to rest
    page.evaluate("loupe.select({ step: 3 })")
    expect(player).to_contain_text("step 3")


def test_the_map_follows_what_is_typed_and_gives_any_tensor_in_full(page: Page, site: str):
    name = "encoder.layers.1.feed_forward.hidden"
    page.goto(f"{site}/map/?tensor={name}")
    card = page.locator(".st-key-card_tensor")
    expect(card.locator("select")).to_have_value(name)
    type_in(page, TYPED)
    run = shipped(NAME, TYPED)[0]
    expect(page.locator(SENTENCE)).to_have_text(run.text)
    largest = number_text(float(find_tensor(run.trace, name).max()))
    expect(card.locator(".loupe-note")).to_have_text(f"Values range from 0 to {largest}.")
    rows = len(run.source.tokens)
    block = page.locator(f'.loupe-map-block[data-block="{name.rpartition(".")[0]}"]')
    expect(block).to_have_attribute("aria-description", re.compile(f"{rows} by 256"))
    page.locator('.loupe-map-block[data-block="decoder.layers.1.cross_attn"]').click()
    page.wait_for_url("**/attention/?*kind=cross-attention*layer=1*")


def test_touch_begins_with_the_word_that_start_brings_along(page: Page, site: str):
    page.goto(f"{site}/?scene=answer")
    page.locator(".loupe-start-ways .loupe-start-next").click()
    page.wait_for_url("**/touch/?*")
    expect(page.locator(".loupe-touch-reader button")).to_have_text("it")
    expect(page.locator(".loupe-touch-text")).to_contain_text("“it”")
    type_in(page, TYPED)
    reader = page.locator(".loupe-touch-reader button")
    expect(page.locator(".loupe-touch-rows")).to_contain_text("livre")
    expect(reader).not_to_have_text("it")


def test_a_link_that_changes_the_model_says_that_the_app_does_that(page: Page, site: str):
    page.goto(f"{site}/attention/?edits=zero!encoder.layers.0.self_attn.heads;h1")
    expect(page.locator(".site-note")).to_contain_text("only the app can")


def test_a_link_may_ask_for_anything(page: Page, site: str):
    odd = "kind=constructor&layer=99&head=-1&query=9999&key=x&lang=zz&checkpoint=../x"
    page.goto(f"{site}/attention/?{odd}&source=<img src=x onerror=alert(1)> cat {'a ' * 4000}")
    note = page.locator(".site-note")
    expect(note).to_contain_text("too long")
    assert len(page.locator(".st-key-source input").input_value()) == 300
    type_in(page, "<img src=x onerror=alert(1)> cat")
    expect(page.locator(".loupe-cell_words h2")).to_contain_text("comes to read")
    expect(note).to_be_hidden()
    assert page.locator("main img").count() == 0


def test_a_model_that_does_not_come_is_said_to_be_missing(browser: Browser, site: str):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/models/*", lambda route: route.abort())
    page.goto(f"{site}/touch/")
    expect(page.get_by_role("status").last).to_contain_text("could not be loaded")
    context.close()


def test_what_is_typed_while_the_model_comes_is_answered(page: Page, site: str):
    held: list[Route] = []
    is_typed = False
    page.route("**/models/*", lambda route: route.continue_() if is_typed else held.append(route))
    page.goto(f"{site}/attention/?source=The cat sleeps.", wait_until="commit")
    type_in(page, TYPED)
    is_typed = True
    for route in held:
        route.continue_()
    expect(page.locator(SENTENCE)).to_have_text(written(TYPED))
    assert page.url.endswith("source=The+old+man+reads+a+book")


def test_it_opens_again_without_a_network(browser: Browser, site: str):
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    page.goto(f"{site}/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    context.set_offline(True)
    page.goto(f"{site}/attention/?source={TYPED}")
    expect(page.locator(SENTENCE)).to_have_text(written(TYPED))
    page.goto(f"{site}/?lesson=it")
    expect(page.locator(".lesson-option", has_text="animal")).to_be_visible()
    context.close()


CACHES = "caches.keys().then((names) => names.sort())"


@pytest.fixture(scope="module")
def sites(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a folder with two sites and a third inside the first; yield the address."""
    both = tmp_path_factory.mktemp("sites")
    for name in ("a", "b", "a/inner"):
        shutil.copytree(folder, both / name, dirs_exist_ok=True)
    with serve_files(both) as address:
        yield address


def visit_twice(page: Page, address: str) -> None:
    for _ in range(2):
        page.goto(address)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def test_sites_of_one_origin_leave_each_other_alone(browser: Browser, sites: str):
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    for name in ("a", "b", "a/inner"):
        visit_twice(page, f"{sites}/{name}/")
    kept = page.evaluate(CACHES)
    assert sorted(name.split()[1] for name in kept) == [
        f"{sites}/{name}/" for name in ("a", "a/inner", "b")
    ]
    context.set_offline(True)
    for name in ("a", "b", "a/inner", "a"):
        page.goto(f"{sites}/{name}/attention/?source={TYPED}")
        expect(page.locator(SENTENCE)).to_have_text(written(TYPED))
    context.close()


def test_a_new_version_replaces_the_one_before_and_nothing_else(
    browser: Browser, folder: Path, tmp_path: Path
):
    shutil.copytree(folder, tmp_path / "a")
    with serve_files(tmp_path) as address:
        context = browser.new_context(service_workers="allow")
        page = context.new_page()
        page.goto(f"{address}/a/")
        scope, other = f"{address}/a/", f"{address}/b/"
        old = "loupe-0123456789abcdef"
        for name, held in ((old, scope), (old.replace("0", "f"), other), ("theirs", scope)):
            page.evaluate(FILL, [name, held])
        page.evaluate(FILL, [f"{old} {scope}", scope])
        page.evaluate(FILL, [f"{old} {other}", other])
        worker = tmp_path / "a" / "offline.js"
        worker.write_text(re.sub(r"loupe-\w{16}", "loupe-aaaaaaaaaaaaaaaa", worker.read_text()))
        page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
        expected = sorted(
            ["loupe-aaaaaaaaaaaaaaaa " + scope, old.replace("0", "f"), f"{old} {other}", "theirs"]
        )
        wait_until(
            page, "wanted => caches.keys().then((n) => `${n.sort()}` === `${wanted}`)", arg=expected
        )
        context.close()


FILL = (
    """([name, address]) => caches.open(name).then((one) => one.put(address, new Response("x")))"""
)


def test_one_file_opens_from_a_disk_in_french(browser: Browser, tmp_path: Path):
    file = tmp_path / "loupe.html"
    assert main([str(file), "--model", NAME, "--one-file", "--lang", "fr", "en"]) == 0
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.evaluate(COMPILES)
    type_in(page, TYPED)
    expect(page.locator(".loupe-start-written")).to_contain_text(written(TYPED)[:12])
    page.locator(".loupe-start-stages a").last.click()
    page.wait_for_url("**/loupe.html#*scene=answer*")
    page.get_by_role("link", name="Attention", exact=True).click()
    expect(page.get_by_role("heading", name="Que lit chaque mot ?")).to_be_visible()
    expect(page.locator(SENTENCE)).to_have_text(written(TYPED))
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


LAID_OUT = ("", "?scene=scores", "learn/", "attention/", "touch/", "decoding/")
WIDTHS = (320, 820, 1366)
"""One width for each layout of the site's style: up to 600, up to 900, and beyond."""


def test_no_page_of_the_site_is_printed_over(browser: Browser, site: str):
    found = {}
    heights = {width: HEIGHTS[width] for width in WIDTHS}
    with open_context(browser, bypass_csp=True, locale="en-GB") as context:
        page = context.new_page()
        for path in LAID_OUT:
            page.goto(f"{site}/{path}")
            page.locator("main :is(button, svg, a):visible").first.wait_for()
            found |= {(path, width): what for width, what in found_on(page, heights).items()}
    assert found == {}
