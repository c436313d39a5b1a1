"""One picture of the app on a page of its own in a real browser, with what a test gives it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browsing import ROOT, library
from viz.pictures.theme import colour_variables

_SCRIPT = """
import {{ createLoupe }} from "/pictures/browser/explorer.js";
import {{ letSave }} from "/pictures/browser/saving/menu.js";
import {{ components }} from "/{module}";
const loupe = createLoupe(document);
letSave(loupe);
const parentElement = document.getElementById("host");
window.told = [];
window.show = ({{ values, ...data }}) => void loupe.mount("{name}", components.{name}, {{
  data: values
    ? {{ ...data, values: {{ getChild: () => ({{ toArray: () => Float32Array.from(values) }}) }} }}
    : data,
  parentElement,
  setTriggerValue: (...all) => told.push(all),
}});
"""


@contextmanager
def drawn_alone(
    browser: Browser,
    module: str,
    name: str,
    data: dict[str, Any],
    *,
    values: Sequence[float] | None = None,
    width: int = 800,
    scheme: str = "light",
) -> Iterator[Page]:
    """Draw a picture, which tells `window.told` what it would tell Python."""
    sheets = [
        ROOT / "viz" / "pictures" / "loupe.css",
        *(ROOT / "viz" / module).parents[1].glob("*.css"),
    ]
    styles = "".join(sheet.read_text("utf-8") for sheet in sheets if "presenter" not in sheet.name)
    colours = f".stApp {{ color-scheme: {scheme}; {colour_variables()} }}"
    body = (
        f"<style>{styles}{colours}</style>"
        '<div class="stApp" data-testid="stApp" data-test-script-state="notRunning">'
        f'<div id="host" style="width: {width}px"></div></div>'
    )
    script = _SCRIPT.format(module=module, name=name)
    with library(browser, body, script, until="window.show", color_scheme=scheme) as page:
        given = data if values is None else {**data, "values": list(map(float, values))}
        page.evaluate("given => show(given)", given)
        yield page
