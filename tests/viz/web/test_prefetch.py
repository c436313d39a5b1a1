"""Requesting a page begins the run of its link, and the page then shows that very run."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from streamlit.testing.v1 import AppTest

from tests.checkpoints import FIRST
from tests.viz.web.asking import ask as asked
from viz.models import listing, opening, own_checkpoints, running
from viz.run.inputs import Inputs
from viz.web import prefetch
from viz.web.shell import page_routes

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
PAPER = "everyday-paper"
SCRIPT = str(Path(__file__).parents[3] / "viz" / "script.py")


@pytest.fixture
def opened(monkeypatch) -> list[Inputs]:
    inputs: list[Inputs] = []
    monkeypatch.setattr(running, "open_view", inputs.append)
    return inputs


@pytest.fixture(autouse=True)
def nothing_begun() -> Iterator[None]:
    finish()
    yield
    finish()


def finish() -> None:
    prefetch.finish(timeout=60)


def ask(query: str, method: str = "GET", **headers: str) -> None:
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "method": method, "path": "/masks", "headers": named}
    prefetch.begin_run(Request(scope | {"query_string": query.encode(), "server": ("a", 80)}))


@pytest.mark.parametrize(
    ("query", "inputs"),
    [
        (f"checkpoint={PAPER}&source=the+cat", Inputs(PAPER, "the cat", "", "cpu")),
        (f"checkpoint={PAPER}", Inputs(PAPER, FIRST, "", "cpu")),
        ("layer=1&head=2", None),
    ],
)
def test_the_run_of_a_link_is_begun(opened: list[Inputs], query: str, inputs: Inputs | None):
    ask(query)
    finish()
    first = Inputs(own_checkpoints.checkpoint_names()[0], FIRST, "", "cpu")
    assert opened == [inputs or first]


@pytest.mark.parametrize(
    ("query", "method", "headers"),
    [
        ("checkpoint=none", "GET", {}),
        (f"checkpoint={PAPER}&source={'a' * 200_000}", "GET", {}),
        (f"checkpoint={PAPER}", "HEAD", {}),
        (f"checkpoint={PAPER}", "GET", {"sec_fetch_dest": "iframe"}),
        (f"checkpoint={PAPER}", "GET", {"sec_fetch_dest": "document", "sec_purpose": "prefetch"}),
    ],
)
def test_nothing_else_is(opened: list[Inputs], query: str, method: str, headers: dict[str, str]):
    ask(query, method, **headers)
    finish()
    assert opened == []


def test_a_model_of_others_waits_for_its_reader(opened: list[Inputs], monkeypatch):
    read: list[str] = []
    monkeypatch.setattr(opening, "read_info", read.append)
    monkeypatch.setattr(listing, "listed_names", lambda: [PAPER, "folder:theirs"])
    ask("checkpoint=folder:theirs")
    finish()
    assert opened == read == []


def test_one_run_is_begun_at_a_time(monkeypatch):
    held, opened = Event(), list[str]()

    def hold(inputs: Inputs) -> None:
        opened.append(inputs.source)
        assert held.wait(60)

    monkeypatch.setattr(running, "open_view", hold)
    for text in ("one", "two", "three"):
        ask(f"checkpoint={PAPER}&source={text}")
    held.set()
    finish()
    ask(f"checkpoint={PAPER}&source=four")
    finish()
    assert opened == ["one", "four"]


def test_what_fails_is_no_end_of_it(monkeypatch):
    def fail(_inputs: Inputs) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(running, "open_view", fail)
    ask(f"checkpoint={PAPER}")
    with pytest.raises(RuntimeError, match="broken"):
        finish()
    finish()
    opened: list[Inputs] = []
    monkeypatch.setattr(running, "open_view", opened.append)
    ask(f"checkpoint={PAPER}")
    finish()
    assert len(opened) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        {"checkpoint": PAPER, "source": "the small cat", "target": "  "},
        {"source": "the cat", "edits": "zero!encoder.layers.0.self_attn.heads;h1"},
    ],
)
def test_it_is_the_run_that_the_page_shows(monkeypatch, query: dict[str, str]):
    shown: list[Inputs] = []
    open_view = running.open_view
    monkeypatch.setattr(running, "open_view", lambda asked: shown.append(asked) or open_view(asked))
    page = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, text in query.items():
        page.query_params[name] = text
    page.run()
    of_page, shown[:] = set(shown), []
    prefetch.open_link(f"?{urlencode(query)}")
    assert len(shown) == 1
    assert shown[0] in of_page
    assert bool(shown[0].interventions) == ("edits" in query)


@pytest.mark.parametrize(("path", "begins"), [("/", True), ("/masks", True), ("/start", False)])
def test_every_page_begins_it_and_no_way_to_one(opened: list[Inputs], path: str, begins: bool):
    asked(Starlette(routes=page_routes()), path)
    finish()
    assert len(opened) == begins
