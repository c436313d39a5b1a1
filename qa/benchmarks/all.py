"""What is measured with rows, in one table: `python -m qa.benchmarks.all`.

python -m qa.benchmarks.all --out table.md
python -m qa.benchmarks.all --only trace ui --quick

Each part runs in a process of its own, one after the other, so that none finds what another left
behind.
"""

import argparse
import importlib
import importlib.metadata
import multiprocessing
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from qa.benchmarks.rows import Row, markdown

Arguments = dict[str, object]
PARTS: dict[str, tuple[Arguments, Arguments]] = {
    "trace": ({"seconds": 10.0}, {"seconds": 2.0, "lengths": (16, 64)}),
    "ui": ({"loads": 3, "clicks": 20}, {"loads": 1, "clicks": 6}),
    "load": ({"sessions": 22}, {"sessions": 6}),
    "corpus": ({"count": 100_000, "rounds": 1}, {"count": 1_000, "rounds": 1}),
}
"""Of each module, how its `rows` are asked for: as a whole, and quickly."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give its exit status: 1 where a part failed."""
    parser = argparse.ArgumentParser(prog="python -m qa.benchmarks.all", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--quick", action="store_true", help="few turns and small sizes")
    parser.add_argument("--out", type=Path, help="a file for the table")
    options = parser.parse_args(arguments)
    _say(machine())
    tables, failed = [machine()], list[str]()
    for part in options.only:
        try:
            table = f"## {part}\n\n{markdown(_apart(part, PARTS[part][options.quick]))}"
        except Exception as error:  # what one part lacks is no reason to measure no other
            failed.append(part)
            table = f"## {part}\n\nfailed: {type(error).__name__}: {error}"
        tables.append(table)
        _say(table)
        if options.out:
            options.out.write_text("\n\n".join(tables) + "\n", encoding="utf-8")
    return 1 if failed else 0


def machine() -> str:
    """Say when and on what kind of machine this is measured."""
    day = datetime.now(UTC)
    cores, torch = os.cpu_count(), importlib.metadata.version("torch")
    kind = f"{platform.machine()}, {cores} cores, {_processor()}"
    return f"{day.day} {day:%B %Y}; {kind}; torch {torch}; load {os.getloadavg()[0]:.1f}"


def _apart(part: str, arguments: Arguments) -> list[Row]:
    """Measure a part in a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:
        return pool.submit(measure, part, arguments).result()


def measure(part: str, arguments: Arguments) -> list[Row]:
    """Give the rows of a part."""
    rows: Callable[..., Iterable[Row]] = importlib.import_module(f"qa.benchmarks.{part}").rows
    return list(rows(**arguments))


def _processor() -> str:
    """Give the kind of processor that Linux tells of."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
