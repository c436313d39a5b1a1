"""Check the files of lessons, or measure what they state.

python -m viz.lessons check [--lang fr] FILE...
python -m viz.lessons holds [FILE...]
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from texts import LANGUAGES, say, speaking
from viz.lessons.claims import Measurement, measure_holds
from viz.lessons.faults import LessonError
from viz.lessons.reading import read_lesson
from viz.lessons.runs import FileRuns, Runs
from viz.lessons.shipped_lessons import FOLDER
from viz.lessons.validation import check_lesson


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code: 1 where something is wrong or does not hold."""
    parser = argparse.ArgumentParser(prog="python -m viz.lessons", description=__doc__)
    parser.add_argument("what", choices=("check", "holds"))
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--lang", choices=LANGUAGES, default=LANGUAGES[0], help="of what is wrong")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    files = given.files or sorted(FOLDER.glob("*.toml"))
    with speaking(given.lang):
        said = list((_check if given.what == "check" else _hold)(files, FileRuns()))
    sys.stdout.writelines(f"{line}\n" for line, _ in said)
    return int(any(is_wrong for _, is_wrong in said))


def _check(files: list[Path], runs: Runs) -> Iterator[tuple[str, bool]]:
    """Yield one line a fault, and whether it is one."""
    for path in files:
        try:
            faults = check_lesson(read_lesson(path), runs)
        except LessonError as error:
            faults = error.faults
        yield from ((f"{path}: {fault}", True) for fault in faults)
        if not faults:
            yield say("lesson_fault.none", path=path), False


def _hold(files: list[Path], runs: Runs) -> Iterator[tuple[str, bool]]:
    """Yield one line for each measure, and whether it does not hold."""
    for path in files:
        try:
            lesson = read_lesson(path)
            for found in measure_holds(lesson, runs):
                yield _line(lesson.id, found), not found.holds
        except LessonError as error:
            yield from ((f"{path}: {fault}", True) for fault in error.faults)


def _line(lesson: str, found: Measurement) -> str:
    hold = found.hold
    bounds = ((">=", hold.at_least), ("<=", hold.at_most))
    wanted = ", ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
    verdict = "holds" if found.holds else "DOES NOT HOLD"
    where = f"{lesson:18} {found.checkpoint:24} {hold.measure:45}"
    return f"{where} {found.value:8.4f} of {found.count:5} ({wanted}) {verdict}"


if __name__ == "__main__":
    sys.exit(main())
