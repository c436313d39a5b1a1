"""List the skipped tests of a run by their reasons, and keep them for `.ci/optional.py`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import pytest

KEY = "loupe/skipped"
"""Where pytest's cache keeps the reason for each skipped test of the latest run."""
PACKAGE = ("is not installed", "could not import")
"""Texts in the reason if installing a package would unlock the test; the second is pytest's own."""
MOST_FILES = 4


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the skipped tests, grouped by their reasons."""
    skipped = {each.nodeid: reason_of(each) for each in terminalreporter.getreports("skipped")}
    cache = getattr(config, "cache", None)  # missing after `-p no:cacheprovider`
    if cache is not None:
        cache.set(KEY, skipped)
    if skipped:
        terminalreporter.section("skipped tests, by reason")
        for line in grouped(skipped):
            terminalreporter.line(line)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the reason for a skip, as the test gives it."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")


def grouped(skipped: Mapping[str, str]) -> list[str]:
    """Return a line for each reason: the number of tests, the reason and their files."""
    of: dict[str, list[str]] = defaultdict(list)
    for test, reason in skipped.items():
        of[reason].append(test)
    reasons = sorted(of, key=lambda reason: (-len(of[reason]), reason))
    return [f"{len(of[reason]):5}  {reason}  ({files(of[reason])})" for reason in reasons]


def files(tests: Iterable[str]) -> str:
    """Name the first files of some tests, and count the others."""
    names = sorted({test.partition("::")[0] for test in tests})
    more = len(names) - MOST_FILES
    return ", ".join([*names[:MOST_FILES], *([f"and {more} more"] if more > 0 else [])])
