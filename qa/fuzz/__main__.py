"""`python -m qa.fuzz`: give everything that reads from strangers what nobody would send."""

import argparse
import ast
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from qa.fuzz.area import AREAS, open_area
from qa.fuzz.running import Failure, Tally, check_one, examine_apart, told

USUAL, QUICK = 10_000, 500
_SHOWN = 2_000
"""Characters of an input that are printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    given = _read_arguments(arguments)
    os.environ |= {"LOUPE_MODELS": "", "LOUPE_ATLAS": ""}
    names = given.only or AREAS
    with tempfile.TemporaryDirectory(prefix="loupe-fuzz-") as folder:
        place = Path(folder)
        os.environ["LOUPE_KEPT"] = str(place / "kept")
        if given.again is not None:
            return _again(names[0], given.again, place)
        began = time.monotonic()
        tallies = []
        for name in names:
            tallies.append(examine_apart(name, given.inputs, given.seed, place / name))
            _say(_line(tallies[-1]))
    _report(tallies, time.monotonic() - began, given.seed)
    return int(any(tally.failures for tally in tallies))


def _read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m qa.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=USUAL, help="of all areas together")
    parser.add_argument(
        "--quick", action="store_const", const=QUICK, dest="inputs", help=f"{QUICK} inputs"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same one gives the same inputs")
    parser.add_argument("--only", nargs="*", choices=AREAS, help="only these areas")
    parser.add_argument("--again", metavar="INPUT", help="one input, of the one area of --only")
    given = parser.parse_args(arguments)
    if given.again is not None and len(given.only or ()) != 1:
        parser.error("--again needs --only with the one area that the input is of")
    return given


def _again(name: str, text: str, place: Path) -> int:
    """Examine one input that was printed."""
    (place / name).mkdir()
    area = open_area(name, place / name)
    try:
        verdict, took = check_one(area, ast.literal_eval(text))
    except BaseException as error:  # what is held may be broken in any way
        _say(told(error))
        return 1
    _say(f"{verdict}, {took:.2f} s of CPU")
    return 0


_HEAD = ("area", "inputs", "refused", "accepted", "slowest, CPU s", "failures")


def _line(tally: Tally) -> str:
    counts = (tally.inputs, tally.refused, tally.accepted)
    cells = (tally.name, *(f"{count:,}" for count in counts), f"{tally.slowest:.2f}")
    return "| " + " | ".join((*cells, str(len(tally.failures)))) + " |"


def _report(tallies: Sequence[Tally], seconds: float, seed: int) -> None:
    _say("\n| " + " | ".join(_HEAD) + " |\n|" + "---|" * len(_HEAD))
    for tally in tallies:
        _say(_line(tally))
    total = Tally("all")
    for tally in tallies:
        total.refused += tally.refused
        total.accepted += tally.accepted
        total.failures += tally.failures
        total.slowest = max(total.slowest, tally.slowest)
    _say(_line(total))
    for tally in tallies:
        for failure in tally.failures:
            _say(_failed(tally.name, failure))
    kind = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    _say(f"\nseed {seed}, {seconds:.0f} s on {kind}")


def _failed(area: str, failure: Failure) -> str:
    value = failure.input
    typed = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}... ({len(value):,} characters)"
    again = f"python -m qa.fuzz --only {area} --again {_quoted(typed)}"
    return f"\nFAILED {area}: {failure.what}\n  {again}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
