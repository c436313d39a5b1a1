import json
import pkgutil

import pytest
from streamlit.testing.v1 import AppTest

import viz.pages
from viz.run import KINDS, Run, Selection

PAGES = [module.name for module in pkgutil.iter_modules(viz.pages.__path__)]


def show(name, run, selection):  # AppTest runs its source alone: no annotations, imports inside
    from importlib import import_module

    import_module(f"viz.pages.{name}").render(run, selection)


def open_page(name: str, run: Run, selection: Selection) -> AppTest:
    arguments = {"name": name, "run": run, "selection": selection}
    page = AppTest.from_function(show, kwargs=arguments).run(timeout=30)
    assert not page.exception
    return page


def texts(page: AppTest) -> str:
    return " ".join(element.proto.body for element in page.get("html"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PAGES)
def test_draws_a_run(name: str, run: Run, kind):
    open_page(name, run, Selection(kind, 1, 0))


def test_attention_shows_the_head_that_is_selected(run: Run):
    page = open_page("attention", run, Selection("cross-attention", 1, 2))
    assert "decoder.layers.1.cross_attn.weights[2]" in texts(page)
    assert f"{len(run.steps)} × {len(run.source.tokens)}" in texts(page)
    figures = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    assert figures[1]["layout"]["yaxis"]["title"]["text"] == "query: French token being written"
    assert figures[1]["layout"]["xaxis"]["title"]["text"] == "key: English token read"


def test_attention_shows_badges_that_were_computed(run: Run):
    page = open_page("attention", run, Selection("decoder self-attention", 0, 0))
    size = len(run.steps)
    assert f"masked weights are exactly 0 <code>{size * (size - 1) // 2} cells" in texts(page)
    assert "loupe-fail" not in texts(page)


@pytest.mark.parametrize("kind", ["decoder self-attention", "cross-attention"])
def test_attention_says_where_no_causal_mask_acts(run: Run, unmasked_run: Run, kind):
    selection = Selection(kind, 0, 0)
    shown = texts(open_page("attention", unmasked_run, selection))
    assert "This variant has no causal mask" in shown
    assert "this map is of the finished sentence" in shown
    assert "causal mask" not in texts(open_page("attention", run, selection))
