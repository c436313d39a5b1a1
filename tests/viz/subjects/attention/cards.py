"""The card of a cell on a page without the app: its data, and the page."""

import base64
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from model.transformer import Transformer
from tests.browsing import library
from tests.shipped import PAPER, shipped
from tests.viz.subjects.attention.making import Cell, made_cell
from viz.pictures.theme import colour_variables
from viz.run.inputs import run_key
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.tensor_parcel import pack_head

VIZ = Path(__file__).parents[4] / "viz"
STYLES = [VIZ / "pictures" / "loupe.css", VIZ / "subjects" / "attention" / "cell.css"]
SHOW = """
({ meta, codes, numbers, selection }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const table = (array) => ({ getChild: () => ({ toArray: () => array }) });
  keepRun({
    meta,
    codes: table(new Uint16Array(bytes(codes))),
    numbers: table(new Float32Array(bytes(numbers))),
  });
  loupe.selection = selection;
  loupe.tell("selection");
}
"""
"""Script that keeps a run with the tensors of one head, and selects a cell of it."""


class Shown(NamedTuple):
    """A cell of a run, with the data that the browser receives."""

    run: Run
    model: Transformer
    place: tuple[Any, ...]

    def sent(self) -> dict[str, Any]:
        parcel = pack_run(self.run, run_key(*self.place, id(self.run)))
        packed = pack_head(self.run, self.model, *self.place[:3])
        names = ("kind", "layer", "head", "query", "key")
        return {
            "meta": {**parcel.said["meta"], "tensors": packed.said},
            "codes": base64.b64encode(parcel.data["codes"]["code"].to_numpy()).decode(),
            "numbers": base64.b64encode(packed.numbers["number"].to_numpy()).decode(),
            "selection": {"run": parcel.key, **dict(zip(names, self.place, strict=True))},
        }

    def made(self) -> Cell:
        return made_cell(self.run, self.model, *self.place)


def shown_of(kind, layer: int, head: int, query: int, key: int, name: str = PAPER) -> Shown:
    return Shown(*shipped(name), (kind, layer, head, query, key))


def blank(browser: Browser) -> AbstractContextManager[Page]:
    """Open a page without the app, on which cards are drawn one after the other."""
    styles = "".join(path.read_text(encoding="utf-8") for path in STYLES)
    return library(
        browser,
        f"<style>:root {{ color-scheme: light dark }} .stApp {{ --mono: monospace;"
        f" {colour_variables()} }} {styles}</style>"
        '<div class="stApp"></div>',
        """
        import { createLoupe } from "/pictures/browser/explorer.js";
        import { components as kept } from "/pictures/browser/run.js";
        import { components } from "/subjects/attention/browser/cell.js";
        import { cellChecks } from "/subjects/attention/browser/cell_checks.js";
        import { components as told } from "/subjects/attention/browser/cell_words.js";
        const setups = { words: ["cell_words", told.cell_words], card: ["cell", components.cell] };
        let leave = [];
        window.begin = (width) => {
          for (const each of leave) each();
          const parts = Object.keys(setups).map(
            (id) => `<div id="${id}" style="width: ${width}px"></div>`
          );
          document.querySelector(".stApp").innerHTML = parts.join("");
          const loupe = createLoupe(document);
          leave = Object.entries(setups).map(([id, [name, setup]]) =>
            loupe.mount(name, setup, {
              data: {}, parentElement: document.getElementById(id), setTriggerValue() {}
            })
          );
          const { signal } = new AbortController();
          Object.assign(window, { loupe, cellChecks, keepRun: kept.run(loupe, { signal }) });
        };
        """,
        until="window.begin",
        viewport={"width": 1200, "height": 1000},
    )


def show_card(page: Page, shown: Shown, *, width: int = 900) -> None:
    """Draw the card of a cell from scratch."""
    page.mouse.move(0, 0)
    page.evaluate("width => begin(width)", width)
    page.evaluate(SHOW, shown.sent())
