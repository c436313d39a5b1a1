"""A page in a browser that Playwright cannot drive, with the functions that a smoke test needs.

Playwright needs its own builds of Firefox and WebKit. The system's browsers speak the W3C's
WebDriver, whose key and pointer actions are the same in both of its protocols.
"""

import json
import re
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.browsing import AT_REST, MOST_MS, QUIET_MS

PATIENCE = 60.0
"""Seconds to wait before a test gives up; not a measure of speed."""
KEYS = {"Enter": "\ue007", "ArrowRight": "\ue014", "Tab": "\ue004", "Control": "\ue009"}
CALL = """async (given) =>
  JSON.stringify((await (FUNCTION)(...JSON.parse(given))) ?? null)"""
"""Calls a function in the page; both protocols can pass a string."""
PLACE = """async (selector, text) => {
  const find = () => [...document.querySelectorAll(selector)].find((node) =>
    text === null || (node.ariaLabel || node.textContent).trim() === text);
  const middle = () => {
    const named = find();
    if (!named?.checkVisibility()) return [];
    const { x, y, width, height } = named.getBoundingClientRect();
    const met = document.elementFromPoint(x + width / 2, y + height / 2);
    const isFree = met && (named.contains(met) || met.contains(named));
    return isFree ? [x + width / 2, y + height / 2] : [];
  };
  await document.fonts.ready;
  find()?.scrollIntoView({ block: "center", behavior: "instant" });
  const before = middle();
  for (let frames = 0; frames < 6; frames++) await new Promise(requestAnimationFrame);
  const after = middle();
  return before.length && before.join() === after.join() ? after : null;
}"""
"""Find the middle of an element by its selector and its name, once it has stopped moving.

No other element may cover it there. It is scrolled to only once, because WebKit scrolls one pixel
further each time.
"""


CHOOSE = """(selector, text) => {
  const named = [...document.querySelectorAll(selector)].find((node) =>
    text === null || (node.ariaLabel || node.textContent).trim() === text);
  named?.click();
  return Boolean(named);
}"""


class Engine:
    """A page in a browser, with the functions that a smoke test needs."""

    name: str
    allowed: tuple[str, ...] = ()
    """Patterns of the console messages that are allowed."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def visit(self, url: str) -> None: ...
    def back(self) -> None: ...
    def act(self, sources: Sequence[dict[str, Any]]) -> None: ...
    def call(self, function: str, given: str) -> str: ...
    def listen(self) -> None: ...

    def evaluate(self, function: str, *arguments: object) -> Any:
        """Return the result of a JavaScript function, or the value of its promise."""
        return json.loads(self.call(CALL.replace("FUNCTION", function), json.dumps(arguments)))

    def wait_for(self, function: str, *arguments: object) -> Any:
        """Wait until a function returns a true value, and return that value."""
        end = time.monotonic() + PATIENCE
        while not (found := self.evaluate(function, *arguments)):
            if time.monotonic() > end:
                pytest.fail(f"{self.name} never came to {function} {arguments}")
            time.sleep(0.05)
        return found

    def settle(self) -> None:
        """Wait until no script of the app runs and nothing changes on the page."""
        self.wait_for(AT_REST.replace("([quiet, most])", "(quiet, most)"), QUIET_MS, MOST_MS)

    def expect_text(self, selector: str, text: str, *, part: bool = False) -> None:
        """Wait until an element's text equals a text, or contains it if `part` is true."""
        self.wait_for(
            """(selector, text, part) => [...document.querySelectorAll(selector)].some((node) =>
                 part ? node.textContent.includes(text) : node.textContent.trim() === text)""",
            selector,
            text,
            part,
        )

    def place(self, selector: str, text: str | None = None) -> tuple[float, float]:
        """Return the middle of an element once it is visible and has stopped moving."""
        x, y = self.wait_for(PLACE, selector, text)
        return x, y

    def click(self, selector: str, text: str | None = None) -> None:
        self.drag([self.place(selector, text)])

    def choose(self, selector: str, text: str | None = None) -> None:
        """Click an element wherever it is, as a screen reader does, even if it still moves."""
        self.wait_for(CHOOSE, selector, text)

    def drag(self, points: Sequence[Sequence[float]]) -> None:
        """Press at the first point, move through the others, and release at the last one."""
        self.hold(points)
        self.let_go()

    def hold(self, points: Sequence[Sequence[float]]) -> None:
        """Press at the first point, move through the others, and keep the button down."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in points
        ]
        down = {"type": "pointerDown", "button": 0}
        self._point([moves[0], down, *moves[1:]])

    def let_go(self) -> None:
        self._point([{"type": "pointerUp", "button": 0}])

    def _point(self, actions: list[dict[str, Any]]) -> None:
        self.act([{"type": "pointer", "id": "mouse", "actions": actions}])

    def press(self, *keys: str) -> None:
        """Press keys one after another, given by name or as the character they type."""
        strokes = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self.act([{"type": "key", "id": "keys", "actions": strokes}])

    def replace(self, selector: str, text: str) -> None:
        """Replace the text of a field by typing."""
        self.click(selector)
        self.wait_for(
            "(s) => { const f = document.querySelector(s); f.select(); return"
            " document.activeElement === f; }",
            selector,
        )
        self.press(*text)

    def check(self) -> None:
        """Fail if the page reported a message that is not allowed, or called another host."""
        self.listen()
        heard, self.complaints = self.complaints, []
        left = [text for text in heard if not any(re.search(each, text) for each in self.allowed)]
        assert left == [], left
