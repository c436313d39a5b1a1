"""Pages without Python in a real browser: a shipped model, a sentence, and one page's own code."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browsing import ROOT, library
from tests.checkpoints import SHIPPED
from tests.shipped import PAPER
from viz.pictures.theme import colour_variables

SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { answerTo } from "/pictures/browser/live/answer.js";
import { createModels, readFiles } from "/pictures/browser/live/models.js";
import { takeRun } from "/pictures/browser/run.js";
import { begin } from "%s";

window.Worker = undefined; // so the page's own model does the tasks
const loupe = createLoupe(document);
const first = { kind: "cross-attention", layer: 0, head: 0, query: 0, key: 0, step: 0 };
let kept;
let show;
window.start = ({ page, about, weights, given }) => {
  const bytes = Uint8Array.from(atob(weights), (letter) => letter.charCodeAt(0));
  kept = readFiles(JSON.parse(about), bytes.buffer);
  loupe.part(createModels).put("own", kept);
  loupe.page = page;
  show = begin(loupe, document.getElementById("host"), kept, ...given);
};
window.tell = (text) => {
  const answer = answerTo(kept, text);
  const { kinds, tokens, codes } = answer;
  const languages = ["English", "French"];
  takeRun(loupe, { run: text, kinds, tokens, languages, axes: {}, gold: null }, codes);
  loupe.selection = { ...first, ...loupe.selection, run: text };
  show(answer);
};
window.loupe = loupe;
"""


@contextmanager
def own_page(browser: Browser, name: str, *given: object) -> Iterator[Page]:
    """Open a page whose code begins with `given`; its function `tell(TEXT)` shows a sentence."""
    styles = [ROOT / "viz/pictures/loupe.css", ROOT / f"viz/subjects/{name}/{name}.css"]
    body = (
        f"<style>:root {{ color-scheme: light }} .stApp {{ --mono: monospace;"
        f" {colour_variables()} }} {''.join(map(Path.read_text, styles))}</style>"
        '<div class="stApp"><div id="host"></div></div>'
    )
    script = SCRIPT % f"/subjects/{name}/browser/{name}_own.js"
    with library(browser, body, script, until="window.loupe") as page:
        files = {
            "page": name,
            "about": (SHIPPED / f"{PAPER}.json").read_text(encoding="utf-8"),
            "weights": base64.b64encode((SHIPPED / f"{PAPER}.safetensors").read_bytes()).decode(),
            "given": given,
        }
        page.evaluate("files => start(files)", files)
        yield page
