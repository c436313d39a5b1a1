"""`python -m qa.fuzz`: give hostile input to everything that reads input from strangers."""

import argparse
import ast
import os
import platform
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from qa.fuzz.area import AREAS, open_area
from qa.fuzz.running import Tally, check_one, examine_apart, told

USUAL, QUICK = 10_000, 500
_SHOWN = 2_000
"""The number of printed characters of an input."""
_HEAD = "| area | inputs | refused | accepted | slowest, CPU s | failures |\n|" + "---|" * 6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m qa.fuzz", description=__doc__)
    parser.add_argument(
        "--inputs", type=int, default=USUAL, help="number of inputs, over all areas together"
    )
    parser.add_argument(
        "--quick", action="store_const", const=QUICK, dest="inputs", help=f"{QUICK} inputs"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same inputs")
    parser.add_argument("--only", nargs="*", choices=AREAS, default=AREAS, help="only these areas")
    parser.add_argument(
        "--again", metavar="INPUT", help="run one input again, in the one area of --only"
    )
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="loupe-fuzz-") as folder:
        place, began = Path(folder), time.monotonic()
        os.environ |= {"LOUPE_MODELS": "", "LOUPE_ATLAS": "", "LOUPE_KEPT": str(place / "kept")}
        if given.again is not None:
            (name,) = given.only
            return _again(name, given.again, place)
        print(_HEAD, flush=True)
        tallies = []
        for name in given.only:
            tallies.append(examine_apart(name, given.inputs, given.seed, place / name))
            print(_line(tallies[-1]), flush=True)
    failures = [(tally.name, failure) for tally in tallies for failure in tally.failures]
    counts = (sum(getattr(tally, n) for tally in tallies) for n in ("refused", "accepted"))
    slowest = max(tally.slowest for tally in tallies)
    print(_line(Tally("all", *counts, slowest, [failure for _, failure in failures])))
    for area, failure in failures:
        value = failure.input
        cut = f"... ({len(value):,} characters)" if len(value) > _SHOWN else ""
        again = f"python -m qa.fuzz --only {area} --again {shlex.quote(value[:_SHOWN] + cut)}"
        print(f"\nFAILED {area}: {failure.what}\n  {again}")
    kind = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"\nseed {given.seed}, {time.monotonic() - began:.0f} s on {kind}")
    return int(bool(failures))


def _again(name: str, text: str, place: Path) -> int:
    """Examine one printed input."""
    try:
        verdict, took = check_one(open_area(name, place), ast.literal_eval(text))
    except BaseException as error:  # the object may be broken in any way
        print(told(error))
        return 1
    print(f"{verdict}, {took:.2f} s of CPU")
    return 0


def _line(tally: Tally) -> str:
    counts = (f"{count:,}" for count in (tally.inputs, tally.refused, tally.accepted))
    return f"| {' | '.join((tally.name, *counts))} | {tally.slowest:.2f} | {len(tally.failures)} |"


if __name__ == "__main__":
    sys.exit(main())
