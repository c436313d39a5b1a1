"""`python -m qa.audit` compares the data and drawings in the browser with the reference."""

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from qa.audit import planted_faults
from qa.audit.browser import launched, opened, serve, serve_site
from qa.audit.foreign import PREFIX, write_models
from qa.audit.ledger import Ledger
from qa.audit.walk import (
    OWN_SITE_PAGES,
    PAGES,
    SITE_PAGES,
    THIRD_PAGES,
    checkpoints,
    site_stops,
    stops,
    third_stops,
    walk,
)

_QUICK = ("everyday-paper-0", "-headlist", "induction-two-heads")
"""The ends of the names of small checkpoints."""
_QUICK_FOREIGN = "llama"
"""A checkpoint with shared keys and values, and rotary positions."""
_ON_THE_SITE = ("everyday-paper-0", "everyday-headlist", "everyday-prenorm")
"""Three variants: the paper's, one without a causal mask, one with the norm first."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m qa.audit", description=__doc__)
    parser.add_argument("--pages", nargs="*", choices=sorted(PAGES), default=list(PAGES))
    parser.add_argument(
        "--site",
        dest="pages",
        action="store_const",
        const=SITE_PAGES,
        help="only the sites of plain files",
    )
    parser.add_argument("--checkpoints", nargs="*", choices=checkpoints(), help="only these")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="three checkpoints unless others are named, one text each, no foreign models",
    )
    parser.add_argument(
        "--planted",
        nargs="*",
        metavar="WORDS",
        help="plant all faults, or those with one of these words in their names; see each caught",
    )
    parser.add_argument("--port", type=int, help="the port of the app; default: a free one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, ledger, began = Path(folder), Ledger(), time.monotonic()
        if given.planted is not None:
            return planted_faults.run(place, given.planted)
        with launched() as browser, opened(browser) as page:
            _walk_app(page, place, given, ledger)
            _walk_site(page, place, given, ledger)
            _walk_third(page, place, given, ledger)
    print(ledger.table())
    for note in ledger.silent:
        print(f"not compared: {note}")
    for pattern in ledger.unsaid:
        print(f"no page said: {pattern}")
    for fault in ledger.faults:
        print(f"WRONG {fault}")
    kind = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    named, seconds = len(ledger.faults), time.monotonic() - began
    print(f"{ledger.values:,} values, {named:,} named faults, {seconds:.0f} s on {kind}")
    return 1 if ledger.faults else 0


def _walk_app(page: Page, place: Path, given: argparse.Namespace, ledger: Ledger) -> None:
    pages = [name for name in given.pages if name not in SITE_PAGES]
    environment, foreign = {"LOUPE_KEPT": str(place / "kept")}, []
    if pages and not given.quick:
        foreign = write_models(place / "models")
        environment["LOUPE_MODELS"] = str(place / "models")
    names = given.checkpoints or [
        name for name in checkpoints() if not given.quick or name.endswith(_QUICK)
    ]
    if found := list(stops(pages, names, foreign, quick=given.quick)):
        with serve(place, port=given.port, environment=environment) as address:
            walk(page, address, found, ledger)


def _walk_site(page: Page, place: Path, given: argparse.Namespace, ledger: Ledger) -> None:
    pages = [name for name in given.pages if name in OWN_SITE_PAGES]
    if found := list(site_stops(pages, given.checkpoints or _ON_THE_SITE)):
        models = dict.fromkeys(stop.state.checkpoint for stop in found)
        with serve_site(place / "site", models) as address:
            walk(page, address, found, ledger)


def _walk_third(page: Page, place: Path, given: argparse.Namespace, ledger: Ledger) -> None:
    if pages := [name for name in given.pages if name in THIRD_PAGES]:
        foreign = write_models(place / "published")
        foreign = [one for one in foreign if not given.quick or one.name.endswith(_QUICK_FOREIGN)]
        folders = [str(place / one.name.replace(PREFIX, "published/")) for one in foreign]
        with serve_site(place / "third", folders) as address:
            walk(page, address, list(third_stops(pages, foreign)), ledger)


if __name__ == "__main__":
    sys.exit(main())
