"""Draws the map of a run on a page without the app, and reads the drawing."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.browsing import library
from viz.pictures.theme import MONO, colour_variables
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.subjects.map.picture import map_payload

STYLE = Path(__file__).parents[4] / "viz" / "subjects" / "map" / "map.css"
PACKED = ("codes", "numbers")
WIDTHS = {"small": 270, "large": 1000}
CROSS = {"kind": "cross-attention", "layer": 1, "head": 2, "query": 3, "key": 2, "step": 3}
SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { components as run } from "/pictures/browser/run.js";
import { components as map } from "/subjects/map/browser/map.js";
const components = { ...run, ...map };
const table = (array) => ({ getChild: () => ({ toArray: () => array }) });
let leave = [];
window.mount = (name, { codes, numbers, ...data }) => {
  const parentElement = document.querySelector(`[data-mounted="${name}"]`);
  if (codes) data.codes = table(Uint16Array.from(codes));
  if (numbers) data.numbers = table(Float32Array.from(numbers));
  leave.push(loupe.mount(name, components[name], { data, parentElement, setTriggerValue() {} }));
};
window.show = (given) => {
  const { width, path, selection, run, map } = JSON.parse(given);
  for (const each of leave) each();
  leave = [];
  const parts = ["measures", "run", "map"].map((name) => `<div data-mounted="${name}"></div>`);
  document.querySelector(".stApp").innerHTML = parts.join("");
  document.querySelector('[data-mounted="map"]').style.width = `${width}px`;
  window.asked = [];
  window.loupe = createLoupe(document);
  Object.assign(loupe, { page: path, selection, go: (...all) => asked.push(all) });
  mount("run", run);
  mount("map", map);
  window.openTensor = (tensor) => mount("map", { ...map, meta: { ...map.meta, tensor } });
};
"""


@contextmanager
def blank(browser: Browser, **context: bool) -> Iterator[Page]:
    """Open a page without the app, on which maps are drawn one after the other."""
    with library(
        browser,
        f"<style>:root {{ color-scheme: light dark }} body {{ font: 15px sans-serif }}"
        f".stApp {{ --mono: {MONO}; {colour_variables()} }} {STYLE.read_text()}</style>"
        '<div class="stApp"></div>',
        SCRIPT,
        until="window.show",
        color_scheme="dark",
        **context,
    ) as page:
        yield page


def show(
    page: Page,
    run: Run,
    *,
    size: str = "small",
    path: str = "attention",
    width: int | None = None,
    **selected: str | int,
) -> None:
    """Draw the map of a run from scratch; `window.asked` keeps its requests to Python."""
    parcel = pack_run(run, "key")
    drawn = map_payload(run, parcel)
    drawn["meta"] = {**drawn["meta"], "size": size, "tensor": None, "lit": []}
    given = {
        "width": width or WIDTHS[size],
        "path": path,
        "selection": {"run": "key", **CROSS, **selected},
        "run": listed(parcel.data),
        "map": listed(drawn),
    }
    page.mouse.move(0, 0)
    page.evaluate("given => show(given)", json.dumps(given))
    page.locator("[data-mounted=map] svg").wait_for()


def listed(data: dict[str, Any]) -> dict[str, Any]:
    tables = {name: data[name].column(0).to_pylist() for name in PACKED if name in data}
    return {"meta": data["meta"], **tables}


def block(page: Page, name: str) -> Locator:
    return page.locator(f'.loupe-map-block[data-block="{name}"]')


def toggle(page: Page, stack: str) -> Locator:
    return page.locator(f'[data-stack="{stack}"]')
