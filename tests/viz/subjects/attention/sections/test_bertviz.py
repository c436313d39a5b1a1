"""The section on BertViz when its packages are not installed."""

import sys

import pytest

from tests.pages import ok, open_page, texts

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.mark.parametrize("hidden", ["bertviz", "IPython"])
def test_a_page_says_what_to_install(hidden: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    page = ok(open_page("attention", more_bertviz="true"))
    assert "is not installed here" in texts(page)
    [command] = [each.value for each in page.code if "pip" in each.value]
    assert command.endswith("pip install bertviz ipython")
