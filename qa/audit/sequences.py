"""`python -m qa.audit.sequences`: whether a link shows the same as its page.

It walks random sequences in one session, hurried and at rest. After each, it compares the page with
a fresh load of its own address, the address with the bar of changes, and the run with the
reference.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from qa.audit.acts import SOURCES, Walk
from qa.audit.browser import launched, opened, serve, wait
from qa.audit.ledger import Ledger
from qa.audit.pages.run import compare_run
from qa.audit.truth import State, truth_of
from qa.audit.visit import Visit

CHECKPOINT = "everyday-paper-0"
_TRIES, _BETWEEN = 4, 2_000
"""How often a page is read before it counts as different, and the pause in milliseconds."""

_READ = """() => {
  const one = (selector) => [...document.querySelectorAll(selector)];
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const bar = one('.loupe-change-card li').map((li) => {
    const button = li.querySelector('[role=switch]');
    return [button.textContent, button.getAttribute('aria-checked'), li.className];
  });
  const main = document.querySelector('[data-testid=stMain]');
  const card = one('.loupe-change-card')[0];
  const folds = one('[data-testid=stMain] [data-testid=stExpander] details').map((details) =>
    [details.querySelector('summary').textContent.trim(), details.open]);
  // A table's canvas names the columns that fit: they are as wide as its first rows made them.
  const tables = one('[data-testid=stDataFrame] canvas').map((canvas) =>
    [...canvas.querySelectorAll('th, td')].map((cell) =>
      [cell.getAttribute('aria-colindex'), cell.textContent]));
  // How far the browser's own run of a sentence was: only where it was typed, not linked to.
  const words = one('.loupe-live, [data-testid=stDataFrame] canvas').reduce(
    (text, node) => text.replace(auditText(node), ' '), main ? auditText(main) : '');
  return {
    path: location.pathname, query, bar, folds, tables,
    selection: window.loupe?.selection ?? null,
    run: Boolean(window.loupe?.run?.()),
    stale: one('.loupe-stale').filter((node) => node.getClientRects().length).length,
    errors: one('[data-testid=stException], [data-testid=stAlertContentError]').length,
    words: (card ? words.replace(auditText(card), ' ') : words).replace(/\\s+/g, ' '),
  };
}"""


_HAS_BUTTONS = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .every((figure) => figure.closest('.loupe-saved')?.querySelector('.loupe-save'))"""


def rest(page: Page) -> None:
    """Wait until no script has run for a while, and each figure can be saved."""
    calm = 0
    while calm < 3:
        wait(page, "() => Boolean(document.querySelector('[data-testid=stApp]'))")
        is_idle = page.evaluate(
            "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState"
            " === 'notRunning' && !document.querySelector('[data-testid=stSkeleton]')"
        )
        calm = calm + 1 if is_idle else 0
        page.wait_for_timeout(100)
    for _ in range(50):  # a figure that never gets its button is reported by the comparison
        if page.evaluate(_HAS_BUTTONS):
            return
        page.wait_for_timeout(100)


def differences(walk: Walk) -> list[str]:
    """Return the differences between the page and a fresh load of its address."""
    live = walk.live.evaluate(_READ)
    found = list(_in_itself(live))
    walk.fresh.goto(walk.live.url)
    wait(walk.fresh, "() => Boolean(window.loupe)")
    rest(walk.fresh)
    again = walk.fresh.evaluate(_READ)
    found += [
        f"{part}: {live[part]} here, {again[part]} by the link"
        for part in ("path", "bar", "folds", "selection", "run", "errors")
        if live[part] != again[part]
    ]
    if len(live["tables"]) != len(again["tables"]):
        found.append(f"{len(live['tables'])} tables here, {len(again['tables'])} by the link")
    for here, there in zip(live["tables"], again["tables"], strict=False):
        fits = {column for column, _ in here} & {column for column, _ in there}
        one, other = ([cell for cell in table if cell[0] in fits] for table in (here, there))
        if one != other:
            found.append(f"a table: {one} here, {other} by the link")
    if live["words"] != again["words"]:
        found.append(f"words: {_first_apart(live['words'], again['words'])}")
    return found


