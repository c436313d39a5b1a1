"""Reads what a page of the app has: what it was sent, its words, its pictures, its tables."""

import re
from typing import Any
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Locator, Page

from qa.audit.browser import PATIENCE, wait
from qa.audit.reference.files import Array
from qa.audit.reference.transformer import KINDS

CODE_ONE, CODE_NAN, CODE_MASKED = 50_000, 65_534, 65_535
"""How a weight travels: in steps of .00002; two numbers beyond say not a number, and masked."""
_RESTS = "[data-testid=stApp][data-test-script-state=notRunning]"
STEP = 0.5 / CODE_ONE + 3e-6
"""How far a weight may be from its code, float32 included."""


class Seen:
    """One page of the app in the browser."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    def open(self, path: str, query: dict[str, str]) -> None:
        self.page.goto(f"{self.address}/{path}?{urlencode(query)}")
        self.rest()

    def rest(self) -> None:
        """Wait until no script runs and the words of the page stay as they are."""
        before = ""
        for _ in range(int(PATIENCE)):
            wait(self.page, f"() => Boolean(document.querySelector('{_RESTS}'))")
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

    def has_errors(self) -> list[str]:
        return self.texts("[data-testid=stException], [data-testid=stAlertContentError]")

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

    def text(self, selector: str = "[data-testid=stMain]") -> str:
        """All words of the first such element, on one line."""
        found = self.texts(selector)
        return found[0] if found else ""

    def texts(self, selector: str) -> list[str]:
        return self.page.evaluate("s => auditAll(s).map(auditText)", selector)

    def find(self, pattern: str, selector: str = "[data-testid=stMain]") -> re.Match[str] | None:
        """Find a sentence in the words of an element."""
        return re.search(pattern, self.text(selector))

    def head_named(self, after: str) -> tuple[str, int, int] | None:
        """Kind, layer and head of `decoder.layers.1.cross_attn.weights[2]` behind some words."""
        found = self.find(rf"{after} ?(encoder|decoder)\.layers\.(\d+)\.(\w+)\.weights\[(\d+)\]")
        if found is None:
            return None
        kind = next(k for k, names in KINDS.items() if names == (found[1], found[3]))
        return kind, int(found[2]), int(found[4])

    def maps(self, selector: str) -> list[dict[str, Any]]:
        return self.page.evaluate("s => auditMaps(s)", selector)

    def plots(self) -> list[dict[str, Any]]:
        return self.page.evaluate("() => auditPlots()")

    def tables(self, selector: str = "table") -> list[list[list[str]]]:
        return self.page.evaluate(
            """s => auditAll(s).filter((t) => t.rows).map((t) =>
              [...t.rows].map((r) => [...r.cells].map(auditText)))""",
            selector,
        )

    def palette(self) -> dict[str, Array]:
        """The 201 colours of each scale, from the colours that the style sheet gives."""
        stops = self.page.evaluate("() => auditPalette()")
        return {name: _spread(np.asarray(colours, float)) for name, colours in stops.items()}

    def locate(self, selector: str) -> Locator:
        return self.page.locator(selector)


def _spread(stops: Array) -> Array:
    at = np.linspace(0, len(stops) - 1, 201)
    found = [np.interp(at, np.arange(len(stops)), stops[:, i]) for i in range(3)]
    return np.floor(np.stack(found, axis=1) + 0.5)  # a screen has whole numbers


def decode(stack: dict[str, Any]) -> tuple[Array, np.ndarray, np.ndarray]:
    """Return the weights of a stack (layer, head, row, column), where masked, where no number."""
    rows, columns = stack["drawn"]
    codes = np.asarray(stack["codes"]).reshape(stack["layers"], stack["heads"], rows, columns)
    return decode_codes(codes), codes == CODE_MASKED, codes == CODE_NAN


def decode_codes(codes: np.ndarray) -> Array:
    weights = np.where(codes == CODE_MASKED, 0, codes) / CODE_ONE
    return np.where(codes == CODE_NAN, np.nan, weights)


def shades(colours: object, scale: Array) -> tuple[Array, Array]:
    """Read colours back: the nearest of the 201 shades as a share, and how far off it is."""
    seen = np.asarray(colours, float)
    away = np.abs(seen[..., None, :] - scale).sum(axis=-1)
    return away.argmin(axis=-1) / 200, away.min(axis=-1)
