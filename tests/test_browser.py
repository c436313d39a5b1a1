"""The app as a person meets it: started as the README says, used in a real browser."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.checkpoints import DEFAULT, write_checkpoints
from viz.figures.theme import DARK

ROOT = Path(__file__).parents[1]
NAMES = ("chromium", "google-chrome", "chrome", "chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        message = f"no browser on the PATH: none of {', '.join(NAMES)}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app with small models made for the tests."""
    folder = write_checkpoints(tmp_path_factory.mktemp("checkpoints"))
    with serve(folder, {"LOUPE_CHECKPOINTS": str(folder)}) as address:
        yield address


@contextmanager
def serve(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Start the app, with the README's command where the tests run in its environment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["-m", "streamlit", "run", "app.py"]
    if Path(sys.prefix) == ROOT / ".venv":
        command = ["start.py"]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, *command, "--server.port", str(port), "--server.headless", "true"],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(server, f"{address}/_stcore/health")
            yield address
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=10)


def wait_for(server: subprocess.Popen, url: str) -> None:
    for _ in range(600):
        assert server.poll() is None, "the app ended at once"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    pytest.fail("the app did not start")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with open_page(browser, address) as page:
        yield page


@contextmanager
def open_page(browser: Browser, address: str) -> Iterator[Page]:
    """Open a page that may reach nothing but the app, and may not complain."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE_MS)
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: trouble.extend(outside(request.url)))
    page.on("websocket", lambda websocket: trouble.extend(outside(websocket.url)))
    page.goto(address)
    settle(page)
    yield page
    page.close()
    assert trouble == []


def outside(url: str) -> list[str]:
    parts = urlparse(url)
    local = parts.scheme in ("data", "blob") or parts.hostname == "127.0.0.1"
    return [] if local else [f"request to another host: {url}"]


def settle(page: Page) -> None:
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(300)


def weights(page: Page) -> list[list[float]]:
    """What the large map holds in the browser."""
    plot = page.locator(".st-key-attention_map .js-plotly-plot")
    expect(plot).to_have_count(1)  # the one that it replaces may stand beside it for a moment
    return plot.evaluate("plot => Array.from(plot._fullData[0].z, row => Array.from(row))")


def title(page: Page) -> Locator:
    return page.locator(".st-key-card_head .loupe-heading code")


def expect_title(page: Page, name: str) -> None:
    expect(title(page)).to_have_text(name)
    settle(page)


def pick(page: Page, group: str, number: int) -> None:
    page.locator(f".st-key-{group}").get_by_role("radio", name=str(number)).click()


def state(page: Page) -> tuple[object, ...]:
    source = page.get_by_role("textbox", name="English source").input_value()
    return (
        source,
        title(page).inner_text(),
        page.locator(".loupe-sentence").inner_text(),
        weights(page),
    )


def test_a_sentence_a_head_and_the_way_back_to_them(page: Page):
    expect(page.locator(".loupe-sentence")).to_contain_text("l'animal n'a pas traversé la rue")
    expect_title(page, "decoder.layers.1.cross_attn.weights[2]")
    assert len(weights(page)[0]) == len(DEFAULT.split()) + 1

    field = page.get_by_role("textbox", name="English source")
    field.fill("the cat sleeps .")
    field.press("Enter")
    expect(page.locator(".loupe-sentence")).to_have_text("le chat dort.")
    settle(page)
    before = weights(page)
    assert [len(before), len(before[0])] == [5, 5]

    pick(page, "layer", 0)
    expect_title(page, "decoder.layers.0.cross_attn.weights[2]")
    other_layer = weights(page)
    assert other_layer != before

    pick(page, "head", 1)
    expect_title(page, "decoder.layers.0.cross_attn.weights[1]")
    assert weights(page) not in (before, other_layer)

    page.get_by_text("decoder self-attention", exact=True).click()
    expect_title(page, "decoder.layers.0.self_attn.weights[1]")
    assert weights(page)[0][1:] == [0, 0, 0, 0]

    query = parse_qs(urlparse(page.url).query)
    assert query["source"] == ["the cat sleeps ."]
    assert (query["kind"], query["layer"], query["head"]) == (
        ["decoder self-attention"],
        ["0"],
        ["1"],
    )
    seen = state(page)
    page.reload()
    settle(page)
    assert state(page) == seen


def test_the_shipped_checkpoints_translate_and_align(browser: Browser, tmp_path: Path):
    with serve(tmp_path, {"LOUPE_CHECKPOINTS": ""}) as address, open_page(browser, address) as page:
        sentence = page.locator(".loupe-sentence")
        expect(sentence).to_have_text(
            "l'animal n'a pas traversé la rue parce qu'il était trop fatigué."
        )
        field = page.get_by_role("textbox", name="English source")
        field.fill("the small black cat does not see the red house .")
        field.press("Enter")
        expect(sentence).to_have_text("le petit chat noir ne voit pas la maison rouge.")
        settle(page)
        reads = [row.index(max(row)) for row in weights(page)]
        gold = {1: 1, 2: 3, 3: 2, 5: 6, 6: 5, 7: 7, 8: 9, 9: 8}  # le petit chat noir ne voit …
        right = [row for row, word in gold.items() if reads[row] == word]
        assert len(right) >= 6, reads


def test_a_click_on_a_small_map_opens_it(page: Page):
    page.locator(".st-key-attention_heads .js-plotly-plot").wait_for()
    marker = page.locator(".st-key-attention_heads .points path").nth(3)
    box = marker.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect_title(page, "decoder.layers.0.cross_attn.weights[3]")
    assert "layer=0&head=3" in page.url


def test_an_unknown_word_is_replaced_at_a_click(page: Page):
    field = page.get_by_role("textbox", name="English source")
    field.fill("the cad sleeps .")
    field.press("Enter")
    page.locator("mark", has_text="cad").first.wait_for()
    page.get_by_role("button", name="cat", exact=True).click()
    expect(page.locator(".loupe-sentence")).to_have_text("le chat dort.")
    expect(field).to_have_value("the cat sleeps .")


def test_nothing_that_is_typed_runs(page: Page):
    field = page.get_by_role("textbox", name="English source")
    hostile = "<img src=x onerror=alert(1)> <b>cat</b> **bold** $x^2$ \u202eabc"
    page.on("dialog", lambda dialog: pytest.fail(f"it ran: {dialog.message}"))
    field.fill(hostile)
    field.press("Enter")
    expect(page.locator(".loupe-typed").first).to_contain_text("onerror=alert(1)> <b>cat</b>")
    settle(page)
    expect(field).to_have_value(hostile)


def test_figures_follow_the_page_from_light_to_dark(page: Page):
    weights(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        """colour => document.querySelector(".st-key-attention_map .js-plotly-plot")
           ?._fullLayout.font.color === colour""",
        arg=DARK.ink,
    )
