"""Random acts of a person in the app, each one step of a sequence."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

from qa.audit.reference.transformer import KINDS

SOURCES = (
    "the small black cat sleeps because it is tired .",
    "she does not drink any cold water .",
    "the old man buys some bread .",
    "my sister sees the red house .",
    "the dog sleeps .",
    "does he like the new car ?",
)
_PAGES = (
    "attention", "touch", "map", "masks", "decoding", "positions", "embeddings", "mattered",
)  # fmt: skip
_FOLDS = ("attention", "map", "decoding", "masks")
"""Pages whose parts open at once."""


@dataclass
class Walk:
    """A session in which sequences are walked."""

    live: Page
    fresh: Page
    address: str
    random: random.Random
    done: list[str] = field(default_factory=list)
    """The acts of this sequence, in words."""
    first: int = 0
    """The entry of the history with which the app began; going back further leaves the app."""

    def entry(self) -> int:
        """Return the index of the current entry in the browser's history."""
        return self.live.evaluate("() => navigation.currentEntry.index")

    def step(self) -> None:
        """Do one thing that a person might do in the current state."""
        said = None
        while said is None:
            name, act = self.random.choice(_ACTS)
            said = act(self)
            self.done += [] if said is None else [f"{name} {said}".strip()]


def _sentence(walk: Walk) -> str:
    source = walk.random.choice(SOURCES)
    bar = walk.live.locator(".st-key-bar_in input").first
    bar.fill(source)
    bar.press("Enter")
    walk.live.evaluate("() => document.activeElement?.blur()")
    return source


def _head(walk: Walk) -> str:
    chosen: dict[str, Any] = {"layer": walk.random.randrange(2), "head": walk.random.randrange(4)}
    if walk.random.random() < 0.4:
        chosen["kind"] = walk.random.choice(list(KINDS))
    return _select(walk, chosen)


def _cell(walk: Walk) -> str:
    return _select(walk, {"query": walk.random.randrange(9), "key": walk.random.randrange(9)})


def _select(walk: Walk, chosen: dict[str, Any]) -> str:
    walk.live.evaluate(
        "c => window.loupe?.selection && window.loupe.run() && window.loupe.select(c)", chosen
    )
    return str(chosen)


_HREFS = "links => links.map((link) => link.getAttribute('href'))"


def _page(walk: Walk) -> str | None:
    links = walk.live.locator(".st-key-places a, .st-key-views a")
    ends = [link.split("?")[0].rpartition("/")[2] for link in links.evaluate_all(_HREFS)]
    there = [end for end in ends if end in _PAGES]
    if not there:
        return None
    path = walk.random.choice(there)
    links.nth(ends.index(path)).click()
    return path


def _language(walk: Walk) -> str:
    menu = walk.live.locator(".st-key-side_menu details:not([open]) > summary")
    buttons = walk.live.locator(".st-key-lang button")
    number = walk.random.randrange(2)
    if buttons.count() > number:
        if menu.count():
            menu.click()
        buttons.nth(number).click()
    return str(number)


def _press(*keys: str) -> Callable[[Walk], str]:
    def press(walk: Walk) -> str:
        for key in keys:
            walk.live.keyboard.press(key)
        return ""

    return press


def _button(selector: str, opener: str = "") -> Callable[[Walk], str | None]:
    def click(walk: Walk) -> str | None:
        if opener and walk.live.locator(opener).count():
            walk.live.locator(opener).click()
        found = walk.live.locator(selector)
        count = found.count()  # read once, because the page may be changing to another one
        if not count:
            return None
        number = walk.random.randrange(count)
        found.nth(number).click()
        return str(number)

    return click


def _keep_cut(walk: Walk) -> str | None:
    tiles, keep = walk.live.locator(".mattered-tile"), walk.live.locator(".mattered-keep")
    count = tiles.count()
    if not count:
        return None
    number = walk.random.randrange(count)
    tiles.nth(number).click()
    if walk.random.random() < 0.5 and keep.count():
        keep.first.click()
        return f"{number}, kept"
    return str(number)


def _fold(walk: Walk) -> str | None:
    path = urlsplit(walk.live.url).path.removeprefix("/")
    folds = walk.live.locator("[data-testid=stMain] [data-testid=stExpander] summary")
    count = folds.count()
    if path not in _FOLDS or not count:
        return None
    number = walk.random.randrange(count)
    folds.nth(number).click()
    return f"{number} of {path}"


_GO_BACK = """(first) => {
  const leaves = navigation.currentEntry.index <= first;
  if (!leaves) history.back();
  return leaves;
}"""


def _back(walk: Walk) -> str | None:
    return None if walk.live.evaluate(_GO_BACK, walk.first) else ""


def _enter_and_back(walk: Walk) -> str | None:
    """Go back before the sentence just entered is run, or while it is running."""
    if walk.entry() <= walk.first:
        return None
    source, pause = _sentence(walk), _pause(walk)
    return f"{source}, {pause} ms{'' if _back(walk) is None else ', back'}"


def _haste(walk: Walk) -> str:
    """Choose a head, a cell and a page, each before the app can answer the previous choice."""
    done: list[str] = []
    for act in (_head, _cell, _page):
        done += [act(walk) or "no page", f"{_pause(walk)} ms"]
    return "; ".join(done)


def _pause(walk: Walk) -> int:
    pause = walk.random.choice((0, 20, 50, 100, 150))
    walk.live.wait_for_timeout(pause)
    return pause


_ACTS: tuple[tuple[str, Callable[[Walk], str | None]], ...] = (
    *[("sentence", _sentence)] * 2,
    *[("head", _head)] * 2,
    *[("cell", _cell)] * 2,
    *[("page", _page)] * 3,
    ("language", _language),
    *[("key x", _press("x"))] * 2,
    ("pull", _press("+", "+", "+", "Enter")),
    ("dial", _button(".st-key-dials button")),
    ("chip", _button(".loupe-change-card li button", ".loupe-change-card [aria-expanded=false]")),
    ("cut", _keep_cut),
    ("fold", _fold),
    ("undo", _press("u")),
    ("redo", _press("Shift+U")),
    ("back", _back),
    *[("enter and back", _enter_and_back)] * 2,
    *[("haste", _haste)] * 2,
)
