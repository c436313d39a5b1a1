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
from qa.audit.page_reader import Seen
from qa.audit.walk import PAGES, checkpoints, stops, walk

_QUICK = ("everyday-paper-0", "english-french-headlist", "induction-two-heads")


def main() -> int:
    arguments = _read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if arguments.planted:
            return planted_faults.run(place, _say)
        began = time.monotonic()
        foreign = [] if arguments.quick else write_models(place / "models")
        environment = {"LOUPE_KEPT": str(place / "kept")}
        if foreign:
            environment["LOUPE_MODELS"] = str(place / "models")
        names = arguments.checkpoints or (list(_QUICK) if arguments.quick else checkpoints())
        ledger = Ledger()
        found = list(stops(arguments.pages or list(PAGES), names, foreign, quick=arguments.quick))
        with (
            serve(place, port=arguments.port, environment=environment) as address,
            launched() as browser,
            opened(browser) as page,
        ):
            walk(Seen(page, address), found, ledger, _say)
        _report(ledger, time.monotonic() - began)
        return 1 if ledger.faults else 0


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m qa.audit", description=__doc__)
    parser.add_argument("--pages", nargs="*", choices=sorted(PAGES), help="only these")
    parser.add_argument("--checkpoints", nargs="*", choices=checkpoints(), help="only these")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="three checkpoints unless others are named, one text each, no foreign models",
    )
    parser.add_argument("--planted", action="store_true", help="plant faults, and see each caught")
    parser.add_argument("--port", type=int, help="where the app listens; else where nobody does")
    return parser.parse_args()


def _report(ledger: Ledger, seconds: float) -> None:
    _say(ledger.table())
    for note in ledger.silent:
        _say(f"not compared: {note}")
    for fault in ledger.faults:
        _say(f"WRONG {fault}")
    cores = os.cpu_count()
    kind = f"{platform.machine()}, {cores} cores, Python {platform.python_version()}"
    _say(
        f"{ledger.values:,} values, {len(ledger.faults):,} named faults, {seconds:.0f} s on {kind}"
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