def _in_itself(live: dict[str, Any]) -> Iterator[str]:
    """Check a page against itself: its address, its bar, its parts."""
    query, selection = live["query"], live["selection"] or {}
    for name in ("kind", "layer", "head", "query", "key", "step"):
        if name in query and query[name] != str(selection.get(name)):
            yield f"address: {name}={query[name]}, selected is {selection.get(name)}"
    linked = [part for part in query.get("edits", "").split("~") if part]
    off = [part.startswith("-") for part in linked]
    if off != [checked == "false" for _, checked, _ in live["bar"]]:
        yield f"address: changes {linked}, the bar has {live['bar']}"
    if live["stale"]:
        yield f"{live['stale']} parts are of another selection"
    if live["errors"]:
        yield "an error is shown"


def _first_apart(one: str, other: str) -> str:
    """Return both texts from shortly before the first letter that differs."""
    pairs = enumerate(zip_longest(one, other))
    at = next((i for i, (a, b) in pairs if a != b), 0)
    return f"“…{one[max(0, at - 40) : at + 80]}” here, “…{other[max(0, at - 40) : at + 80]}” by it"


def settled(walk: Walk) -> list[str]:
    """Compare until nothing differs, or until it has differed for long."""
    found: list[str] = []
    walk.live.mouse.move(0, 0)  # a button that appears under the pointer is not a word of the page
    for number in range(_TRIES):
        if number:
            walk.live.wait_for_timeout(_BETWEEN)
        rest(walk.live)
        found = differences(walk)
        if not found:
            break
    return found


def held(walk: Walk, ledger: Ledger) -> bool:
    """Check the run in view against the reference; return whether it makes all of its changes."""
    query = parse_qs(urlsplit(walk.live.url).query)
    source, changes = query.get("source", [""])[0], made_here(query.get("edits", [""])[0])
    if not source or changes is None:
        return False
    state = State(CHECKPOINT, source, changes=changes)
    visit = Visit(walk.live, walk.address, "sequences", state, truth_of(state), ledger)
    run = visit.run()
    if run is not None:
        compare_run(visit, {**run, "metrics": None})
    return run is not None


def made_here(text: str) -> str | None:
    """Return the changes that the address makes to its own text; None if some are of other kinds.

    A change that is switched off begins with a mark, and one for another text names that text.
    """
    parts = [part for part in text.split("~") if part[:1] not in ("", "-") and ";s" not in part]
    known = all(part.startswith(("zero!", "cut!", "point!")) for part in parts)
    return "~".join(parts) if known else None


def walked(walk: Walk, count: int, hurried: float = 0.6) -> tuple[int, int, Ledger]:
    """Walk sequences in one session; return how many differ, how many runs were checked, and these.

    `hurried` is the share of sequences whose steps do not wait for the ones before.
    """
    live, draw, ledger = walk.live, walk.random, Ledger()
    live.goto(f"{walk.address}/attention?source={quote(SOURCES[0])}&lang=en")
    wait(live, "() => Boolean(window.loupe?.run?.())")
    rest(live)  # else its links may be missing
    walk.first = walk.entry()
    apart = runs = 0
    for number in range(count):
        walk.done = []
        is_hurried = draw.random() < hurried
        for _ in range(draw.randint(3, 5)):
            try:
                walk.step()
            except PlaywrightError as error:  # the target of the click has gone
                walk.done.append(f"({str(error).splitlines()[0]})")
            if is_hurried:
                live.wait_for_timeout(draw.choice((0, 30, 100, 250, 500)))
            else:
                rest(live)
        found, before = settled(walk), len(ledger.faults)
        runs += held(walk, ledger)
        found += ledger.faults[before:]
        apart += bool(found)
        print(f"{number + 1}/{count} {'apart' if found else 'same'}: {'; '.join(walk.done)}")
        print(*(f"  {line}\n" for line in [*found, live.url] if found), sep="", end="", flush=True)
    return apart, runs, ledger


def main() -> int:
    """Walk, and return the exit status: 1 if anything differed."""
    parser = argparse.ArgumentParser(prog="python -m qa.audit.sequences", description=__doc__)
    parser.add_argument(
        "--count", type=int, default=200, help="number of sequences, all in one session"
    )
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--port", type=int, help="the port of the app; default: a free one")
    chosen, began = parser.parse_args(), time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), port=chosen.port) as address,
        launched() as browser,
        opened(browser) as live,
        opened(browser) as fresh,
    ):
        live.set_default_timeout(5_000)
        walk = Walk(live, fresh, address, random.Random(chosen.seed))
        apart, runs, ledger = walked(walk, chosen.count)
    print(
        f"{chosen.count} sequences, {apart} different; {runs} runs and {ledger.values:,} values "
        f"held against the reference; {time.monotonic() - began:.0f} s"
    )
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
