"""A standalone page opened from disk: its data, its texts and its single script."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.browsing import COMPILES, open_context
from viz.alone.build import Host, page_alone
from viz.pictures.browser_modules import MODULES

CODE = """import { say } from "../pictures/browser/say.js";
export function begin(page, sent, modules) {
  const told = page.createElement("p");
  told.id = "told";
  told.textContent = say("list.and", { first: 1, last: 2 });
  page.querySelector("main").append(told);
  window.sent = sent;
  window.names = Object.keys(modules);
}
"""
HOSTILE = (
    "</script><script>window.ran = 1</script>",
    "<!--<script>",
    "]]>&lt;&amp;\"'\\",
    "\u2028\u2029\x00\r\n",
    "ça 猫 😀",
)
ARRAYS = {
    "bytes": np.array([0, 255, 60], np.uint8),
    "codes": np.arange(0, 65536, 4369, dtype=np.uint16),
    "numbers": np.array([[1.5, -0.25], [3.4e38, 1e-45]], np.float32),
    "turned": np.array([1.0, 2.0], ">f4"),
}


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setitem(MODULES, "alone_test/begin.js", CODE.encode())
    return Host(("alone_test/begin.js",), (), "")


def test_a_page_has_what_it_was_given_and_runs_nothing_of_it(
    browser: Browser, tmp_path: Path, host: Host
) -> None:
    sent = {"texts": list(HOSTILE), **dict.fromkeys(HOSTILE, 1)}
    file = tmp_path / "page.html"
    title, *notes = HOSTILE
    page = page_alone(host, ("fr", "en"), sent, ARRAYS, title=title, notes=notes)
    file.write_text(page, "utf-8", newline="")
    with open_context(browser, offline=True) as context:
        opened = context.new_page()
        opened.goto(file.as_uri())
        opened.locator("#told").wait_for()
        assert opened.evaluate("sent.texts") == list(HOSTILE)
        assert opened.evaluate("Object.keys(sent)") == [*sent, *ARRAYS]
        for name, array in ARRAYS.items():
            assert opened.evaluate(f"[...sent.{name}]") == array.ravel().tolist()
        assert opened.evaluate("window.ran") is None
        assert not opened.evaluate(COMPILES)
        assert opened.locator("script").count() == 2
        assert opened.title() == HOSTILE[0]
        assert opened.locator("footer p").all_text_contents()[1] == HOSTILE[2]
        assert opened.locator("#told").inner_text() == "1 et 2"
        assert opened.evaluate("names.at(-1)") == "alone_test/begin.js"


def test_an_array_of_another_type_is_refused(host: Host) -> None:
    with pytest.raises(ValueError, match="must be one of u1, u2, f4, got f8"):
        page_alone(host, ("en",), {}, {"numbers": np.zeros(2)}, title="")
