"""The pages where what only they need is not installed."""

import sys

import pytest

from tests.pages import ok, open_page, texts

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
COMMANDS = {"umap": "pip install umap-learn", "bertviz": "pip install bertviz ipython"}
PAGES = {
    "umap": ("embeddings", {"embeddings_method": "UMAP"}),
    "bertviz": ("attention", {"more_bertviz": "true"}),
}


@pytest.mark.parametrize("hidden", ["umap", "bertviz", "IPython"])
def test_a_page_says_what_to_install(hidden: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    extra = "bertviz" if hidden == "IPython" else hidden
    name, query = PAGES[extra]
    page = ok(open_page(name, **query))
    assert "is not installed here" in texts(page)
    [command] = [each.value for each in page.code if "pip" in each.value]
    assert command.endswith(COMMANDS[extra])


@pytest.mark.parametrize("method", ["PCA", "t-SNE"])
def test_the_other_projections_do_without(method: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    page = open_page("embeddings", embeddings_method=method)
    assert "is not installed here" not in texts(ok(page))
