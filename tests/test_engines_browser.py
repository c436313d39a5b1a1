"""Ten steps through the app in Firefox and in WebKit; the other tests use only Chromium.

Each test begins at an address of its own, and compares the page with a run made here.
"""

from collections.abc import Iterator

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from qa.audit.browser import serve_files
from tests.browsing import NO_PAUSE
from tests.checkpoints import DEFAULT, SHIPPED
from tests.engines.engine import Engine
from tests.engines.firefox import firefox
from tests.engines.webkit import webkit
from tests.shipped import PAPER, shipped
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.site.__main__ import main
from viz.subjects.touch.pulls import telling_pull

ENGINES = {"firefox": firefox, "webkit": webkit}
FIELD = ".st-key-source input"
SENTENCE = ".st-key-bar_out .loupe-sentence"
LIVE = ".loupe-live-sentence"
CARD = ".st-key-card_cell"
ROWS = ".loupe-touch-rows button:not([hidden])"
WEIGHTS = "decoder.layers.*.cross_attn.weights"
READ = "(tokens) => JSON.stringify(loupe.run().tokens.source) === JSON.stringify(tokens)"
MAP = """() => {
  const canvas = document.querySelector(".loupe-head .loupe-canvas");
  const { rows, columns } = canvas.parentElement.shape;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [rows, columns, new Set(new Uint32Array(data.buffer)).size];
}"""
"""Return the number of rows, columns and colours of the large map."""
SAY = """(selector, words) => {
  const said = [...document.querySelectorAll(selector)].map((node) => node.innerText.trim());
  return JSON.stringify(said) === JSON.stringify(words);
}"""
CAT = "the cat sleeps ."
TYPED = "The old man reads a book"


@pytest.fixture(scope="module", params=ENGINES)
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """Start each browser in turn, once for all steps."""
    with ENGINES[request.param](tmp_path_factory.mktemp(request.param)) as engine:
        yield engine


@pytest.fixture
def engine(started: Engine) -> Iterator[Engine]:
    """Lend the browser; fail if it reported an error."""
    yield started
    started.check()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOUPE_MODELS", "")  # the command adds the folders of a site
        assert main([str(folder), "--model", PAPER]) == 0
    with serve_files(folder) as address:
        yield address


def link(page: str, **values: object) -> str:
    """Return the address of a page with a sentence and a selection."""
    said = {"checkpoint": PAPER, "source": DEFAULT} | values
    asked = "&".join(f"{name}={value}" for name, value in said.items()).replace(" ", "+")
    return f"{page}?{asked}"


def open_run(engine: Engine, url: str) -> None:
    engine.visit(url)
    engine.wait_for("() => Boolean(window.loupe?.run?.())")
    engine.settle()


def expect_chosen(engine: Engine, **values: object) -> None:
    """Wait until a cell is selected and the address contains it."""
    engine.wait_for(
        """(wanted) => Object.entries(wanted).every(([name, value]) =>
             loupe.selection[name] === value
             && new URLSearchParams(location.search).get(name) === String(value))""",
        values,
    )


def cell(engine: Engine, row: int, column: int) -> list[float]:
    """Return where the centre of a cell of the large map is on the screen, in pixels."""
    engine.place(".loupe-head .loupe-over")
    return engine.evaluate(
        """(row, column) => {
          const over = document.querySelector(".loupe-head .loupe-over");
          const { x, y, cell, high } = over.parentElement.shape;
          const box = over.getBoundingClientRect();
          return [box.x + x + (column + 0.5) * cell, box.y + y + (row + 0.5) * high];
        }""",
        row,
        column,
    )


def texts(engine: Engine, selector: str) -> list[str]:
    return engine.evaluate(
        "(selector) => [...document.querySelectorAll(selector)].map((n) => n.innerText.trim())",
        selector,
    )


def test_start_draws_the_sentence_and_what_its_word_takes(engine: Engine, shipped_address: str):
    engine.visit(f"{shipped_address}/{link('', scene='answer')}")
    engine.expect_text(".loupe-start-text", "it reads animal.", part=True)
    engine.settle()
    run, _ = shipped(PAPER, DEFAULT)
    assert texts(engine, ".loupe-start-word") == list(run.source.tokens)
    arcs = "() => [...document.querySelectorAll('.loupe-start-arc')].map((a) => a.getBBox().width)"
    assert max(engine.evaluate(arcs)) > 100, "no line is drawn"


def test_a_cell_is_answered_by_its_card_and_a_head_by_its_map_in_both_languages(
    engine: Engine, shipped_address: str
):
    chosen = {"kind": "cross-attention", "layer": 1, "head": 2}
    open_run(engine, f"{shipped_address}/{link('attention', **chosen)}")
    run, _ = shipped(PAPER, DEFAULT)
    row, column = 3, 2
    engine.drag([cell(engine, row, column)])
    expect_chosen(engine, **chosen, query=row, key=column)
    written, read = run.target_tokens[row + 1], run.source.tokens[column]
    engine.expect_text(CARD, f"How {written} comes to read {read}", part=True)
    weight = attention_trace(run, "cross-attention", 1).weights[0, 2, row, column].item() * 100
    assert 1 < weight < 99
    engine.expect_text(CARD, f"{weight:.0f}%", part=True)
    engine.expect_text(CARD, "steps agree with float64", part=True)

    engine.click("button", "Decoder")
    engine.click(".loupe-thumb[aria-label^='decoder self-attention, layer 0, head 1']")
    expect_chosen(engine, kind="decoder self-attention", layer=0, head=1)
    title = "() => document.querySelector('.loupe-head .loupe-heading').title"
    engine.wait_for(f"() => ({title})().startsWith('decoder.layers.0.self_attn.weights[1] ')")
    assert engine.evaluate(MAP)[:2] == [len(run.steps)] * 2
    assert engine.evaluate(MAP)[2] > 10, "the map has no colours"

    engine.choose(".st-key-side_menu summary")
    engine.wait_for("() => document.querySelector('.st-key-side_menu details').open")
    engine.settle()
    engine.choose(".st-key-side_menu [role=radio]", "Français")
    engine.wait_for("() => document.documentElement.lang === 'fr'")
    engine.wait_for("() => location.search.includes('lang=fr')")
    engine.click(".st-key-places a", "Écrire")
    engine.settle()
    assert engine.evaluate("() => document.documentElement.lang") == "fr"


