"""BertViz's view in a real browser, in the kind of frame that the app uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Frame

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DIGITS, write_checkpoints
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.attention.bertviz_view import bertviz_html, frame_height

HOSTILE = ("</script>", "<img>", "<b>a</b>", "\x00\u202e", "\ud800", "&lt;", "'\"`${1}")
SHOWN = ["</script>", "<img>", "<b>a</b>", "□□", "□", "&lt;", "'\"`${1}"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Make a run: 2 encoder layers, 3 decoder layers, 2 heads; 8 source tokens, 7 written."""
    folder = write_checkpoints(tmp_path_factory.mktemp("checkpoints"))
    return make_run(load_checkpoint(folder / "digits-paper"), next(iter(DIGITS)))


@contextmanager
def shown(browser: Browser, document: str, height: int) -> Iterator[Frame]:
    """Show a document in a frame like `st.iframe`; fail if it requests anything or has errors."""
    page = browser.new_page(viewport={"width": 1100, "height": height})
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(f"it ran: {dialog.message}"))
    page.on("request", lambda request: trouble.append(f"request: {request.url}"))
    page.set_content(
        '<body style="margin: 0"><iframe sandbox="allow-scripts allow-same-origin allow-modals"'
        f' style="border: 0" width="1100" height="{height}"></iframe>'
    )
    page.locator("iframe").evaluate("(frame, document) => { frame.srcdoc = document }", document)
    page.frame_locator("iframe").frame_locator("iframe").locator("svg").wait_for()
    (frame,) = [f for f in page.frames if not f.child_frames]
    yield frame
    page.close()
    assert trouble == []


def drawn(frame: Frame, selector: str) -> int:
    return frame.locator(selector).count()


def test_it_is_drawn_and_fits_its_frame(browser: Browser, run: Run):
    kind = "cross-attention"
    _, heads, queries, keys = attention_trace(run, kind, 0).weights.shape
    height = frame_height(run, kind)
    with shown(browser, bertviz_html(run, kind), height) as frame:
        assert (drawn(frame, "#left text"), drawn(frame, "#right text")) == (queries, keys)
        assert drawn(frame, "#attention line") == heads * queries * keys
        assert drawn(frame, "#layer option") == 3
        assert frame.evaluate("origin") == "null"  # isolated from the app's page
        high, wide = frame.evaluate(
            "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        assert high <= height
        assert wide <= 1100


def test_no_text_is_lost_in_the_dark(browser: Browser, run: Run):
    document = bertviz_html(run, "decoder self-attention", dark=True)
    with shown(browser, document, 900) as frame:
        colours = frame.locator("text").evaluate_all(
            "texts => texts.map(text => getComputedStyle(text).fill)"
        )
        levels = [[int(n) for n in colour[4:-1].split(",")] for colour in colours]
        assert min(min(level) for level in levels) > 180
        grounds = frame.locator("svg, rect.attn_background, rect.detail").evaluate_all(
            "boxes => boxes.map(box => getComputedStyle(box).fill)"
        )
        assert "rgb(255, 255, 255)" not in grounds


def test_the_selected_head_and_layer_come_first(browser: Browser, run: Run):
    document = bertviz_html(run, "cross-attention", layer=2, head=1)
    with shown(browser, document, 500) as frame:
        assert frame.locator("#layer").input_value() == "2"
        opacities = frame.locator("#attention line").evaluate_all(
            "lines => lines.map(line => +line.getAttribute('stroke-opacity'))"
        )
        weights = attention_trace(run, "cross-attention", 2).weights[0, 1].flatten().tolist()
        half = len(opacities) // 2
        assert opacities[:half] == [0] * half
        assert opacities[half:] == pytest.approx(weights, abs=0.0005)


def test_a_hostile_token_is_text(browser: Browser, run: Run):
    hostile = replace(run, source=replace(run.source, tokens=(*HOSTILE, "</s>")))
    with shown(browser, bertviz_html(hostile, "encoder self-attention"), 900) as frame:
        texts = frame.locator("#left text")
        assert texts.all_text_contents()[: len(SHOWN)] == SHOWN
