"""`python -m qa.audit`: hold what the browser receives and draws against the reference."""

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from qa.audit import planted_faults
from qa.audit.browser import launched, opened, serve
from qa.audit.foreign import write_models
from qa.audit.ledger import Ledger
from qa.audit.walk import PAGES, checkpoints, stops, walk

_QUICK = ("everyday-paper-0", "-headlist", "induction-two-heads")
"""How their names end."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m qa.audit", description=__doc__)
    parser.add_argument("--pages", nargs="*", choices=sorted(PAGES), default=list(PAGES))
    parser.add_argument("--checkpoints", nargs="*", choices=checkpoints(), help="only these")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="three checkpoints unless others are named, one text each, no foreign models",
    )
    parser.add_argument("--planted", action="store_true", help="plant faults, and see each caught")
    parser.add_argument("--port", type=int, help="where the app listens; else where nobody does")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, ledger, began = Path(folder), Ledger(), time.monotonic()
        if given.planted:
            return planted_faults.run(place)
        environment, foreign = {"LOUPE_KEPT": str(place / "kept")}, []
        if not given.quick:
            foreign = write_models(place / "models")
            environment["LOUPE_MODELS"] = str(place / "models")
        names = given.checkpoints or [
            name for name in checkpoints() if not given.quick or name.endswith(_QUICK)
        ]
        found = list(stops(given.pages, names, foreign, quick=given.quick))
        with (
            serve(place, port=given.port, environment=environment) as address,
            launched() as browser,
            opened(browser) as page,
        ):
            walk(page, address, found, ledger)
    print(ledger.table())
    for note in ledger.silent:
        print(f"not compared: {note}")
    for fault in ledger.faults:
        print(f"WRONG {fault}")
    kind = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    named, seconds = len(ledger.faults), time.monotonic() - began
    print(f"{ledger.values:,} values, {named:,} named faults, {seconds:.0f} s on {kind}")
    return 1 if ledger.faults else 0


if __name__ == "__main__":
    sys.exit(main())