def test_a_link_opens_with_its_cell_and_back_returns_to_it(engine: Engine, shipped_address: str):
    chosen = {"kind": "encoder self-attention", "layer": 1, "head": 2, "query": 4, "key": 1}
    open_run(engine, f"{shipped_address}/{link('attention', **chosen)}")
    expect_chosen(engine, **chosen)
    run, _ = shipped(PAPER, DEFAULT)
    read = f"How {run.source.tokens[4]} comes to read {run.source.tokens[1]}"
    engine.expect_text(CARD, read, part=True)
    engine.replace(FIELD, CAT)
    engine.press("Enter")
    engine.expect_text(SENTENCE, shipped(PAPER, CAT)[0].text)
    engine.settle()
    engine.back()
    engine.expect_text(SENTENCE, run.text)
    expect_chosen(engine, **chosen)
    engine.settle()
    assert engine.evaluate("(s) => document.querySelector(s).value", FIELD).startswith("the animal")


def test_each_key_is_answered_and_enter_gives_pythons_run(engine: Engine, shipped_address: str):
    open_run(engine, f"{shipped_address}/{link('attention', source='The old man reads.')}")
    engine.wait_for("() => loupe.traces.size > 0")
    run, _ = shipped(PAPER, TYPED)
    engine.evaluate(NO_PAUSE)
    first, last = TYPED[:-5], TYPED[-5:]
    engine.replace(FIELD, first)
    for added, written in (("", first), (last, TYPED)):
        engine.press(*added)
        answer, _ = shipped(PAPER, written)
        engine.expect_text(LIVE, answer.text)
        engine.wait_for(READ, list(answer.source.tokens))
        assert engine.evaluate("() => loupe.selection.run") == "typed"
        engine.wait_for(f"(columns) => ({MAP})()[1] === columns", len(answer.source.ids))
    engine.press("Enter")
    engine.expect_text(".loupe-live-mark", "✓")
    engine.expect_text(SENTENCE, run.text)
    assert engine.evaluate("() => loupe.selection.run") != "typed"
    assert engine.evaluate("() => loupe.run().tokens.source") == list(run.source.tokens)


def test_a_line_that_is_dragged_changes_what_is_written(engine: Engine, shipped_address: str):
    before, model = shipped(PAPER, DEFAULT)
    with torch.inference_mode():
        pull = telling_pull(before, model)
    assert pull
    made = Intervention("point", WEIGHTS, rows=(pull.row,), columns=(pull.to,))
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    after = make_run(checkpoint, DEFAULT, interventions=(made,))
    engine.visit(f"{shipped_address}/{link('touch')}")
    engine.expect_text(".loupe-touch-check", "✓")
    engine.settle()
    assert texts(engine, ROWS) == list(before.target_tokens[1:])
    held = engine.place(f".loupe-touch-end[data-key='{pull.held}']")
    to = engine.place(f".loupe-touch-keys li[data-key='{pull.to}'] button")
    middle = tuple((a + b) / 2 for a, b in zip(held, to, strict=True))
    engine.hold([held, middle, to])
    engine.wait_for(SAY, ROWS, list(after.target_tokens[1:]))  # while held, without Python
    assert "edits=point" not in engine.evaluate("() => location.search")
    engine.let_go()
    engine.wait_for("() => location.search.includes('edits=point')")
    engine.settle()
    engine.expect_text(".loupe-touch-check", "✓")
    assert texts(engine, ROWS) == list(after.target_tokens[1:])


def test_a_question_of_a_lesson_is_answered(engine: Engine, shipped_address: str):
    engine.visit(f"{shipped_address}/attention?lesson=which-word&part=2")
    engine.place(".lesson-option", "sees")
    engine.settle()
    engine.click(".lesson-option", "sees")
    engine.expect_text(".lesson-sentence", "You said “sees”", part=True)
    engine.click("button", "Continue")
    engine.wait_for("() => location.search.includes('part=3')")
    engine.place(".lesson-option")


def test_the_site_of_plain_files_answers_each_key(engine: Engine, site: str):
    engine.visit(f"{site}/touch/?source={TYPED.replace(' ', '+')}")
    engine.expect_text(".loupe-touch-board", "livre", part=True)
    engine.replace(FIELD, "The old man reads a letter")
    engine.expect_text(".loupe-touch-board", "lettre", part=True)
    engine.wait_for("() => location.search.startsWith('?source=The+old+man+reads+a+letter')")
