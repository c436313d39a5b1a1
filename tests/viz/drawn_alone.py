"""Draws the app's pictures on a page without the app, in a real browser, with a test's data."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browsing import ROOT, library
from viz.pictures.theme import colour_variables

_SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { setScheme } from "/pictures/browser/colours.js";
import { letSave } from "/pictures/browser/saving/menu.js";
const found = await Promise.all(MODULES.map((module) => import(`/${module}`)));
const components = Object.assign({}, ...found.map((module) => module.components));
const app = document.querySelector(".stApp");
let leave = () => {};
window.begin = (width, scheme) => {
  leave();
  setScheme(scheme);
  app.innerHTML = `<div style="width: ${width}px"></div>`;
  window.told = [];
  window.loupe = createLoupe(document);
  letSave(loupe);
};
window.show = (name, { values, ...data }) => {
  leave = loupe.mount(name, components[name], {
    data: values
      ? { ...data, values: { getChild: () => ({ toArray: () => Float32Array.from(values) }) } }
      : data,
    parentElement: app.firstElementChild,
    setTriggerValue: (...all) => told.push(all),
  });
};
"""


@contextmanager
def alone(browser: Browser, *modules: str) -> Iterator[Page]:
    """Open a page for the pictures of these modules, all of one subject."""
    sheets = [
        ROOT / "viz" / "pictures" / "loupe.css",
        *(ROOT / "viz" / modules[0]).parents[1].glob("*.css"),
    ]
    styles = "".join(sheet.read_text("utf-8") for sheet in sheets if "presenter" not in sheet.name)
    body = (
        f"<style>{styles} .stApp {{ {colour_variables()} }}</style>"
        '<div class="stApp" data-testid="stApp" data-test-script-state="notRunning"></div>'
    )
    script = _SCRIPT.replace("MODULES", json.dumps(modules))
    with library(browser, body, script, until="window.show") as page:
        yield page


def show_alone(
    page: Page,
    name: str,
    data: dict[str, Any],
    *,
    values: Sequence[float] | None = None,
    width: int = 800,
    scheme: str = "light",
) -> None:
    """Draw a picture from scratch; `window.told` keeps what it would send to Python."""
    page.emulate_media(color_scheme=scheme)
    page.mouse.move(0, 0)
    page.evaluate("given => begin(...given)", [width, scheme])
    given = data if values is None else {**data, "values": list(map(float, values))}
    page.evaluate("([name, given]) => show(name, JSON.parse(given))", [name, json.dumps(given)])
