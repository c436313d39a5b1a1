"""Reads a page: the runs in the browser, its words, its pictures, its tables."""

import base64
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Page

from qa.audit.browser import PATIENCE, wait
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import KINDS

CODE_ONE, CODE_NAN, CODE_MASKED = 50_000, 65_534, 65_535
"""The code of a weight: steps of .00002; two more numbers mean NaN, and masked."""
STEP = 0.5 / CODE_ONE + 3e-6
"""The largest distance of a weight from its code, including float32 rounding."""
Cells = list[list[str]]


@dataclass(frozen=True)
class Frame:
    """The parts around the pages."""

    main: str
    """Selector of the page itself."""
    rests: str
    """JavaScript: whether the run in view is of the text in the field."""


APP = Frame(
    "[data-testid=stMain]",
    """() => Boolean(
      document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]'))""",
)
SITE = Frame(
    "main",
    """() => window.loupe?.traces.get(loupe.selection?.run)?.answer.text ===
      document.querySelector('.st-key-source input').value""",
)
"""The site of plain files, on which the browser's own model computes everything."""


@dataclass
class Seen:
    """One page in the browser."""

    page: Page
    address: str
    frame: Frame = field(default=APP, kw_only=True)

    def open(self, path: str, query: dict[str, str]) -> None:
        self.page.goto(f"{self.address}/{path}?{urlencode(query)}")
        self.rest()

    def rest(self) -> None:
        """Wait until no script runs and the words of the page stay the same."""
        before = ""
        for _ in range(int(PATIENCE)):
            wait(self.page, self.frame.rests)
            now = self.page.evaluate(
                """() => [window.loupe?.runs?.size, auditText(document.body).length,
                  auditAll('canvas').length,
                  auditAll('[data-testid=stSpinner], [data-testid=stSkeleton]').length].join(' ')"""
            )
            if now == before and now.endswith(" 0"):
                return
            before = now
            self.page.wait_for_timeout(350)
        raise TimeoutError("the page did not come to rest")

    @property
    def selection(self) -> dict[str, Any]:
        return self.page.evaluate("() => ({...window.loupe.selection})")

    def select(self, **changes: object) -> None:
        """Choose something, as a click on a picture does."""
        self.page.evaluate("changes => window.loupe.select(changes)", changes)
        wait(
            self.page,
            "wanted => Object.entries(wanted).every(([n, v]) => window.loupe.selection[n] === v)",
            changes,
        )
        self.page.wait_for_timeout(250)
        self.rest()

    def runs(self) -> dict[str, dict[str, Any]]:
        return self.page.evaluate("() => auditRuns()")

    def run(self) -> dict[str, Any] | None:
        return self.page.evaluate("() => auditRuns()[window.loupe?.selection?.run] ?? null")

    def traced(self) -> dict[str, Any]:
        """Return the run by the browser's own model, its tensors by name."""
        found = self.page.evaluate("() => auditTrace()")
        for name, (shape, packed) in found["tensors"].items():
            found["tensors"][name] = np.frombuffer(base64.b64decode(packed), "<f4").reshape(shape)
        return found

    def text(self, selector: str = "") -> str:
        """Return all words of the page, or of the first such element, on one line."""
        found = self.texts(selector or self.frame.main)
        return found[0] if found else ""

    def texts(self, selector: str) -> list[str]:
        return self.page.evaluate("s => auditAll(s).map(auditText)", selector)

    def values(self) -> list[str]:
        """Return the values of the page's fields."""
        return self.page.evaluate(
            "s => auditAll(`${s} input`).map((i) => i.value)", self.frame.main
        )

    def lines(self, selector: str) -> Cells:
        """Return the words of each child of each such element, except those without words."""
        return self.page.evaluate(
            "s => auditAll(s).map((of) => [...of.children].map(auditText).filter(Boolean))",
            selector,
        )

    def head_named(self, after: str) -> tuple[str, int, int] | None:
        """Read kind, layer and head of `decoder.layers.1.cross_attn.weights[2]` after some
        words."""
        named = rf"{after} ?(encoder|decoder)\.layers\.(\d+)\.(\w+)\.weights\[(\d+)\]"
        found = re.search(named, self.text())
        if found is None:
            return None
        kind = next(k for k, names in KINDS.items() if names == (found[1], found[3]))
        return kind, int(found[2]), int(found[4])

    def maps(self, selector: str) -> list[dict[str, Any]]:
        return self.page.evaluate("s => auditMaps(s)", selector)

    def plots(self) -> list[dict[str, Any]]:
        return self.page.evaluate("() => auditPlots()")

    def tables(self, selector: str = "table") -> list[Cells]:
        return self.page.evaluate(
            """s => auditAll(s).filter((t) => t.rows).map((t) =>
              [...t.rows].map((r) => [...r.cells].map(auditText)))""",
            selector,
        )

    def headed(self, words: str) -> Cells:
        """Return the first table of the page whose first line has these words, without that
        line."""
        return next((t[1:] for t in self.tables() if t and words in " ".join(t[0])), [])

    def captioned(self) -> dict[str, Cells]:
        """Open every "As a table"; return the tables by their captions, without marks."""
        shut = ".loupe-table-button[aria-expanded=false]"
        self.page.evaluate("s => auditAll(s).forEach((button) => button.click())", shut)
        self.page.wait_for_timeout(300)
        found = self.page.evaluate(
            """() => auditAll('.loupe-as-table table').map((table) => [
              table.caption?.textContent ?? '',
              [...table.rows].map((r) => [...r.cells].map((c) => c.textContent.trim())),
            ])"""
        )
        return {" ".join(caption.split()): cells for caption, cells in found}

    def shades(self, colours: object, scale: str = "scale") -> tuple[Array, Array]:
        """Read colours: the share of the nearest of 201 shades, and its distance."""
        stops = np.asarray(self.page.evaluate("() => auditPalette()")[scale], float)
        at = np.linspace(0, len(stops) - 1, 201)
        found = [np.interp(at, np.arange(len(stops)), stops[:, i]) for i in range(3)]
        shades = np.floor(np.stack(found, axis=1) + 0.5)  # screen colours are integers
        away = np.abs(np.asarray(colours, float)[..., None, :] - shades).sum(axis=-1)
        return away.argmin(axis=-1) / 200, away.min(axis=-1)


def starting(tables: dict[str, Cells], words: str) -> Cells | None:
    """Find the table whose caption begins with these words."""
    return next((cells for caption, cells in tables.items() if caption.startswith(words)), None)


def decode(codes: np.ndarray) -> Array:
    """Return weights as they are sent; masked ones are zero."""
    weights = np.where(codes == CODE_MASKED, 0, codes) / CODE_ONE
    return np.where(codes == CODE_NAN, np.nan, weights)
